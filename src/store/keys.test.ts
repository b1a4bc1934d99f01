import { describe, expect, it } from 'vitest';
import fc from '../../test/support/property.js';
import * as keys from './keys.js';
import type { Key, Range } from './port.js';

const ordinal = fc.oneof(
  fc.nat(3),
  fc.maxSafeNat().map((n) => n % 2 ** 48),
  fc.constant(keys.MAX_ORDINAL),
);
const seq = fc.oneof(fc.nat(300), fc.constant(2 ** 46 - 1));
const id = fc.string({ unit: 'grapheme', maxLength: 12 });
const priority = fc.nat(255);
const holds = (range: Range, key: Key): boolean =>
  Buffer.compare(range.gte, key) <= 0 && Buffer.compare(key, range.lt) < 0;
const sign = (a: number, b: number): number => Math.sign(a - b);

/** Every family of keys, with what a range over a part of it may hold: [a key, its name, its parents]. */
const anyKey = fc.oneof(
  id.map((name) => ({ key: keys.meta(name), is: `M ${name}` })),
  id.map((name) => ({ key: keys.threadName(name), is: `Nt ${name}` })),
  id.map((name) => ({ key: keys.runName(name), is: `Nr ${name}` })),
  ordinal.map((n) => ({ key: keys.thread(n), is: `T ${n}` })),
  fc.tuple(ordinal, id).map(([n, path]) => ({ key: keys.actor(n, path), is: `A ${n} ${path}` })),
  fc.tuple(ordinal, priority, ordinal).map(([t, p, n]) => ({ key: keys.queued(t, p, n), is: `Q ${t} ${p} ${n}` })),
  fc.tuple(ordinal, ordinal).map(([t, n]) => ({ key: keys.history(t, n), is: `H ${t} ${n}` })),
  fc.tuple(ordinal, ordinal).map(([t, n]) => ({ key: keys.message(t, n), is: `C ${t} ${n}` })),
  ordinal.map((n) => ({ key: keys.run(n), is: `R ${n}` })),
  fc.tuple(ordinal, seq).map(([r, n]) => ({ key: keys.logChunk(r, n), is: `E ${r} ${n}` })),
  ordinal.map((n) => ({ key: keys.foldedLog(n), is: `E ${n} F` })),
  fc.tuple(ordinal, ordinal).map(([t, r]) => ({ key: keys.runOfThread(t, r), is: `It ${t} ${r}` })),
  fc.tuple(ordinal, ordinal).map(([p, r]) => ({ key: keys.runOfParent(p, r), is: `Ip ${p} ${r}` })),
  fc.tuple(ordinal, ordinal).map(([t, n]) => ({ key: keys.deadLetter(t, n), is: `Id ${t} ${n}` })),
  fc.tuple(ordinal, ordinal).map(([t, n]) => ({ key: keys.outbox(t, n), is: `O ${t} ${n}` })),
  ordinal.map((n) => ({ key: keys.state(n), is: `S ${n}` })),
  ordinal.map((n) => ({ key: keys.ledger(n), is: `L ${n}` })),
  ordinal.map((n) => ({ key: keys.grave(n), is: `G ${n}` })),
  ordinal.map((n) => ({ key: keys.runBlock(n), is: `X ${n}` })),
  ordinal.map((n) => ({ key: keys.threadBlock(n), is: `Y ${n}` })),
);

it('gives different rows different keys', () => {
  fc.assert(
    fc.property(anyKey, anyKey, (a, b) => {
      expect(a.key.equals(b.key)).toBe(a.is === b.is);
    }),
    { numRuns: 5000 },
  );
});

it('begins each key with the letter of its family, below the end of the store', () => {
  fc.assert(
    fc.property(anyKey, ({ key, is }) => {
      expect(String.fromCharCode(key[0]!)).toBe(is[0]);
      expect(holds(keys.everything(), key)).toBe(true);
    }),
  );
});

it('takes into a range exactly the rows it names', () => {
  const ranges: [string, (n: number) => Range][] = [
    ['A n', keys.actorsOf],
    ['Q n', keys.queuedOf],
    ['H n', keys.historyOf],
    ['C n', (n) => keys.messagesOf(n)],
    ['E n', keys.logOf],
    ['It n', keys.runsOfThread],
    ['Ip n', keys.runsOfParent],
    ['Id n', keys.deadLettersOf],
    ['Id', keys.allDeadLetters],
    ['O n', keys.outboxOf],
    ['A', keys.allActors],
    ['Q', keys.allQueued],
    ['O', keys.allOutboxes],
    ['T', () => keys.allThreads()],
    ['R', () => keys.allRuns()],
    ['L', () => keys.allLedger()],
    ['G', keys.allGraves],
    ['X', keys.runBlocks],
    ['Y', keys.threadBlocks],
    ['H', () => keys.allHistory()],
  ];
  fc.assert(
    fc.property(fc.constantFrom(...ranges), ordinal, anyKey, ([name, range], n, { key, is }) => {
      const named = is.startsWith(`${name.replace('n', `${n}`)} `);
      expect(holds(range(n), key)).toBe(named);
    }),
    { numRuns: 5000 },
  );
});

