import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ErrorCode } from '../errors.js';
import { optionalId, parseBody, pathId, requiredId } from './validation.js';

const schema = z.object({
  id: optionalId,
  must: requiredId.optional(),
  list: z.array(z.object({ role: z.enum(['user', 'system']) })).nullish(),
});
const refusal = (detail: RegExp): unknown =>
  expect.objectContaining({ code: ErrorCode.badRequest, message: expect.stringMatching(detail) as unknown });
const refused = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('it was accepted');
};

describe('ids of a body (CONTRACT 0.4)', () => {
  it.each([
    [' x ', 'x'],
    ['', undefined],
    [' \t\n', undefined],
    [null, undefined],
    [undefined, undefined],
    ['a'.repeat(256), 'a'.repeat(256)],
    ['😀'.repeat(256), '😀'.repeat(256)],
  ])('%j is read as %j', (given, read) => expect(parseBody(schema, { id: given }).id).toBe(read));

  it.each([['a\u0000b'], ['a\nb'], ['a\u007fb'], ['\ud800'], ['a'.repeat(257)], ['😀'.repeat(257)], [5], [{}]])(
    '%j is refused',
    (id) => expect(refused(() => parseBody(schema, { id }))).toEqual(refusal(/^bad request: id: /)),
  );

  it('refuses a blank id that must be there', () =>
    expect(refused(() => parseBody(schema, { must: ' ' }))).toEqual(refusal(/must: cannot be empty$/)));
});

describe('bodies', () => {
  it('names the path of the fault', () =>
    expect(refused(() => parseBody(schema, { list: [{ role: 'user' }, { role: 'king' }] }))).toEqual(
      refusal(/^bad request: list\[1\]\.role: /),
    ));

  it.each([[null], [[]], ['x'], [1]])('refuses %j as a whole', (body) =>
    expect(refused(() => parseBody(schema, body))).toEqual(refusal(/^bad request: body: expected an object$/)),
  );

  it('ignores unknown fields', () => expect(parseBody(schema, { nobody: 1, id: 'x' })).toEqual({ id: 'x' }));

  it('takes 100 levels and refuses 101', () => {
    const nested = (levels: number): object => (levels === 1 ? {} : { in: nested(levels - 1) });
    expect(parseBody(z.object({}), nested(100))).toEqual({});
    expect(refused(() => parseBody(z.object({}), nested(101)))).toEqual(refusal(/nested deeper/));
  });
});

describe('ids of a path', () => {
  it.each([
    ['a%20b', 'a b'],
    ['a+b', 'a+b'],
    ['%E2%82%AC', '€'],
  ])('%j is read as %j', (segment, id) => expect(pathId('run id', segment)).toBe(id));

  it.each([['%ZZ'], ['%E2'], [''], ['%20'], ['%00']])('%j is refused', (segment) =>
    expect(refused(() => pathId('run id', segment))).toEqual(refusal(/^bad request: run id: /)),
  );
});
