/** The language of `-q`, and what of it the server is asked. */

import { describe, expect, it } from 'vitest';
import fc from '../../../test/support/property.js';
import { compileFilter } from './filter.js';
import { parseDuration } from './duration.js';
import type { FilterKeys } from './keys.js';
import { parseTerms } from './parse.js';

type Item = { name: string; tags?: string[]; size: number | null; at: number };
const keys: FilterKeys<Item> = {
  name: { of: 'text', read: ({ name }) => name, param: 'name' },
  kind: { of: 'text', read: ({ name }) => name[0] ?? '', known: ['a', 'b'], param: 'kind' },
  tag: { of: 'text', read: ({ tags }) => tags },
  size: { of: 'number', read: ({ size }) => size },
  age: { of: 'age', read: ({ at }) => at, params: { from: 'at_from', to: 'at_to' } },
};
const NOW = 1_000_000;
const compile = (...texts: string[]) => compileFilter(texts, keys, NOW);
const items: Item[] = [
  { name: 'apple', tags: ['red', 'round'], size: 1, at: NOW - 60_000 },
  { name: 'big apple', size: 10, at: NOW - 59_999 },
  { name: 'b,c', tags: [], size: null, at: NOW },
];
const found = (text: string): string[] => items.filter(compile(text).matches).map(({ name }) => name);

describe('a filter', () => {
  it.each([
    ['', ['apple', 'big apple', 'b,c']],
    ['name=apple', ['apple']],
    ['name="big apple"', ['big apple']],
    ['name="big apple",apple', ['apple', 'big apple']],
    ['name="b,c"', ['b,c']],
    ['name!=apple', ['big apple', 'b,c']],
    ['name~APPLE', ['apple', 'big apple']],
    ['name!~apple,x', ['b,c']],
    ['kind=a,b', ['apple', 'big apple', 'b,c']],
    ['kind~B', ['big apple', 'b,c']],
    ['kind!~b,x', ['apple']],
    ['tag=red', ['apple']],
    ['tag!=red', ['big apple', 'b,c']],
    ['size=1,10', ['apple', 'big apple']],
    ['size>1', ['big apple']],
    ['size<=10 size>=10', ['big apple']],
    ['size!=1', ['big apple', 'b,c']],
    ['age>=1m', ['apple']],
    ['age>1m', []],
    ['age<1m', ['big apple', 'b,c']],
    ['age<=1m  name~apple', ['apple', 'big apple']],
  ])('%j', (text, names) => expect(found(text)).toEqual(names));

  it.each([
    ['name', 'expected key=value at "name"'],
    ['=x', 'expected key=value at "=x"'],
    ['name=', 'expected a value behind name='],
    ['name=a,', 'expected a value behind name='],
    ['name="a"b', 'expected a blank at "b"'],
    ['name="a', 'expected a value behind name='],
    ['nome=a', 'unknown key nome; known are name, kind, tag, size, age'],
    ['constructor=a', 'unknown key constructor'],
    ['kind=c', 'kind: unknown value c; expected one of a, b'],
    ['name>a', 'name takes = != ~ !~, not >'],
    ['size=many', 'size: expected a number, got many'],
    ['size>1,2', 'size> takes one value'],
    ['age=1m', 'age takes < <= > >=, not ='],
    ['age>soon', 'age: expected a time such as 30s'],
  ])('%j is refused', (text, message) => expect(() => compile(text)).toThrow(message));

  it.each([
    ['name=a', { name: 'a' }, true],
    ['name=a kind=b', { name: 'a', kind: 'b' }, true],
    ['name=a name=b', { name: 'a' }, false],
    ['name=a,b', {}, false],
    ['name!=a', {}, false],
    ['size=1', {}, false],
    ['age>1m', { at_to: NOW - 60_001 }, true],
    ['age>=1m age<1h', { at_to: NOW - 60_000, at_from: NOW - 3_599_999 }, true],
    ['age<=1m', { at_from: NOW - 60_000 }, true],
    ['age>1.5ms', { at_to: NOW - 2 }, true],
    ['age>=1.5ms', { at_to: NOW - 2 }, true],
    ['age<1.5ms', { at_from: NOW - 1 }, true],
    ['age<=1.5ms', { at_from: NOW - 1 }, true],
    ['age<1000000000000d', {}, false],
  ])('%j asks the server for %j', (text, query, exact) => expect(compile(text)).toMatchObject({ query, exact }));

  it('finds any value that is quoted', () =>
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (name) => {
        const quoted = name.replace(/[\\"]/g, (odd) => `\\${odd}`);
        expect(parseTerms(`name="${quoted}" size=1`)[0]!.values).toEqual([name]);
        expect(compile(`name="${quoted}"`).matches({ name, size: 0, at: 0 })).toBe(true);
      }),
    ));
});

describe('a span of time', () => {
  it.each([
    ['500ms', 500],
    ['30s', 30_000],
    ['1.5m', 90_000],
    ['1h30m', 5_400_000],
    ['2d', 172_800_000],
    ['5', undefined],
    ['m', undefined],
    ['-5m', undefined],
    ['5 m', undefined],
  ])('%s is %s ms', (text, ms) => expect(parseDuration(text)).toBe(ms));
});