describe('order', () => {
  const ordered: [string, (n: number) => Key][] = [
    ['threads', keys.thread],
    ['runs', keys.run],
    ['messages', (n) => keys.message(5, n)],
    ['ended entries', (n) => keys.history(5, n)],
    ['outbox', (n) => keys.outbox(5, n)],
    ['ledger', keys.ledger],
    ['runs of a thread', (n) => keys.runOfThread(5, n)],
  ];
  it.each(ordered)('%s sort by number', (_, key) => {
    fc.assert(
      fc.property(ordinal, ordinal, (a, b) => {
        expect(Buffer.compare(key(a), key(b))).toBe(sign(a, b));
      }),
    );
  });

  it('queued entries sort by priority from high to low, then by arrival', () => {
    fc.assert(
      fc.property(priority, ordinal, priority, ordinal, (p, n, q, m) => {
        expect(Buffer.compare(keys.queued(1, p, n), keys.queued(1, q, m))).toBe(sign(q, p) || sign(n, m));
      }),
    );
  });

  it('the folded log sorts after every chunk of its run and before the next run', () => {
    fc.assert(
      fc.property(ordinal, seq, (rno, n) => {
        expect(Buffer.compare(keys.logChunk(rno, n), keys.foldedLog(rno))).toBe(-1);
        expect(holds(keys.logChunks(rno), keys.logChunk(rno, n))).toBe(true);
        expect(holds(keys.logChunks(rno), keys.foldedLog(rno))).toBe(false);
        if (rno < keys.MAX_ORDINAL) {
          expect(Buffer.compare(keys.foldedLog(rno), keys.logChunk(rno + 1, 0))).toBe(-1);
        }
      }),
    );
  });

  it('cannot be faked by an id that looks like the end of another key', () => {
    expect(holds(keys.actorsOf(1), keys.actor(0, '\u0000\u0000\u0001'))).toBe(false);
  });
});

it('pages messages strictly between two cursors', () => {
  fc.assert(
    fc.property(fc.integer({ min: -1, max: 9 }), fc.option(fc.nat(9)), fc.nat(9), (after, before, cursor) => {
      const inside = cursor > after && (before === null || cursor < before);
      expect(holds(keys.messagesOf(3, after, before ?? undefined), keys.message(3, cursor))).toBe(inside);
    }),
  );
  expect(holds(keys.messagesOf(3, keys.MAX_ORDINAL), keys.message(3, keys.MAX_ORDINAL))).toBe(false);
});

it('reads back what was written into a key', () => {
  fc.assert(
    fc.property(ordinal, ordinal, priority, id, seq, (a, b, p, path, n) => {
      expect(keys.parseActor(keys.actor(a, path))).toEqual({ tno: a, path });
      expect(keys.parseQueued(keys.queued(a, p, b))).toEqual({ tno: a, priority: p, n: b });
      expect(keys.parsePair(keys.outbox(a, b))).toEqual([a, b]);
      expect(keys.parsePair(keys.message(a, b))).toEqual([a, b]);
      expect(keys.firstSeqOf(keys.logChunk(a, n))).toBe(n);
      expect(keys.ordinalOf(keys.run(a))).toBe(a);
      expect(keys.ordinalOf(keys.queued(a, p, b))).toBe(a);
      expect(keys.indexedOf(keys.runOfThread(a, b))).toBe(b);
      expect(keys.indexedOf(keys.runOfParent(a, b))).toBe(b);
    }),
  );
});

it.each([-1, 2 ** 48, 0.5, NaN, Infinity])('refuses %s as an ordinal', (n) => {
  const attempts = [
    () => keys.thread(n),
    () => keys.message(1, n),
    () => keys.message(n, 1),
    () => keys.queued(1, 1, n),
    () => keys.queued(1, n * 1000, 1),
    () => keys.actor(n, ''),
    () => keys.runOfThread(1, n),
    () => keys.foldedLog(n),
    () => keys.logChunk(1, n),
  ];
  for (const attempt of attempts) expect(attempt).toThrow(RangeError);
});

it('refuses an event number that would sort behind the folded log', () => {
  expect(() => keys.logChunk(1, 2 ** 46)).toThrow(RangeError);
});
