/** Agents of a configuration that live elsewhere. */

import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import type { ConfigError } from '../config-error.js';
import { configJsonSchema } from '../config-schema.js';
import { resolveConfig } from '../config.js';
import { defineRemoteAgent } from './define.js';
import { cardAddress } from './link.js';

const far = { id: 'far', a2a: { url: 'https://agents.example.com/far' } };
const resolved = (agents: unknown[], env = {}) => resolveConfig({ agents }, { loadTools: async () => [], env });
const problems = (agents: unknown[]) =>
  resolved(agents).then(
    () => Promise.reject(new Error('the configuration was accepted')),
    (error: ConfigError) => error.problems,
  );

test('is an agent like any other', async () => {
  const { agents, warnings } = await resolved([far, { id: 'boss', model: 'scripted:assistant', delegates: ['far'] }]);
  expect(agents.get('far')).toMatchObject({ id: 'far', name: 'far', model: 'a2a:https://agents.example.com/far' });
  expect(agents.get('far')!.tools.map(({ name }) => name)).toEqual(['remote_input', 'remote_send']);
  expect(warnings).toEqual([]);
});

test('keys may be written in camelCase', () => {
  const agent = defineRemoteAgent({ id: 'far', maxRetries: 4, a2a: { url: 'http://x', timeoutMs: 5 } as never });
  expect(agent.max_retries).toBe(4);
});

test('a key that is not set is a warning at start', async () => {
  const a2a = { ...far.a2a, api_key_env: 'FAR_KEY' };
  expect((await resolved([{ ...far, a2a }])).warnings).toEqual([
    'agent "far": the environment variable FAR_KEY is not set',
  ]);
  expect((await resolved([{ ...far, a2a }], { FAR_KEY: 'k' })).warnings).toEqual([]);
});

describe('refused', () => {
  test.each<[string, object, string]>([
    ['a mistyped key', { ...far, on_bussy: 'enqueue' }, 'agents[0]: unknown key "on_bussy", did you mean "on_busy"?'],
    [
      'a mistyped key inside',
      { ...far, a2a: { ...far.a2a, timeout: 1 } },
      'agents[0].a2a: unknown key "timeout", did you mean "timeout_ms"?',
    ],
    ['no address', { ...far, a2a: {} }, 'agents[0].a2a.url: must be an http or https URL'],
    ['what is no address', { ...far, a2a: { url: 'far' } }, 'agents[0].a2a.url: must be an http or https URL'],
    [
      'credentials in the address',
      { ...far, a2a: { url: 'https://me:pw@x.com' } },
      'agents[0].a2a.url: must not contain credentials (use api_key_env)',
    ],
    [
      'a header of the protocol',
      { ...far, a2a: { ...far.a2a, headers: { 'A2A-Version': '0.1' } } },
      'agents[0].a2a.headers.A2A-Version: is not the name of a header that may be set here',
    ],
  ])('%s', async (_, agent, problem) => expect(await problems([agent])).toEqual([problem]));

  test('a model beside the remote', async () => {
    const [problem] = await problems([{ ...far, model: 'scripted:assistant' }]);
    expect(problem).toMatch(/^agents\[0\]: unknown key "model"/);
  });
});

test('editors are told of both kinds', () => {
  const valid = new Ajv2020({ strict: false, logger: false }).compile(configJsonSchema());
  expect(valid({ agents: [far, { id: 'a', model: 'scripted:assistant' }] })).toBe(true);
  expect(valid({ agents: [{ id: 'a' }] })).toBe(false);
  expect(valid({ agents: [{ ...far, a2a: { url: 1 } }] })).toBe(false);
});

test.each([
  ['http://x', 'http://x/.well-known/agent-card.json'],
  ['http://x/base', 'http://x/base/.well-known/agent-card.json'],
  ['http://x/base/', 'http://x/base/.well-known/agent-card.json'],
  ['http://x/v1/a2a/agents/a/agent-card', 'http://x/v1/a2a/agents/a/agent-card'],
  ['http://x/my/card.json', 'http://x/my/card.json'],
])('%s has its card at %s', (url, card) => expect(cardAddress(url).href).toBe(card));
