import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { ConfigError } from './config-error.js';
import { defineTool } from './tool.js';

const base = { name: 'refund', description: 'Pays back.' };

describe('defineTool', () => {
  it('is once, has no timeout of its own and no permission rule unless it says so', () => {
    const tool = defineTool({ ...base, input: z.object({}) });
    expect(tool).toEqual({
      ...base,
      effect: 'once',
      parameters: { type: 'object', properties: {} },
      validate: expect.any(Function) as unknown,
    });
  });

  it('takes its timeout in both spellings', () => {
    expect(defineTool({ ...base, input: z.object({}), timeoutMs: 5 }).timeout_ms).toBe(5);
    expect(defineTool({ ...base, input: z.object({}), timeout_ms: 6 }).timeout_ms).toBe(6);
  });

  it('gives execute the type of its zod schema', () => {
    defineTool({
      ...base,
      input: z.object({ eur: z.number(), note: z.string().default('') }),
      execute: (input) => {
        expectTypeOf(input).toEqualTypeOf<{ eur: number; note: string }>();
      },
    });
  });

  it.each<[string, object, string]>([
    ['a name that providers refuse', { name: 'pay back' }, 'tool "pay back": name must be 1 to 64'],
    ['no name', { name: undefined }, 'name must be'],
    ['an effect that is none', { effect: 'twice' }, 'effect must be one of readOnly, idempotent, once'],
    ['a timeout of nothing', { timeout_ms: 0 }, 'timeout_ms must be'],
    ['a permission that is none', { permission: 'maybe' }, 'permission must be one of allow, ask, deny'],
    ['no input', { input: undefined }, 'input must be a zod 4 schema or a JSON Schema object'],
    ['an input that is no object', { input: z.string() }, 'input must describe an object'],
    ['an input that JSON Schema cannot say', { input: z.object({ d: z.date() }) }, 'Date cannot be represented'],
    ['a schema of zod 3', { input: { _def: {}, parse() {} } }, 'zod 4 is needed'],
    [
      'a JSON Schema that is none',
      { input: { type: 'object', properties: { a: { type: 'objekt' } } } },
      'schema is invalid',
    ],
    ['an execute that is none', { execute: 'rm' }, 'execute must be a function'],
  ])('refuses %s', (_, change, problem) => {
    const define = () => defineTool({ ...base, input: { type: 'object' }, ...change } as never);
    expect(define).toThrow(ConfigError);
    expect(define).toThrow(problem);
  });

  it('names all faults of one definition', () => {
    try {
      defineTool({ ...base, input: 5, effect: 'x' } as never);
      expect.unreachable();
    } catch (error) {
      expect((error as ConfigError).problems).toHaveLength(2);
    }
  });
});

describe('validation by zod', () => {
  const tool = defineTool({
    ...base,
    input: z.object({ eur: z.number().positive(), items: z.array(z.object({ id: z.string() })).default([]) }),
  });

  it('shows models what they may send: defaults are optional', () => {
    expect(tool.parameters).toMatchObject({ type: 'object', required: ['eur'] });
    expect(tool.parameters).not.toHaveProperty('$schema');
  });

  it('parses', () => {
    expect(tool.validate({ eur: 1 })).toEqual({ ok: true, value: { eur: 1, items: [] } });
  });

  it('names the path of what is wrong', () => {
    const { error } = tool.validate({ eur: 1, items: [{ id: 'a' }, { id: 7 }] }) as { error: string };
    expect(error).toMatch(/^items\.1\.id: /);
  });

  it('says so when nothing is right', () => {
    expect(tool.validate('{"eur":')).toMatchObject({
      ok: false,
      error: expect.stringContaining('expected object') as string,
    });
  });
});

describe('validation by JSON Schema', () => {
  const tool = defineTool({
    ...base,
    input: {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: {
        eur: { type: 'number', minimum: 1 },
        to: { type: 'object', properties: { 'a/b': { enum: ['x', 'y'] } } },
        when: { type: 'string', format: 'no-such-format' },
      },
      required: ['eur'],
      additionalProperties: false,
      'x-unknown-keyword': true,
    },
  });

  it('passes arguments on as they came', () => {
    const args = { eur: 2, to: { 'a/b': 'x' }, when: 'now' };
    expect(tool.validate(args)).toEqual({ ok: true, value: args });
  });

  it.each([
    [{ eur: 'two' }, 'eur: must be number'],
    [{ eur: 0 }, 'eur: must be >= 1'],
    [{}, 'eur: is required'],
    [{ eur: 1, usd: 1 }, 'usd: is not a known property'],
    [{ eur: 1, to: { 'a/b': 'z' } }, 'to.a/b: must be one of ["x","y"]'],
    ['text', 'must be object'],
    [{ usd: 1 }, 'eur: is required; usd: is not a known property'],
  ])('says of %j what is wrong', (args, error) => {
    expect(tool.validate(args)).toEqual({ ok: false, error });
  });

  it('names five problems and counts the others', () => {
    const properties = Object.fromEntries([...'abcdefg'].map((key) => [key, { type: 'number' as const }]));
    const many = defineTool({ ...base, input: { type: 'object', properties } });
    const args = Object.fromEntries([...'abcdefg'].map((key) => [key, 'x']));
    expect(many.validate(args)).toMatchObject({
      error: expect.stringMatching(/^a: .*e: must be number; and 2 more$/) as string,
    });
  });

  it('understands the tuples of draft-07 and of 2020-12', () => {
    const tuple = { type: 'array', minItems: 1 };
    const old = defineTool({
      ...base,
      input: { type: 'object', properties: { t: { ...tuple, items: [{ type: 'number' }] } } },
    });
    const now = defineTool({
      ...base,
      input: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        properties: { t: { ...tuple, prefixItems: [{ type: 'number' }] } },
      },
    });
    for (const tool of [old, now]) {
      expect(tool.validate({ t: [1, 'x'] }).ok).toBe(true);
      expect(tool.validate({ t: ['x'] }).ok).toBe(false);
    }
  });
});
