/** The published schemas and the completion scripts, which are made from the commands. */

import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { jsonSchemas } from '../../src/cli/schemas/index.js';
import { run, spawnShell } from './cli.js';

const published = new URL('../../docs/schemas/', import.meta.url);

describe('schemas', () => {
  // `npx vitest run test/cli/schemas.test.ts -u` writes them anew.
  it.each(Object.entries(jsonSchemas()))('%s is the one in docs/schemas', async (kind, schema) => {
    const { code, stdout } = await run(['schema', kind]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(schema);
    await expect(stdout).toMatchFileSnapshot(new URL(`${kind}.json`, published).pathname);
  });

  it('are published without others', async () => {
    const kinds = Object.keys(jsonSchemas());
    expect((await readdir(published)).sort()).toEqual(kinds.map((kind) => `${kind}.json`).sort());
    expect((await run(['schema'])).stdout).toBe(`${kinds.join('\n')}\n`);
    expect((await run(['schema', 'Car'])).code).toBe(3);
  });
});

describe('completion', () => {
  it.each(['bash', 'zsh', 'fish'])('of %s knows every command', async (shell) => {
    const { code, stdout } = await run(['completion', shell]);
    expect(code).toBe(0);
    for (const word of ['threads', 'interrupt', 'exit-status', 'rail', 'doctor']) expect(stdout).toContain(word);
  });

  it('completes in bash', async () => {
    const complete = (...words: string[]): string =>
      `COMP_WORDS=(agent-server ${words.map((word) => `"${word}"`).join(' ')}); COMP_CWORD=${words.length}; ` +
      '_agent_server; echo "${COMPREPLY[*]}"';
    const script = [
      'eval "$(agent-server completion bash)"',
      complete('th'),
      complete('runs', 'st'),
      complete('runs', 'watch', '--ex'),
      complete('runs', 'list', '-o', ''),
      complete('machine', 'tool'),
      complete('runs', 'list', 'nope', '--lim'),
    ].join('\n');
    const { code, stdout } = await spawnShell(script, {}).done;
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n')).toEqual([
      'threads',
      'start',
      '--exit-status',
      'table wide json jsonl name',
      'tool-call',
      '--limit',
    ]);
  });

  it('refuses other shells: 2', async () => expect((await run(['completion', 'csh'])).code).toBe(2));
});
