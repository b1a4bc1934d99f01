import { describe, expect, test } from 'vitest';
import fc from '../../test/support/property.js';
import type { JsonObject, JsonValue } from '../json.js';
import { mergePatch } from './merge-patch.js';

describe('merge patch', () => {
  test.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ] as [JsonValue, JsonValue, JsonValue][])('RFC 7396 appendix A: %j + %j = %j', (target, patch, merged) => {
    expect(mergePatch(target, patch)).toEqual(merged);
  });

  test('names that objects have by themselves are names like any other', () => {
    const patch = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"x":1},"toString":"t"}') as JsonObject;
    const merged = mergePatch({}, patch);
    expect(JSON.parse(JSON.stringify(merged))).toEqual(patch);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test('changes neither the target nor the patch; applied twice it is as applied once', () => {
    const anyValue = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>;
    fc.assert(
      fc.property(anyValue, anyValue, (target, patch) => {
        const before = JSON.stringify([target, patch]);
        const once = mergePatch(target, patch);
        expect(JSON.stringify([target, patch])).toBe(before);
        expect(mergePatch(once, patch)).toEqual(once);
      }),
    );
  });
});
