import { APICallError, LoadAPIKeyError, NoSuchModelError, TypeValidationError } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { retryAfter, toInferenceError } from './inference-errors.js';
import { InferenceError } from './model-call.js';

const answered = (statusCode: number) =>
  new APICallError({ message: 'no', url: 'https://host/secret', requestBodyValues: {}, statusCode });

describe('toInferenceError', () => {
  it.each([
    [408, true],
    [409, true],
    [429, true],
    [500, true],
    [503, true],
    [400, false],
    [401, false],
    [404, false],
    [422, false],
  ])('an answer of %i is retryable: %s', (status, retryable) => {
    const error = toInferenceError(answered(status));
    expect(error).toMatchObject({ retryable, message: `the model provider answered ${status}: no` });
  });

  it.each<[string, unknown, boolean]>([
    ['a missing key', new LoadAPIKeyError({ message: 'no key' }), false],
    ['an unknown model', new NoSuchModelError({ modelId: 'm', modelType: 'languageModel' }), false],
    ['an answer of the wrong shape', new TypeValidationError({ value: 1, cause: 'x' }), true],
    ['a broken connection', new TypeError('terminated'), true],
    ['a text', 'overloaded', true],
    ['anything', 7n, true],
  ])('%s is retryable: %s', (_, error, retryable) => {
    expect(toInferenceError(error)).toMatchObject({ name: 'InferenceError', retryable });
  });

  it('leaves its own kind alone, keeps the cause of others, and cuts long texts', () => {
    const own = new InferenceError('x', false);
    expect(toInferenceError(own)).toBe(own);
    const cause = new Error('y'.repeat(5_000));
    const mapped = toInferenceError(cause);
    expect(mapped.cause).toBe(cause);
    expect(mapped.message.length).toBeLessThan(1_100);
  });
});

describe('retryAfter', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  it.each<[Record<string, string> | undefined, number | null]>([
    [undefined, null],
    [{}, null],
    [{ 'retry-after': '2' }, 2_000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:10 GMT' }, 10_000],
    [{ 'retry-after': 'Thu, 01 Jan 2025 00:00:10 GMT' }, 0],
    [{ 'retry-after': 'soon' }, null],
    [{ 'retry-after': '-1' }, 0],
  ])('%j asks to wait %s ms', (headers, ms) => {
    expect(retryAfter(headers, now)).toBe(ms);
  });
});
