/** The parameters of queries (CONTRACT 0.3, 0.4). */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ErrorCode } from '../errors.js';
import { parseQuery, query, shapeOf } from './query.js';

type Given = string | string[] | undefined;

/** What a parameter makes of a value, or what it says against it. */
function read(parameter: z.ZodType, given: Given): unknown {
  try {
    return parseQuery(z.object({ x: parameter }), { query: given === undefined ? {} : { x: given } }).x;
  } catch (error) {
    expect(error).toMatchObject({ code: ErrorCode.badRequest });
    return (error as Error).message;
  }
}

describe('an integer', () => {
  it.each<[Given, unknown]>([
    [undefined, undefined],
    ['0', 0],
    ['-12', -12],
    ['1.5', 'bad request: x: expected an integer'],
    ['x', 'bad request: x: expected an integer'],
    ['', 'bad request: x: expected an integer'],
    ['1e3', 'bad request: x: expected an integer'],
    ['99999999999999999999', 'bad request: x: expected an integer'],
    [['1', '2'], 'bad request: x: given more than once'],
  ])('%j: %j', (given, expected) => expect(read(query.integer(), given)).toBe(expected));
});

describe('an integer of a range', () => {
  it.each<[Given, unknown]>([
    [undefined, undefined],
    ['50', 50],
    ['5000', 5000],
    ['49', 'bad request: x: expected an integer from 50 to 5000'],
    ['5001', 'bad request: x: expected an integer from 50 to 5000'],
    ['x', 'bad request: x: expected an integer'],
  ])('%j: %j', (given, expected) => expect(read(query.within({ least: 50, most: 5000 }), given)).toBe(expected));
});

describe('limit and offset', () => {
  it.each<[Given, unknown]>([
    [undefined, 50],
    ['0', 1],
    ['-7', 1],
    ['201', 200],
    ['7', 7],
    ['99999999999999999999', 200],
    ['x', 'bad request: x: expected an integer'],
  ])('limit %j is %j', (given, expected) => expect(read(query.limit(), given)).toBe(expected));

  it.each<[Given, unknown]>([
    [undefined, 0],
    ['12', 12],
    ['-1', 'bad request: x: must not be negative'],
  ])('offset %j is %j', (given, expected) => expect(read(query.offset(), given)).toBe(expected));
});

describe('an id', () => {
  it.each<[Given, unknown]>([
    [undefined, undefined],
    ['  ', undefined],
    [' a b ', 'a b'],
    [['a', 'b'], 'bad request: x: given more than once'],
    ['a\u0000', 'bad request: x: must not contain control characters'],
    ['x'.repeat(257), 'bad request: x: must be at most 256 characters'],
  ])('%j: %j', (given, expected) => expect(read(query.id(), given)).toBe(expected));
});

describe('a word', () => {
  it('is one of those allowed, which a refusal names', () => {
    const format = query.word(['a', 'b']);
    expect([read(format, undefined), read(format, 'b')]).toEqual([undefined, 'b']);
    expect(read(format, 'xml')).toBe('bad request: x: expected one of a, b');
  });
});

describe('a parameter', () => {
  it('that is mapped is documented as what it was', () => {
    const half = query.mapped(query.integer('twice as much'), (n) => (n ?? 0) / 2);
    expect(read(half, '4')).toBe(2);
    expect(shapeOf(half)).toEqual({ type: 'integer', description: 'twice as much' });
  });

  it('that no schema names is ignored', () =>
    expect(parseQuery(z.object({ x: query.id() }), { query: { y: ['1', '2'] } })).toEqual({ x: undefined }));
});
