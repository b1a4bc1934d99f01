/** The context file by its commands (OPERATOR, "Server and token"). */

import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openService } from '../support/service.js';
import { tempDir } from '../support/temp-dir.js';
import { fits, run, type World } from './cli.js';

async function home() {
  const path = join(await tempDir(), 'context.json');
  const env = { AGENT_SERVER_CONTEXT_FILE: path };
  return { path, cli: (argv: string[], world: World = {}) => run(['context', ...argv], { ...world, env }) };
}

describe('context', () => {
  it('names servers, and uses the current one', async () => {
    const { path, cli } = await home();
    const { url } = await openService();
    await cli(['set', 'here', '--server', url]);
    await cli(['set', 'prod', '--server', 'https://prod.example', '--token', 'of-prod']);
    const { stdout } = await cli(['show', '-o', 'json']);
    expect(fits(stdout)).toMatchObject({
      items: [
        { name: 'here', url, has_token: false, current: false },
        { name: 'prod', url: 'https://prod.example', has_token: true, current: true },
      ],
    });
    expect(stdout).not.toContain('of-prod');
    fits((await cli(['use', 'here', '-o', 'json'])).stdout);
    expect((await run(['agents', 'list'], { env: { AGENT_SERVER_CONTEXT_FILE: path } })).code).toBe(0);
    fits((await cli(['remove', 'here', '-o', 'json'])).stdout);
    expect((await cli(['use', 'here'])).code).toBe(3);
    fits((await cli(['show', 'prod', '-o', 'json'])).stdout);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('reads a token from stdin, and keeps it only for its server', async () => {
    const { path, cli } = await home();
    const token = async () =>
      (JSON.parse(await readFile(path, 'utf8')) as { contexts: { p: { token: string | null } } }).contexts.p.token;
    await cli(['set', 'p', '--server', 'https://p.example', '--token', '-'], { stdin: 'secret\n' });
    expect(await token()).toBe('secret');
    await cli(['set', 'p', '--server', 'https://p.example/']);
    expect(await token()).toBe('secret');
    await cli(['set', 'p', '--server', 'https://other.example']);
    expect(await token()).toBeNull();
  });

  it.each([
    [['set', 'p'], /required option '--server <url>'/],
    [['set', 'p', '--server', 'p.example'], /expected a URL/],
    [['set', 'p', '--server', 'https://p', '--token', 'two words'], /token: expected visible ASCII/],
    [['set', 'p', '--server', 'https://p', '--token', '-'], /token: expected visible ASCII/],
    [['set', '', '--server', 'https://p'], /name: cannot be empty/],
  ])('%j is wrong: 2', async (argv, message) => {
    const { cli } = await home();
    expect(await cli(argv)).toMatchObject({ code: 2, stderr: expect.stringMatching(message) as string });
  });
});
