import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defaultLimits } from '../actors/host/limits.js';
import { defineAgent } from './agent.js';
import type { ConfigError } from './config-error.js';
import { loadConfig } from './config-file.js';
import { configJsonSchema } from './config-schema.js';
import { defineConfig, resolveConfig } from './config.js';
import { defineTool } from './tool.js';

const tool = (name: string) => defineTool({ name, description: 'd', input: z.object({}) });
const agent = { id: 'a', model: 'scripted:assistant' };

/** The sample of the contract, without its comments. */
const sample = {
  providers: {
    local: { kind: 'openai-compatible', base_url: 'http://127.0.0.1:11434/v1', api_key_env: 'LOCAL_KEY' },
    anthropic: { kind: 'anthropic', api_key_env: 'ANTHROPIC_API_KEY' },
  },
  tools: './tools.mjs',
  agents: [
    {
      id: 'assistant',
      name: 'Assistant',
      description: 'Answers.',
      model: 'local:llama3.2',
      system_prompt: 'Be brief.',
      tools: ['search', 'refund'],
      permissions: [{ tool: 'refund', when: { eur: { gt: 100 } }, action: 'ask' }],
      tool_execution_mode: 'parallel_streaming',
      max_rounds: 10,
      stop_conditions: [{ type: 'stop_on_tool', tool: 'finish' }],
      model_options: { temperature: 0.2, max_output_tokens: 2000 },
      on_disconnect: 'continue',
    },
  ],
  server: { host: '127.0.0.1', port: 8080, cors_origins: [], body_limit: '2mb', auth_token_file: null },
  durability: 'disk',
  retention: { events_days: 30 },
};

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
        server: { port: 0, corsOrigins: ['https://example.org'], bodyLimit: '1mb', shutdownGraceMs: 7 },
        durability: 'process',
        retention: { events_days: 30 },
        limits: { max_running: 8, toolTimeoutMs: 1000 },
      }),
    );
    expect(config.limits).toEqual({ max_running: 8, tool_timeout_ms: 1000 });
    expect(config.agents.list()).toMatchObject([
      { id: 'a', model: 'local:other' },
      { id: 'b', system_prompt: 'Be brief.', max_rounds: 3, tools: [{ name: 'search' }, { name: 'own' }] },
    ]);
    expect(config.server).toMatchObject({
      port: 0,
      cors_origins: ['https://example.org'],
      body_limit: '1mb',
      shutdown_grace_ms: 7,
    });
    expect(config.warnings).toHaveLength(1);
    const missing = 'the environment variable LOCAL_KEY is not set';
    for (const agent of config.agents.list()) expect(() => agent.resolveModel()).toThrow(missing);
  });

  it('takes the sample of CONTRACT 10.1, and keeps all of it', async () => {
    const config = await resolved(sample);
    const { tools, ...rest } = sample.agents[0]!;
    expect(config.agents.get('assistant')).toMatchObject(rest);
    expect(config.agents.get('assistant')!.tools.map(({ name }) => name)).toEqual(tools);
    expect(config).toMatchObject({ server: sample.server, durability: 'disk', retention: { events_days: 30 } });
    expect(config.warnings).toEqual([
      'provider "local" has no API key: the environment variable LOCAL_KEY is not set',
      'provider "anthropic" has no API key: the environment variable ANTHROPIC_API_KEY is not set',
      'agents[0].stop_conditions[0]: the agent has no tool "finish"',
    ]);
  });

  it('keeps everything else an agent may say', async () => {
    const more = {
      permissions: [{ tool: 'mcp_*', when: { 'a.b': { in: ['x', 1, null] }, currency: 'EUR' }, action: 'deny' }],
      tool_execution_mode: 'sequential',
      stop_conditions: [{ type: 'content_match', pattern: '(?i)done' }],
      on_disconnect: 'cancel',
      on_busy: 'enqueue',
      delegates: ['b'],
      approval_expiry_ms: 60_000,
      max_retries: 0,
      max_concurrent: 4,
      provider_options: { anthropic: { thinking: { type: 'enabled', budgetTokens: 1024 } } },
    };
    const config = await resolved({
      providers: { anthropic: { kind: 'anthropic', max_concurrent: 2 }, local: sample.providers.local },
      agents: [
        { ...agent, ...more },
        { ...agent, id: 'b', model: 'local:m', providerOptions: { local: { a: 1 } } },
      ],
    });
    expect(config.agents.get('a')).toMatchObject(more);
    expect(config.provider_limits).toEqual({ anthropic: 2 });
  });

  it('gives agents that nothing can change', async () => {
    const config = await resolved(sample);
    const made = config.agents.get('assistant')!;
    const parts = [made, made.tools, made.tools[0], made.permissions, made.permissions[0]!.when, made.model_options];
    for (const part of parts) expect(Object.isFrozen(part)).toBe(true);
  });

  it('says which names in rules no tool has', async () => {
    const { warnings } = await resolved({
      tools: 't',
      agents: [
        {
          ...agent,
          tools: ['search', 'refund'],
          delegates: ['a'],
          permissions: [
            { tool: 'refnd', action: 'ask' },
            { tool: 'refund', action: 'ask' },
            { tool: 'agent_run', action: 'ask' },
            { tool: 'mcp_*', action: 'ask' },
          ],
        },
      ],
    });
    expect(warnings).toEqual(['agents[0].permissions[0]: the agent has no tool "refnd", did you mean "refund"?']);
  });

  it('bounds exactly what the runtime bounds, under the same names', async () => {
    // What a provider is bounded to stands with the provider.
    const { provider_limits: _, ...limits } = defaultLimits;
    const config = await resolved({ agents: [agent], limits });
    expect(config.limits).toEqual(limits);
    expect(await problems(resolved({ agents: [agent], limits: { max_runing: 1 } }))).toEqual([
      'limits: unknown key "max_runing", did you mean "max_running"?',
    ]);
    const names = Object.keys((configJsonSchema() as any).properties.limits.properties as object); // eslint-disable-line @typescript-eslint/no-explicit-any
    expect(names).toEqual(Object.keys(limits));
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
      'a size that nothing fits in',
      { agents: [agent], server: { body_limit: '0mb' } },
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
      'an unknown provider of a defined agent',
      { agents: [defineAgent({ id: 'd', model: 'x:y' })] },
      ['agents[0].model: model "x:y": unknown provider "x"; known are scripted'],
    ],
    [
      'an unknown delegate',
      {
        agents: [
          { ...agent, id: 'boss', delegates: ['helpr'] },
          { ...agent, id: 'helper' },
        ],
      },
      ['agent "boss": unknown delegate "helpr", did you mean "helper"?'],
    ],
    [
      'a tool that delegation brings',
      { agents: [{ ...agent, delegates: ['a'], tools: [tool('agent_run')] }] },
      ['agent "a".tools: duplicate tool name: agent_run'],
    ],
    [
      'options of nobody',
      { providers: { claude: { kind: 'anthropic' } }, agents: [{ ...agent, provider_options: { antropic: {} } }] },
      ['agents[0].provider_options: unknown namespace "antropic", did you mean "anthropic"?'],
    ],
    [
      'words that mean nothing',
      { agents: [{ ...agent, on_busy: 'wait', on_disconnect: 'stop', tool_execution_mode: 'parallel' }] },
      [
        'agents[0].tool_execution_mode: Invalid option: expected one of "sequential"|"parallel_batch_approval"|"parallel_streaming"',
        'agents[0].on_disconnect: Invalid option: expected one of "continue"|"cancel"',
        'agents[0].on_busy: Invalid option: expected one of "interrupt"|"enqueue"|"reject"|"rollback"',
      ],
    ],
    [
      'a bad URL',
      { providers: { p: { kind: 'openai', base_url: 'localhost' } }, agents: [agent] },
      ['providers.p.base_url: must be an http or https URL'],
    ],
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

describe('configJsonSchema', () => {
  const schema = configJsonSchema();
  const valid = new Ajv2020({ strict: false }).compile(schema);

  it('takes what the configuration takes', () => {
    expect(valid({ $schema: './schema.json', ...sample })).toBe(true);
    expect(valid({ agents: [agent] })).toBe(true);
  });

  it.each<[string, object]>([
    ['an unknown key', { agent: [] }],
    ['an unknown key deep down', { agents: [{ ...agent, model_options: { temprature: 1 } }] }],
    ['an unknown kind', { providers: { p: { kind: 'opnai' } } }],
    ['a kind without its URL', { providers: { p: { kind: 'openai-compatible' } } }],
    ['an unknown condition', { agents: [{ ...agent, stop_conditions: [{ type: 'x' }] }] }],
    ['an unknown action', { agents: [{ ...agent, permissions: [{ tool: 't', action: 'maybe' }] }] }],
    [
      'an unknown operator',
      { agents: [{ ...agent, permissions: [{ tool: 't', when: { eur: { gtt: 1 } }, action: 'ask' }] }] },
    ],
    ['no agents', { agents: [] }],
  ])('refuses %s', (_, change) => expect(valid({ agents: [agent], ...change })).toBe(false));

  it('explains itself to editors', () => {
    expect(JSON.stringify(schema)).toContain('Default: the id.');
    expect(schema['required']).toEqual(['agents']);
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

  it('reads TypeScript, and what it imports', async () => {
    await write('names.ts', `export enum Name { first = 'typed' }\nexport type Unused = { a: string };`);
    await write(
      'agent-server.config.ts',
      `import { Name, type Unused } from './names.ts';
       import { defineAgent } from ${JSON.stringify(defineToolUrl.replace('tool.ts', 'agent.ts'))};
       const config: { agents: unknown[]; tools: string } = {
         tools: './tools.mts',
         agents: [
           { id: Name.first, model: 'scripted:slow', tools: ['one'] } satisfies object,
           defineAgent({ id: 'made', model: 'scripted:slow' }),
         ],
       };
       export default config;`,
    );
    await write(
      'tools.mts',
      `import { defineTool } from ${JSON.stringify(defineToolUrl)};
       export const one = defineTool({ name: 'one' as string, description: 'd', input: { type: 'object' } });`,
    );
    const config = await loadConfig({ cwd });
    expect(config.source).toBe(join(cwd, 'agent-server.config.ts'));
    expect(config.agents.get('typed')?.tools.map(({ name }) => name)).toEqual(['one']);
    expect(config.agents.get('made')?.model).toBe('scripted:slow');
    expect((await readdir(cwd)).sort()).toEqual(['agent-server.config.ts', 'names.ts', 'tools.mts']);
  });

  it.each<[string, Record<string, string>, string | undefined, RegExp]>([
    ['TypeScript that does not parse', { 'c.ts': 'const a: = 1;' }, 'c.ts', /cannot load .*c\.ts: /],
    ['TypeScript that throws', { 'c.ts': 'throw new Error("boom" as string)' }, 'c.ts', /cannot load .*: boom$/],
    ['TypeScript without a default export', { 'c.ts': 'export const a = 1;' }, 'c.ts', /has no default export/],
    ['TypeScript that is not there', {}, 'none.ts', /cannot load .*none\.ts: /],
    [
      'what it imports and is not there',
      { 'c.ts': 'import { a } from "./gone.ts"; export default a;' },
      'c.ts',
      /cannot load .*gone/,
    ],
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
