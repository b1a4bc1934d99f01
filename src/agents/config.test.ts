import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from './agent.js';
import type { ConfigError } from './config-error.js';
import { loadConfig } from './config-file.js';
import { defineConfig, resolveConfig } from './config.js';
import { defineTool } from './tool.js';

const tool = (name: string) => defineTool({ name, description: 'd', input: z.object({}) });
const agent = { id: 'a', model: 'scripted:assistant' };

const resolved = (config: unknown) =>
  resolveConfig(config, { loadTools: async () => [tool('search'), tool('refund')], env: {} });
const problems = (config: Promise<unknown>): Promise<readonly string[]> =>
  config.then(
    () => Promise.reject(new Error('the configuration was accepted')),
    (error: ConfigError) => {
      if (error.name !== 'ConfigError') throw error;
      return error.problems;
    },
  );

describe('resolveConfig', () => {
  it('fills in the defaults', async () => {
    const config = await resolved({ agents: [agent] });
    expect(config).toMatchObject({
      server: { host: '127.0.0.1', port: 8080, cors_origins: [], body_limit: '2mb', auth_token_file: null },
      durability: 'disk',
      retention: { events_days: null },
      warnings: [],
    });
    expect(config.agents.get('a')).toMatchObject({ name: 'a', max_rounds: 10 });
  });

  it('takes the whole of a configuration, in both spellings', async () => {
    const config = await resolved(
      defineConfig({
        providers: {
          local: { kind: 'openai-compatible', base_url: 'http://127.0.0.1:11434/v1', api_key_env: 'LOCAL_KEY' },
        },
        tools: './tools.mjs',
        agents: [
          {
            id: 'b',
            name: 'B',
            description: 'Second.',
            model: 'local:llama3.2:1b',
            systemPrompt: 'Be brief.',
            tools: ['search', tool('own')],
            maxRounds: 3,
            modelOptions: { temperature: 0.2, max_output_tokens: 2000 },
          },
          defineAgent({ id: 'a', model: 'local:other' }),
        ],
        server: { port: 0, corsOrigins: ['https://example.org'], bodyLimit: '1mb' },
        durability: 'process',
        retention: { events_days: 30 },
      }),
    );
    expect(config.agents.list()).toMatchObject([
      { id: 'a', model: 'local:other' },
      { id: 'b', system_prompt: 'Be brief.', max_rounds: 3, tools: [{ name: 'search' }, { name: 'own' }] },
    ]);
    expect(config.server).toMatchObject({ port: 0, cors_origins: ['https://example.org'], body_limit: '1mb' });
    expect(config.warnings).toHaveLength(1);
    const missing = 'the environment variable LOCAL_KEY is not set';
    for (const agent of config.agents.list()) expect(() => agent.resolveModel()).toThrow(missing);
  });

  it.each<[string, unknown, string[]]>([
    ['nothing', undefined, ['configuration: Invalid input: expected object, received undefined']],
    ['no agents', { agents: [] }, ['agents: at least one agent is needed']],
    [
      'a mistyped key',
      { agents: [agent], durabilty: 'disk' },
      ['configuration: unknown key "durabilty", did you mean "durability"?'],
    ],
    [
      'a key deep down',
      { agents: [{ ...agent, model_options: { max_tokens: 1 } }] },
      [
        'agents[0].model_options: unknown key "max_tokens"; known keys are temperature, top_p, max_output_tokens, stop, seed',
      ],
    ],
    [
      'a bad port',
      { agents: [agent], server: { port: 70_000 } },
      ['server.port: Too big: expected number to be <=65535'],
    ],
    [
      'a bad size',
      { agents: [agent], server: { body_limit: 'big' } },
      ['server.body_limit: must be a size such as "2mb"'],
    ],
    [
      'an unknown provider',
      { agents: [{ ...agent, model: 'x:y' }] },
      ['agents[0].model: model "x:y": unknown provider "x"; known are scripted'],
    ],
    [
      'a tool without a module',
      { agents: [{ ...agent, tools: ['s'] }] },
      ['agents[0].tools[0]: unknown tool "s"; the configuration names no "tools" module'],
    ],
    [
      'a mistyped tool',
      { tools: 't', agents: [{ ...agent, tools: ['serach'] }] },
      ['agents[0].tools[0]: unknown tool "serach", did you mean "search"?'],
    ],
    ['two agents of one id', { agents: [agent, agent] }, ['duplicate agent id: a']],
    [
      'faults in several agents',
      {
        agents: [
          { ...agent, id: '' },
          { ...agent, model: 'm' },
        ],
      },
      ['agents[0].id: must not be empty', 'agents[1].model: model "m" must be "<provider>:<model id>"'],
    ],
  ])('refuses %s', async (_, config, expected) => {
    expect(await problems(resolved(config))).toEqual(expected);
  });
});

