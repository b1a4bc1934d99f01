import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { bindAgent, defineAgent } from './agent.js';
import { ConfigError } from './config-error.js';
import { createModelResolver } from './providers/resolver.js';
import { createAgentRegistry } from './registry.js';
import { scriptedModel } from './scripted/model.js';
import { defineTool } from './tool.js';

const tool = defineTool({ name: 't', description: 'd', input: z.object({}) });

describe('defineAgent', () => {
  it('fills in the defaults', () => {
    expect(defineAgent({ id: 'a', model: 'scripted:assistant' })).toEqual({
      id: 'a',
      name: 'a',
      description: '',
      model: 'scripted:assistant',
      tools: [],
      permissions: [],
      max_rounds: 10,
      max_retries: 2,
      stop_conditions: [],
      model_options: {},
      delegates: [],
      on_disconnect: 'continue',
      resolveModel: expect.any(Function) as unknown,
    });
  });

  it('takes both spellings', () => {
    const agent = defineAgent({
      id: 'a',
      model: 'scripted:assistant',
      systemPrompt: 'Be brief.',
      maxRounds: 3,
      maxRetries: 0,
      modelOptions: { max_output_tokens: 5 },
      tools: [tool],
    });
    expect(agent).toMatchObject({
      system_prompt: 'Be brief.',
      max_rounds: 3,
      max_retries: 0,
      model_options: { max_output_tokens: 5 },
      tools: [{ name: 't' }],
    });
  });

  it('takes a model object as it is', () => {
    const model = scriptedModel(() => [], 'mine');
    const agent = defineAgent({ id: 'a', model });
    expect(agent.model).toBe('scripted:mine');
    expect(agent.resolveModel()).toBe(model);
    expect(bindAgent(agent, createModelResolver())).toBe(agent);
  });

  it('looks its model up when it is used, with the resolver it was given last', () => {
    const agent = defineAgent({ id: 'a', model: 'local:m' });
    expect(() => agent.resolveModel()).toThrow('unknown provider "local"');
    const local = { kind: 'openai-compatible', base_url: 'http://127.0.0.1:1/v1' };
    expect(bindAgent(agent, createModelResolver({ local })).resolveModel().modelId).toBe('m');
  });

  it.each<[string, object, string]>([
    ['an empty id', { id: ' ' }, 'id: must not be empty'],
    ['control characters in an id', { id: 'a\nb' }, 'id: must not contain control characters'],
    ['a long id', { id: 'x'.repeat(257) }, 'id: must have at most 256 characters'],
    ['no model', { model: undefined }, 'model: must be "<provider>:<model id>"'],
    ['a model of another specification', { model: { specificationVersion: 'v1' } }, 'model: must be'],
    ['no rounds', { max_rounds: 0 }, 'max_rounds: '],
    ['half a retry', { max_retries: 0.5 }, 'max_retries: '],
    ['a tool that is none', { tools: [{ name: 'x' }] }, 'tools[0]: must be made with defineTool'],
    ['two tools of one name', { tools: [tool, { ...tool }] }, 'tools: duplicate tool name: t'],
    ['an unknown key', { max_round: 3 }, 'unknown key "max_round", did you mean "max_rounds"?'],
    ['an unknown option', { model_options: { temprature: 1 } }, 'model_options: unknown key "temprature"'],
  ])('refuses %s', (_, change, problem) => {
    const define = () => defineAgent({ id: 'a', model: 'scripted:assistant', ...change });
    expect(define).toThrow(ConfigError);
    expect(define).toThrow(problem);
  });
});

describe('createAgentRegistry', () => {
  const agent = (id: string) => defineAgent({ id, model: 'scripted:assistant' });

  it('finds agents by id and lists them sorted', () => {
    const registry = createAgentRegistry([agent('b'), agent('a')]);
    expect(registry.get('a')?.id).toBe('a');
    expect(registry.get('c')).toBeUndefined();
    expect(registry.list().map(({ id }) => id)).toEqual(['a', 'b']);
  });

  it('is not changed through its list', () => {
    const registry = createAgentRegistry([agent('a')]);
    registry.list().pop();
    expect(registry.list()).toHaveLength(1);
  });

  it('refuses two agents of one id', () => {
    expect(() => createAgentRegistry([agent('a'), agent('b'), agent('a')])).toThrow('duplicate agent id: a');
  });
});
