import { describe, expect, it } from 'vitest';
import { createModelResolver, providerOf } from './resolver.js';

describe('createModelResolver', () => {
  const local = { kind: 'openai-compatible', base_url: 'http://127.0.0.1:1/v1', api_key_env: 'TEST_KEY' };

  it('knows the scripted models without being told', () => {
    expect(createModelResolver().resolve('scripted:assistant').modelId).toBe('scripted:assistant');
  });

  it('takes a model id with colons', () => {
    expect(createModelResolver({ local }, { TEST_KEY: 'k' }).resolve('local:llama3.2:1b').modelId).toBe('llama3.2:1b');
  });

  it('reads the key when the model is used: missing it is an error then, and a warning before', () => {
    const env: Record<string, string> = {};
    const models = createModelResolver({ local }, env);
    const missing = 'provider "local" has no API key: the environment variable TEST_KEY is not set';
    expect(models.warnings()).toEqual([missing]);
    expect(models.fault('local:m')).toBeUndefined();
    expect(() => models.resolve('local:m')).toThrow(missing);
    env.TEST_KEY = 'k';
    expect(models.resolve('local:m').modelId).toBe('m');
    expect(models.warnings()).toEqual([]);
  });

  it.each([
    ['m', 'model "m" must be "<provider>:<model id>"'],
    ['local:', 'model "local:" must be "<provider>:<model id>"'],
    ['nobody:m', 'model "nobody:m": unknown provider "nobody"; known are scripted, local'],
    ['toString:m', 'model "toString:m": unknown provider "toString"; known are scripted, local'],
    ['scripted:nope', 'no scripted model "nope"; there are assistant, approver, worker, painter, slow, failing'],
  ])('says what is wrong with %s', (model, fault) => {
    const models = createModelResolver({ local }, {});
    expect(models.fault(model)).toBe(fault);
    expect(() => models.resolve(model)).toThrow(fault);
  });

  it.each([
    [{ x: { kind: 'opnai' } }, 'providers.x.kind: unknown "opnai", did you mean "openai"?'],
    [{ x: { kind: 7 } }, 'providers.x.kind: must be one of openai, anthropic, google, openai-compatible, scripted'],
    [{ x: { kind: 'google', base_url: 'nowhere' } }, 'providers.x.base_url: must be an http or https URL'],
    [{ x: { kind: 'openai', base_url: 'http://me:pw@h/v1' } }, 'providers.x.base_url: must not contain credentials'],
    [{ x: { kind: 'openai', api_key_env: 'A KEY' } }, 'providers.x.api_key_env: must be the name'],
    [{ x: { kind: 'openai', max_concurrent: 0 } }, 'providers.x.max_concurrent: '],
    [{ x: { kind: 'openai-compatible', base_url: 'ftp://h' } }, 'providers.x.base_url: must be an http or https URL'],
    [{ x: { kind: 'openai-compatible' } }, 'providers.x.base_url: '],
    [{ x: { ...local, api_key: 'sk-1' } }, 'providers.x: unknown key "api_key"'],
    [{ 'a:b': local }, 'providers.a:b: '],
  ])('refuses %j', (providers, problem) => {
    expect(() => createModelResolver(providers)).toThrow(problem);
  });

  it.each([
    ['openai', ['OPENAI_API_KEY']],
    ['anthropic', ['ANTHROPIC_API_KEY']],
    ['google', ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY']],
  ])('looks for the key of %s where it usually stands', (kind, variables) => {
    const env: Record<string, string> = {};
    const models = createModelResolver({ p: { kind } }, env);
    expect(models.warnings()).toEqual([expect.stringContaining(variables.join(', ')) as string]);
    for (const variable of variables) {
      env[variable] = 'k';
      expect(models.resolve('p:m').modelId).toBe('m');
      delete env[variable];
    }
    env['ANOTHER'] = 'k';
    expect(createModelResolver({ p: { kind, api_key_env: 'ANOTHER' } }, env).warnings()).toEqual([]);
  });

  it('takes camelCase, and names its namespaces and limits', () => {
    const models = createModelResolver(
      {
        local: { ...local, maxConcurrent: 2 },
        mine: { kind: 'openai', apiKeyEnv: 'K' },
        scripted: { kind: 'scripted', max_concurrent: 5 },
      },
      {},
    );
    expect(models.namespaces()).toEqual(['scripted', 'local', 'openai']);
    expect(models.limits()).toEqual({ scripted: 5, local: 2 });
    expect(models.warnings()[1]).toContain('the environment variable K is not set');
  });
});

describe('providerOf', () => {
  it.each([
    ['a:b', 'a'],
    ['a:b:c', 'a'],
    ['ab', ''],
    [':b', ''],
  ])('of %s is "%s"', (model, provider) => expect(providerOf(model)).toBe(provider));
});
