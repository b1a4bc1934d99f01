/** The columns against a plain filter over plain records: whatever happens to the rows, the pages and totals agree. */

import { describe, expect, it } from 'vitest';
import fc from '../../../test/support/property.js';
import { PAGE_ROWS, Table, type Between, type Where } from './table.js';

type Plain = { ordinal: number; id: string; created_at: number; updated_at: number; values: number[] };

const COLUMNS = 3;
const uuid = fc.uuid();
const id = fc.oneof(uuid, fc.string({ minLength: 1, maxLength: 8 }), fc.string({ unit: 'grapheme', minLength: 1 }));
const time = fc.nat(6);
const small = fc.nat(2);
/** Ordinals of three pages, with gaps. */
const ordinal = fc.oneof(
  fc.nat(20),
  fc.integer({ min: PAGE_ROWS - 5, max: PAGE_ROWS + 5 }),
  fc.constant(9 * PAGE_ROWS),
);

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('put' as const),
      ordinal,
      id,
      at: time,
      later: time,
      values: fc.array(small, { minLength: COLUMNS, maxLength: COLUMNS }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('remove' as const), ordinals: fc.array(ordinal, { maxLength: 6 }) }),
  },
);
const bounds = fc.record({ from: time, to: time }, { requiredKeys: [] });
const query = fc.record({
  where: fc.uniqueArray(fc.record({ column: fc.nat(COLUMNS - 1), is: small }), { selector: ({ column }) => column }),
  between: fc.record({ created: bounds, updated: bounds }, { requiredKeys: [] }),
  offset: fc.nat(8),
  limit: fc.integer({ min: 1, max: 5 }),
  order: fc.constantFrom('asc' as const, 'desc' as const),
});

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const inside = (value: number, { from = -Infinity, to = Infinity }: { from?: number; to?: number } = {}): boolean =>
  value >= from && value <= to;

const matching = (rows: Plain[], where: Where[], { created, updated }: Between): Plain[] =>
  rows.filter(
    (row) =>
      where.every(({ column, is }) => row.values[column] === is) &&
      inside(row.created_at, created as { from?: number }) &&
      inside(row.updated_at, updated as { from?: number }),
  );

/** Applies the steps to a table and to a list of records. */
function play(steps: (typeof step extends fc.Arbitrary<infer S> ? S : never)[]): { table: Table; rows: Plain[] } {
  const rows = new Map<number, Plain>();
  const table = new Table(COLUMNS, (ordinal) => rows.get(ordinal)?.id);
  const everThere = new Set<number>();
  for (const now of steps) {
    if (now.do === 'remove') {
      table.remove(now.ordinals);
      for (const gone of now.ordinals) rows.delete(gone);
      continue;
    }
    const there = rows.get(now.ordinal);
    // An ordinal is never given twice.
    if (!there && everThere.has(now.ordinal)) continue;
    everThere.add(now.ordinal);
    const row = there ?? { ordinal: now.ordinal, id: now.id, created_at: now.at, updated_at: now.at, values: [] };
    if (there) table.touch(now.ordinal, now.later);
    else table.add(now.ordinal, row);
    now.values.forEach((value, column) => table.set(now.ordinal, column, value));
    rows.set(now.ordinal, { ...row, updated_at: there ? now.later : now.at, values: now.values });
  }
  return { table, rows: [...rows.values()] };
}

describe('a table', () => {
  it('gives the pages and totals of a plain filter, by creation time, then id', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), query, (steps, { where, between, offset, limit, order }) => {
        const { table, rows } = play(steps);
        const sorted = matching(rows, where, between).sort(
          (a, b) => a.created_at - b.created_at || compare(a.id, b.id) || 0,
        );
        if (order === 'desc') sorted.reverse();
        const found = table.select({ where, between }, { offset, limit }, order);
        expect(found.total).toBe(sorted.length);
        const ids = (ordinals: number[]) => ordinals.map((n) => rows.find((row) => row.ordinal === n)!.id);
        expect(ids(found.ordinals)).toEqual(sorted.slice(offset, offset + limit).map((row) => row.id));
        expect(table.size).toBe(rows.length);
      }),
      { numRuns: 3000 },
    );
  });

  it('gives the newest first, among those of one millisecond by id', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), query, (steps, { where, offset, limit }) => {
        const { table, rows } = play(steps);
        const sorted = matching(rows, where, {}).sort((a, b) => b.updated_at - a.updated_at || compare(a.id, b.id));
        const found = table.selectNewest({ where }, { offset, limit });
        expect(found.total).toBe(sorted.length);
        const ids = found.ordinals.map((n) => rows.find((row) => row.ordinal === n)!.id);
        expect(ids).toEqual(sorted.slice(offset, offset + limit).map((row) => row.id));
      }),
      { numRuns: 3000 },
    );
  });

  it('finds all rows of a value', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), small, (steps, value) => {
        const { table, rows } = play(steps);
        const expected = rows.filter((row) => row.values[1] === value).map((row) => row.ordinal);
        expect(table.matching(1, new Set([value])).sort((a, b) => a - b)).toEqual(expected.sort((a, b) => a - b));
      }),
    );
  });

  it('keeps pages and order right when thousands come and go', () => {
    const table = new Table(1, () => undefined);
    for (let n = 0; n < 3 * PAGE_ROWS; n++) table.add(n, { id: `${n}`, created_at: n, updated_at: n });
    table.remove(Array.from({ length: 2 * PAGE_ROWS }, (_, n) => n));
    const { total, ordinals } = table.select({}, { offset: 0, limit: 2 });
    expect([total, ...ordinals]).toEqual([PAGE_ROWS, 2 * PAGE_ROWS, 2 * PAGE_ROWS + 1]);
    table.add(3 * PAGE_ROWS, { id: 'set back', created_at: 2 * PAGE_ROWS, updated_at: 0 });
    expect(table.select({}, { offset: 1, limit: 1 }).ordinals).toEqual([3 * PAGE_ROWS]);
  });

  it('refuses an ordinal that no column can hold', () => {
    const table = new Table(1, () => undefined);
    const row = { id: 'x', created_at: 0, updated_at: 0 };
    expect(() => table.add(2 ** 32, row)).toThrow(RangeError);
    table.add(5, row);
    expect(table.has(5)).toBe(true);
    expect(table.has(2 ** 32 + 5)).toBe(false);
  });
});
