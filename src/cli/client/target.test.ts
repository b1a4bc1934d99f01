import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.js';
import { readContexts, writeContexts } from './context-file.js';
import { ExitCode } from './exit-codes.js';
import { resolveTarget, type TargetOptions } from './target.js';

const usageError = { exitCode: ExitCode.usage };

async function home() {
  const env = { AGENT_SERVER_CONTEXT_FILE: join(await tempDir(), 'sub', 'context.json') };
  const contexts = {
    prod: { url: 'https://prod.example/agents/', token: 'of-prod' },
    dev: { url: 'http://127.0.0.1:9', token: null },
  };
  await writeContexts(env, { v: 1, current: 'prod', contexts });
  const resolve = (options: Partial<TargetOptions> = {}) =>
    resolveTarget({ ...options, env: { ...env, ...options.env } });
  return { env, path: env.AGENT_SERVER_CONTEXT_FILE, resolve };
}

describe('which server (OPERATOR, "Server and token")', () => {
  it('is this machine when nothing is said', async () =>
    expect(await resolveTarget({ env: { HOME: await tempDir() } })).toEqual({
      url: 'http://127.0.0.1:8080',
      token: null,
    }));

  it('is the current context, else the named one', async () => {
    const { resolve } = await home();
    expect(await resolve()).toEqual({ url: 'https://prod.example/agents', token: 'of-prod' });
    expect(await resolve({ context: 'dev' })).toEqual({ url: 'http://127.0.0.1:9', token: null });
    await expect(resolve({ context: 'stage' })).rejects.toMatchObject({ exitCode: ExitCode.notFound });
    await expect(resolve({ context: 'constructor' })).rejects.toMatchObject({ exitCode: ExitCode.notFound });
  });

  it('is the environment before the context, the flag before the environment', async () => {
    const { resolve } = await home();
    const env = { AGENT_SERVER_URL: 'http://e:1', AGENT_SERVER_TOKEN: 'of-env' };
    expect(await resolve({ env })).toEqual({ url: 'http://e:1', token: 'of-env' });
    expect(await resolve({ env, server: 'http://f:2', token: 'of-flag' })).toEqual({
      url: 'http://f:2',
      token: 'of-flag',
    });
    expect(await resolve({ env: { AGENT_SERVER_TOKEN: 'of-env' } })).toMatchObject({ token: 'of-env' });
  });

  it('never gets the token of another server', async () => {
    const { resolve } = await home();
    expect(await resolve({ server: 'https://evil.example' })).toEqual({ url: 'https://evil.example', token: null });
    expect(await resolve({ server: 'https://prod.example/agents' })).toMatchObject({ token: 'of-prod' });
  });

  it.each([
    { server: 'localhost:8080' },
    { server: 'ftp://x' },
    { server: 'http://user:pass@x' },
    { server: 'http://x?y=1' },
    { server: ' ' },
    { token: '' },
    { token: 'two words' },
    { env: { AGENT_SERVER_URL: '' } },
  ])('refuses %j', async (options) => {
    const { resolve } = await home();
    await expect(resolve(options)).rejects.toMatchObject(usageError);
  });
});

describe('the context file', () => {
  it('is written for its owner alone', async () => {
    const { path } = await home();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ v: 1, current: 'prod' });
  });

  it('is refused when others can read its tokens', async () => {
    const { path, resolve, env } = await home();
    await chmod(path, 0o640);
    await expect(resolve()).rejects.toMatchObject({ ...usageError, hint: `chmod 600 ${path}` });
    await writeFile(path, JSON.stringify({ v: 1, current: null, contexts: {} }));
    expect(await readContexts(env)).toEqual({ v: 1, current: null, contexts: {} });
  });

  it.each(['{', '[]', 'null', '{"v":2,"contexts":{}}', '{"v":1}', '{"v":1,"contexts":{"x":{"url":1}}}'])(
    'is refused when it holds %s',
    async (text) => {
      const { path, resolve } = await home();
      await writeFile(path, text);
      await expect(resolve()).rejects.toMatchObject(usageError);
    },
  );
});
