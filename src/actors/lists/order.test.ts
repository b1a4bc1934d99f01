/** The order of rows whose ids are not kept, and what finds the newest of them. */

import { describe, expect, it } from 'vitest';
import fc from '../../../test/support/property.js';
import { Ids, type StoredId } from './ids.js';
import { Largest } from './largest.js';
import { SortedOrdinals } from './sorted-ordinals.js';

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

describe('ordinals in the order of their rows', () => {
  type Row = { time: number; id: string };
  const ID = /^\w+/;
  const steps = fc.array(
    fc.oneof(
      { weight: 6, arbitrary: fc.record({ do: fc.constant('insert' as const), time: fc.nat(4) }) },
      {
        weight: 2,
        arbitrary: fc.record({
          do: fc.constant('insert sorted' as const),
          times: fc.array(fc.nat(6), { minLength: 1, maxLength: 6 }),
        }),
      },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('lose' as const), which: fc.nat() }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('look' as const) }) },
    ),
    { maxLength: 30 },
  );

  /** The ids stand in `rows` alone; `gone` rows have none any more. */
  function begin(isReadable = () => true) {
    const rows: Row[] = [];
    const gone = new Set<number>();
    const idOf: StoredId = (n) => (isReadable() ? (gone.has(n) ? undefined : rows[n]!.id) : null);
    const ordinals = new SortedOrdinals((n) => rows[n]!.time, idOf);
    const byOrder = (a: number, b: number) => rows[a]!.time - rows[b]!.time || byText(rows[a]!.id, rows[b]!.id);
    return { rows, gone, ordinals, byOrder };
  }

  it('are by time, then id, whatever is gone meanwhile', () => {
    fc.assert(
      fc.property(steps, fc.infiniteStream(fc.uuid()), (steps, ids) => {
        const { rows, gone, ordinals, byOrder } = begin();
        const add = (time: number) =>
          rows.push({ time, id: ID.exec(ids.next().value as string)![0] + rows.length }) - 1;
        for (const step of [...steps, { do: 'look' as const }])
          if (step.do === 'insert') {
            const ordinal = add(step.time);
            ordinals.insert(ordinal, rows[ordinal]!.id);
          } else if (step.do === 'insert sorted') {
            ordinals.insertSorted(Uint32Array.from(step.times.map(add).sort(byOrder)));
          } else if (step.do === 'lose' && rows.length > 0) {
            gone.add(step.which % rows.length);
          } else {
            const there = [...rows.keys()].filter((n) => !gone.has(n));
            expect([...ordinals.view()].filter((n) => !gone.has(n))).toEqual(there.sort(byOrder));
            const middle = [...ordinals.between(2, 3)].filter((n) => !gone.has(n));
            expect(middle).toEqual(there.filter((n) => [2, 3].includes(rows[n]!.time)));
          }
        ordinals.retain((n) => !gone.has(n));
        expect([...ordinals.view()]).toEqual([...rows.keys()].filter((n) => !gone.has(n)).sort(byOrder));
        expect(ordinals.length).toBe(rows.length - gone.size);
      }),
      { numRuns: 1000 },
    );
  });

  it('are refused while an id that is needed cannot be read, and nothing is lost', () => {
    let readable = true;
    const { rows, ordinals, byOrder } = begin(() => readable);
    const add = (time: number) => rows.push({ time, id: `${rows.length % 3} ${rows.length}` }) - 1;
    for (let i = 0; i < 3; i++) ordinals.insert(add(i), rows.at(-1)!.id);
    readable = false;
    ordinals.insert(add(9), rows.at(-1)!.id);
    expect([...ordinals.view()]).toEqual([0, 1, 2, 3]);
    for (let i = 0; i < 2000; i++) ordinals.insert(add(9), rows.at(-1)!.id);
    const unavailable = expect.objectContaining({ code: 'storage_unavailable' });
    expect(() => ordinals.view()).toThrow(unavailable);
    const more = Uint32Array.from([add(1), add(9)]);
    expect(() => ordinals.insertSorted(more)).toThrow(unavailable);
    readable = true;
    ordinals.insertSorted(more);
    expect([...ordinals.view()]).toEqual([...rows.keys()].sort(byOrder));
  });

  it('take the ids of the rows added last from memory', () => {
    const asked: number[] = [];
    const ids = new Ids((ordinal) => (asked.push(ordinal), `stored ${ordinal}`));
    for (let n = 0; n < 5000; n++) ids.add(n, `id ${n}`);
    expect([ids.get(4999), ids.get(4000), ids.get(0)]).toEqual(['id 4999', 'id 4000', 'stored 0']);
    expect(asked).toEqual([0]);
  });
});

it('the largest of many, with all that are as large as the least of them', () => {
  const numbers = fc.array(fc.oneof(fc.nat(5), fc.nat(5000)), { minLength: 1, maxLength: 3000, size: 'max' });
  fc.assert(
    fc.property(numbers, fc.nat(), fc.nat(), (numbers, pick, piece) => {
      const wanted = 1 + (pick % numbers.length);
      const n = piece % wanted;
      const largest = new Largest(wanted, numbers.length);
      numbers.forEach((number, row) => number >= largest.least && largest.offer(number, row));
      const sorted = numbers.toSorted((a, b) => b - a);
      const [most, least] = [sorted[n]!, sorted[wanted - 1]!];
      const { before, near } = largest.from(n);
      expect(before).toBe(sorted.findIndex((number) => number <= most));
      const expected = numbers.flatMap((number, row) => (number <= most && number >= least ? [{ number, row }] : []));
      expect(near.sort((a, b) => a.row - b.row)).toEqual(expected);
    }),
    { numRuns: 200 },
  );
});
