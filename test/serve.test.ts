/** `agent-server serve` as an operator meets it: settings, the ready line, exit codes (CONTRACT 10.3, 10.4, 11). */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runToExit, startServer } from './support/server-process.js';
import { readSse } from './support/sse-client.js';
import { tempDir } from './support/temp-dir.js';

describe('a server that starts', () => {
  it('says where in one line, logs JSON beside it, and ends with 0 when told to', async () => {
    const server = await startServer({ data: await tempDir() });
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await (await fetch(`${server.url}/health`)).json()).toMatchObject({ status: 'ok' });
    const { stdout, stderr } = await server.stop();
    expect(stdout).toBe(`agent-server listening on ${server.url}\n`);
    const lines = stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { msg: string });
    expect(lines).toContainEqual(expect.objectContaining({ msg: 'listening', url: server.url }));
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('ends with 0 on %s', async (signal) => {
    const server = await startServer({ data: await tempDir() });
    expect(await server.kill(signal)).toMatchObject({ code: 0, signal: null });
  });

  it('takes its settings from variables, and flags before them', async () => {
    const data = await tempDir();
    const env = { AGENT_SERVER_HOST: '::1', AGENT_SERVER_LOG_LEVEL: 'silent', AGENT_SERVER_INSECURE: 'false' };
    const server = await startServer({ data, env });
    expect(server.url).toMatch(/^http:\/\/\[::1\]:/);
    expect(await server.stop()).toMatchObject({ stderr: '' });
    const other = await startServer({ data, env, args: ['--host', '127.0.0.1'] });
    expect(other.url).toMatch(/^http:\/\/127\.0\.0\.1:/);
    await other.stop();
  });

  it('finds the configuration in its working directory', async () => {
    const data = await tempDir();
    await writeFile(join(data, 'tokens'), 'let-me-in\n');
    const agents = [{ id: 'mine', name: 'Mine', description: '', model: 'scripted:assistant' }];
    const config = { agents, server: { auth_token_file: 'tokens' } };
    await writeFile(join(data, 'agent-server.config.json'), JSON.stringify(config));
    const { url } = await startServer({ data: await tempDir(), cwd: data });
    const start = async (authorization: string, agentId: string): Promise<number> => {
      const headers = { authorization, 'content-type': 'application/json', prefer: 'respond-async' };
      return (await fetch(`${url}/v1/runs`, { method: 'POST', headers, body: JSON.stringify({ agentId }) })).status;
    };
    expect(await start('', 'mine')).toBe(401);
    expect(await start('Bearer let-me-in', 'assistant')).toBe(404);
    expect(await start('Bearer let-me-in', 'mine')).toBe(202);
  });
});

/** An agent whose one tool must not be repeated and never ends. */
const stubborn = (dist: URL) => `
import { defineAgent, defineTool } from '${new URL('index.js', dist).href}';
import { scriptedModel } from '${new URL('agents/scripted/model.js', dist).href}';
import { finish, toolCall } from '${new URL('agents/scripted/parts.js', dist).href}';
const hold = defineTool({
  name: 'hold', description: 'Never ends.', input: { type: 'object' }, effect: 'once', execute: () => new Promise(() => {}),
});
const model = scriptedModel(function* () {
  yield* toolCall('c', 'hold', {});
  yield finish('tool-calls');
});
export default { agents: [defineAgent({ id: 'stubborn', model, tools: [hold] })] };
`;

describe('a server that is told to stop', () => {
  it('gives a running tool that must not be repeated its time; a second signal ends it at once', async () => {
    const data = await tempDir();
    await writeFile(join(data, 'agent-server.config.mjs'), stubborn(new URL('../dist/', import.meta.url)));
    const server = await startServer({ data: join(data, 'store'), cwd: data });
    const body = JSON.stringify({ agentId: 'stubborn', messages: [{ role: 'user', content: 'go' }] });
    const response = await fetch(`${server.url}/v1/runs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    for await (const { data: event } of readSse(response)) if (event.includes('"step_end"')) break;
    process.kill(server.pid, 'SIGTERM');
    const health = async (): Promise<number> => (await fetch(`${server.url}/health`)).status;
    await expect.poll(health).toBe(503);
    const exit = await server.kill('SIGTERM');
    expect([exit.code, exit.signal]).toEqual([1, null]);
  });
});

describe('a server that cannot start', () => {
  it.each<[name: string, args: string[], code: number, line: RegExp]>([
    ['unknown flag', ['--nope'], 2, /unknown option/],
    ['bad port', ['--port', 'http'], 2, /^agent-server: port: expected an integer/],
    ['bad log level', ['--log-level', 'loud'], 2, /^agent-server: log level: expected one of/],
    ['open to the network', ['--host', '0.0.0.0'], 2, /^agent-server: host 0\.0\.0\.0 is reachable.*--insecure/],
    ['no such config', ['--config', 'nowhere.json'], 2, /^agent-server: .*nowhere\.json/],
    ['no such token file', ['--auth-token-file', 'nowhere'], 2, /^agent-server: auth token file: /],
    ['no token', ['--auth-token-file', '/dev/null'], 2, /^agent-server: auth token file: .*no token/],
    ['an address of nobody', ['--host', '192.0.2.1', '--insecure'], 1, /^agent-server: .*EADDRNOTAVAIL/],
  ])('%s', async (_name, args, code, line) => {
    const exit = await runToExit({ data: await tempDir(), args });
    expect(exit).toMatchObject({ code, stdout: '' });
    expect(exit.stderr).toMatch(line);
    expect(exit.stderr).not.toMatch(/^\s+at /m);
  });

  it('has one clear line for a directory that is in use', async () => {
    const data = await tempDir();
    await startServer({ data });
    const exit = await runToExit({ data });
    expect(exit.code).toBe(2);
    expect(exit.stderr).toMatch(/^agent-server: .*in use by another process.*\n$/);
  });

  it('has one clear line for a port that is taken, and lets the directory go', async () => {
    const { url } = await startServer({ data: await tempDir() });
    const data = await tempDir();
    const exit = await runToExit({ data, args: ['--port', new URL(url).port] });
    expect(exit).toMatchObject({ code: 1, stderr: expect.stringMatching(/^agent-server: .*EADDRINUSE.*\n$/) });
    await startServer({ data });
  });

  it.each(['file', 'file/below', '/proc/agent-server'])('has one clear line for the directory %s', async (path) => {
    const cwd = await tempDir();
    await writeFile(join(cwd, 'file'), '');
    const exit = await runToExit({ data: path, cwd });
    expect(exit).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^agent-server: .+ cannot be used as data directory: .+\n$/),
    });
  });
});

describe('the executable', () => {
  it('has a thread pool that slow name look-ups do not fill', async () => {
    const { readdirSync } = await import('node:fs');
    const server = await startServer({ data: await tempDir() });
    const started = await fetch(`${server.url}/v1/runs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ agentId: 'assistant', messages: [{ role: 'user', content: 'hi' }] }),
    });
    expect(started.status).toBe(200);
    if (process.platform !== 'linux') return;
    expect(readdirSync(`/proc/${server.pid}/task`).length).toBeGreaterThan(16);
  });
});
