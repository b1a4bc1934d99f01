/** Readers of one log: whatever they have missed, they get every event once and in order. */

import { describe, expect, test } from 'vitest';
import fc from '../../../test/support/property.js';
import { logOf } from '../../store/keys.js';
import { MemoryStore } from '../../store/memory.js';
import { initialEncoderState, type LogChunk, type StoredEvent } from '../events.js';
import type { LogSlice } from '../engine.js';
import type { RunRecord } from '../records.js';
import { chunkOp } from './chunks.js';
import { Feed } from './feed.js';
import { LogReader } from './reader.js';
import { delRow } from '../thread/rows.js';

const RNO = 7;
const run = { run_id: 'r', thread_id: 't' } as RunRecord;

/** A run whose chunks go into the store and then into the feed, as commits do. */
class Writer {
  readonly store = new MemoryStore();
  readonly feed: Feed;

  constructor(ring: number) {
    this.feed = new Feed(0, ring);
  }

  async write(events: number, last = false): Promise<void> {
    const n = this.feed.next;
    const said = Array.from({ length: events }, (_, i) => delta(n + i));
    const chunk: LogChunk = { n, t0: 0, enc: initialEncoderState, events: last ? [...said, end] : said };
    await this.store.batch([chunkOp(RNO, chunk)]);
    this.feed.push(chunk);
    if (last) this.feed.end();
  }

  reader(after = -1): LogReader {
    return new LogReader(run, RNO, after, this.store, this.feed);
  }

  /** A reader of a run that was over before it came. */
  late(after = -1): LogReader {
    return new LogReader(run, RNO, after, this.store, undefined);
  }
}
const delta = (n: number): StoredEvent => ['text_delta', 0, { delta: `${n}` }];
const end = ['run_finish', 0, {}] as unknown as StoredEvent;

/** Numbers of the events of a slice. */
const numbers = ({ chunk, from }: LogSlice): number[] => chunk.events.slice(from).map((_, i) => chunk.n + from + i);
const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

async function rest(reader: LogReader): Promise<number[]> {
  const seen: number[] = [];
  for (let slice = await reader.next(); slice; slice = await reader.next()) seen.push(...numbers(slice));
  return seen;
}

describe('a reader', () => {
  test('that is at the live end gets plain values, and waits when there is nothing', async () => {
    const writer = new Writer(4);
    await writer.write(2);
    const reader = writer.reader();
    expect(numbers(reader.next() as LogSlice)).toEqual([0, 1]);
    expect(reader.caughtUp).toBe(true);
    const next = reader.next();
    expect(next).toBeInstanceOf(Promise);
    await writer.write(1);
    expect(numbers((await next)!)).toEqual([2]);
  });

  test('that waits is let go by its close, and by the end of the feed', async () => {
    const writer = new Writer(4);
    const [closed, ended] = [writer.reader(), writer.reader()];
    const waiting = [closed.next(), ended.next()];
    expect(writer.feed.readers).toBe(2);
    closed.close();
    expect(await waiting[0]).toBeUndefined();
    writer.feed.end();
    expect(await waiting[1]).toBeUndefined();
    expect(writer.feed.readers).toBe(0);
    closed.close();
    expect(writer.feed.readers).toBe(0);
    expect(await closed.next()).toBeUndefined();
  });

  test('that is closed while it reads the store gets nothing more', async () => {
    const writer = new Writer(1);
    for (let i = 0; i < 3; i++) await writer.write(1);
    const reader = writer.reader();
    const next = reader.next();
    reader.close();
    expect(await next).toBeUndefined();
    expect(await reader.next()).toBeUndefined();
  });

  test('that falls behind the ring again and again sees nothing twice', async () => {
    const writer = new Writer(2);
    for (let i = 0; i < 10; i++) await writer.write(1);
    const reader = writer.reader();
    const seen: number[] = [];
    // The store gives it all ten; the last two it takes from the ring.
    while (!reader.caughtUp) seen.push(...numbers((await reader.next())!));
    for (let i = 0; i < 10; i++) await writer.write(1);
    while (!reader.caughtUp) seen.push(...numbers((await reader.next())!));
    expect(seen).toEqual(upTo(20));
  });

  test('of a run that is over reads the store, from any event on', async () => {
    const writer = new Writer(2);
    for (const length of [1, 3, 2]) await writer.write(length);
    await writer.write(0, true);
    for (let after = -1; after < 9; after++) {
      expect(await rest(writer.late(after))).toEqual(upTo(7).slice(after + 1));
      expect(await rest(writer.reader(after))).toEqual(upTo(7).slice(after + 1));
    }
  });

  test('whose log is removed while it reads is told so: what it has is not all', async () => {
    const writer = new Writer(2);
    for (let i = 0; i < 200; i++) await writer.write(1);
    await writer.write(0, true);
    const readers = [writer.late(), writer.reader()];
    for (const reader of readers) expect(numbers((await reader.next())!)).toEqual([0]);
    for await (const [key] of writer.store.range(logOf(RNO))) await writer.store.batch([delRow(key)]);
    for (const reader of readers) await expect(rest(reader)).rejects.toMatchObject({ code: 'events_expired' });
  });
});

test('every event once and in order, whoever reads when, from where, and however small the ring is', async () => {
  type Op =
    | { op: 'write'; chunks: number[] }
    | { op: 'open'; after: number }
    | { op: 'pull'; which: number; times: number; wait: boolean };
  const times = fc.integer({ min: 1, max: 8 });
  const anyOp: fc.Arbitrary<Op> = fc.oneof(
    fc.record({
      op: fc.constant('write' as const),
      chunks: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 8 }),
    }),
    fc.record({ op: fc.constant('open' as const), after: fc.integer({ min: -1, max: 20 }) }),
    fc.record({ op: fc.constant('pull' as const), which: fc.nat(9), times, wait: fc.boolean() }),
  );
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(anyOp, { minLength: 10 }), async (ring, ops) => {
      const writer = new Writer(ring);
      const readers: { reader: LogReader; after: number; seen: number[]; pulling: boolean }[] = [];
      const pull = async (one: (typeof readers)[number], times: number): Promise<void> => {
        one.pulling = true;
        for (let i = 0; i < times; i++) {
          const slice = await one.reader.next();
          if (!slice) break;
          one.seen.push(...numbers(slice));
          if (one.reader.caughtUp) break;
        }
        one.pulling = false;
      };
      const pulls: Promise<void>[] = [];
      for (const op of ops) {
        if (op.op === 'write') for (const events of op.chunks) await writer.write(events);
        else if (op.op === 'open') {
          const after = Math.min(op.after, writer.feed.next - 1);
          readers.push({ reader: writer.reader(after), after, seen: [], pulling: false });
        } else if (readers.length > 0) {
          const one = readers[op.which % readers.length]!;
          if (one.pulling) continue;
          const pulled = pull(one, op.times);
          // One that is caught up waits for a chunk that another operation brings.
          if (op.wait && !one.reader.caughtUp) await pulled;
          else pulls.push(pulled);
        }
      }
      await writer.write(1, true);
      await Promise.all(pulls);
      for (const one of readers) {
        await pull(one, Infinity);
        expect(one.seen).toEqual(upTo(writer.feed.next).slice(one.after + 1));
      }
      expect(writer.feed.readers).toBe(0);
    }),
    { numRuns: 300 },
  );
});
