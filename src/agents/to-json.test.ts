import { describe, expect, it } from 'vitest';
import { toJson } from './to-json.js';

class Point {
  x = 1;
  get y() {
    return 2;
  }
}

describe('toJson', () => {
  it.each<[unknown, unknown]>([
    [undefined, null],
    [null, null],
    ['text', 'text'],
    [0, 0],
    [NaN, null],
    [
      [1, undefined],
      [1, null],
    ],
    [{ a: undefined, b: [{ c: true }] }, { b: [{ c: true }] }],
    [new Date(0), '1970-01-01T00:00:00.000Z'],
    [new Point(), { x: 1 }],
    [{ toJSON: () => undefined }, null],
  ])('%o becomes %j', (value, json) => {
    expect(toJson(value)).toEqual({ ok: true, value: json });
  });

  it('copies', () => {
    const value = { list: [1] };
    const copy = toJson(value);
    value.list.push(2);
    expect(copy).toEqual({ ok: true, value: { list: [1] } });
  });

  const circle: unknown[] = [];
  circle.push(circle);
  let deep: unknown[] = [];
  for (let i = 0; i < 100_000; i++) deep = [deep];

  it.each<[string, unknown, string]>([
    ['BigInt', { n: 1n }, 'holds a BigInt at "n", which is not JSON'],
    ['function', () => 1, 'holds a function, which is not JSON'],
    ['symbol', [Symbol('s')], 'holds a symbol at "0", which is not JSON'],
    ['Map', { index: new Map() }, 'holds a Map at "index", which is not JSON'],
    ['Set', new Set([1]), 'holds a Set, which is not JSON'],
    ['cycle', circle, 'refers to itself, which JSON cannot'],
    ['tower', deep, 'nests too deep for JSON'],
    ['failing toJSON', { toJSON: () => { throw new Error('no'); } }, 'is not JSON: no'], // prettier-ignore
  ])('refuses a %s', (_, value, error) => {
    expect(toJson(value)).toEqual({ ok: false, error });
  });
});