describe('loadConfig', () => {
  let cwd: string;
  beforeEach(async () => {
    cwd = await mkdtemp(join(tmpdir(), 'agent-server-config-'));
  });
  afterEach(() => rm(cwd, { recursive: true, force: true }));
  const write = (name: string, text: string) => writeFile(join(cwd, name), text);
  const defineToolUrl = pathToFileURL(join(import.meta.dirname, 'tool.ts')).href;

  it('gives the demo agents when there is no file', async () => {
    const config = await loadConfig({ cwd });
    expect(config.source).toBeNull();
    expect(config.agents.list().map(({ id }) => id)).toEqual([
      'approver',
      'assistant',
      'failing',
      'painter',
      'slow',
      'worker',
    ]);
  });

  it('reads the JSON file of the usual name, and its tools from beside it', async () => {
    await write(
      'agent-server.config.json',
      JSON.stringify({ tools: './tools.mjs', agents: [{ ...agent, tools: ['one', 'two'] }] }),
    );
    await write(
      'tools.mjs',
      `import { defineTool } from ${JSON.stringify(defineToolUrl)};
       const make = (name) => defineTool({ name, description: 'd', input: { type: 'object' }, execute: () => name });
       export const one = make('one');
       export const notATool = 1;
       export default [one, make('two')];`,
    );
    const config = await loadConfig({ cwd });
    expect(config.source).toBe(join(cwd, 'agent-server.config.json'));
    expect(config.agents.get('a')?.tools.map(({ name }) => name)).toEqual(['one', 'two']);
  });

  it('reads a module that is named', async () => {
    await write('other.mjs', `export default { agents: [{ id: 'm', model: 'scripted:slow', maxRounds: 2 }] };`);
    const config = await loadConfig({ cwd, path: 'other.mjs' });
    expect(config.agents.get('m')?.max_rounds).toBe(2);
  });

  it.each<[string, Record<string, string>, string | undefined, RegExp]>([
    ['a file that is not there', {}, 'none.json', /none\.json: cannot be read: ENOENT/],
    [
      'a file of another kind',
      { 'c.yaml': 'a: 1' },
      'c.yaml',
      /c\.yaml: a configuration is a file of the kind ts, mts, js, mjs, json/,
    ],
    ['what is not JSON', { 'agent-server.config.json': '{' }, undefined, /is not JSON: /],
    ['a module without a default export', { 'c.mjs': 'export const a = 1;' }, 'c.mjs', /has no default export/],
    ['a module that throws', { 'c.mjs': 'throw new Error("boom\\nsecond line")' }, 'c.mjs', /cannot load .*: boom$/],
    [
      'a tools module that is not there',
      { 'c.json': JSON.stringify({ tools: './no.mjs', agents: [agent] }) },
      'c.json',
      /^tools: cannot load /,
    ],
    [
      'a tools module without tools',
      { 'c.json': JSON.stringify({ tools: './t.mjs', agents: [agent] }), 't.mjs': 'export default []' },
      'c.json',
      /exports no tools/,
    ],
    [
      'two tools of one name',
      {
        'c.json': JSON.stringify({ tools: './t.mjs', agents: [agent] }),
        't.mjs': `import { defineTool } from ${JSON.stringify(defineToolUrl)};
                  const make = () => defineTool({ name: 'x', description: 'd', input: { type: 'object' } });
                  export default [make(), make()]`,
      },
      'c.json',
      /exports two tools named x/,
    ],
  ])('refuses %s in one line', async (_, files, path, expected) => {
    for (const [name, text] of Object.entries(files)) await write(name, text);
    const found = await problems(loadConfig({ cwd, ...(path ? { path } : {}) }));
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(expected);
    expect(found[0]).not.toContain('\n');
  });
});
