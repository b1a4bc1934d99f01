import { describe, expect, it } from 'vitest';
import fc from '../../test/support/property.js';
import { LogCorrupt } from './errors.js';
import { foldedLog, logChunk } from './keys.js';
import { appendChunkOp, type Chunk, readChunks, readLastChunk } from './log.js';
import { MemoryStore } from './memory.js';
import type { Range } from './port.js';

/** Chunks of the given sizes, one after another; event k is the number k. */
function chunksOf(sizes: number[]): Chunk<{ from: number }, number>[] {
  let n = 0;
  return sizes.map((size) => {
    const events = Array.from({ length: size }, (_, i) => n + i);
    const chunk = { n, t0: 1000 + n, enc: { from: n }, events };
    n += size;
    return chunk;
  });
}

/** A store that keeps the ranges asked of it and the rows it gave. */
class Watched extends MemoryStore {
  readonly ranges: Range[] = [];
  rowsRead = 0;
  override async *range(range: Range): ReturnType<MemoryStore['range']> {
    this.ranges.push(range);
    for await (const row of super.range(range)) {
      this.rowsRead += 1;
      yield row;
    }
  }
}

async function logOf(sizes: number[], rno = 7): Promise<Watched> {
  const store = new Watched();
  await store.batch(chunksOf([2, 2]).map((chunk) => appendChunkOp(rno - 1, chunk)));
  await store.batch(chunksOf(sizes).map((chunk) => appendChunkOp(rno, chunk)));
  await store.batch(chunksOf([5]).map((chunk) => appendChunkOp(rno + 1, chunk)));
  return store;
}

const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 12 });

describe('readChunks', () => {
  it('gives the chunks from the one that holds the next event, for every log and every event', async () => {
    await fc.assert(
      fc.asyncProperty(sizes, fc.integer({ min: -1, max: 65 }), async (log, after) => {
        const store = await logOf(log);
        const expected = chunksOf(log).filter((chunk) => chunk.n + chunk.events.length > after + 1);
        expect(await readChunks(store, 7, after)).toEqual(expected);
      }),
    );
  });

  it('reads a long log to its end in pieces, by limit or by bytes, with nothing twice and nothing missing', async () => {
    const limits = fc.oneof(
      fc.record({ limit: fc.integer({ min: 1, max: 4 }) }),
      fc.record({ maxBytes: fc.nat(60) }),
      fc.record({ limit: fc.integer({ min: 1, max: 4 }), maxBytes: fc.nat(60) }),
    );
    await fc.assert(
      fc.asyncProperty(sizes, limits, fc.integer({ min: -1, max: 30 }), async (log, limit, after) => {
        const store = await logOf(log);
        const seen: number[] = [];
        for (let at = after; ;) {
          const chunks = await readChunks<unknown, number>(store, 7, at, limit);
          if (chunks.length === 0) break;
          expect(chunks[0]!.n + chunks[0]!.events.length).toBeGreaterThan(at + 1);
          expect(chunks.length).toBeLessThanOrEqual('limit' in limit ? limit.limit : Infinity);
          for (const chunk of chunks) {
            seen.push(...chunk.events.slice(Math.max(0, at + 1 - chunk.n)));
            at = chunk.n + chunk.events.length - 1;
          }
        }
        const total = log.reduce((sum, size) => sum + size, 0);
        expect(seen).toEqual(Array.from({ length: total }, (_, i) => i).slice(after + 1));
      }),
    );
  });

  it('finds the end of a long log with one seek and a read of what is there', async () => {
    const store = await logOf(Array.from({ length: 2000 }, () => 3));
    const [last] = await readChunks<unknown, number>(store, 7, 5998, { limit: 4 });
    expect(last!.events).toEqual([5997, 5998, 5999]);
    expect(store.ranges).toHaveLength(2);
    expect(store.ranges[0]).toMatchObject({ reverse: true, limit: 1 });
    expect(store.rowsRead).toBe(2);
  });

  it('reads no further than the limit asks', async () => {
    const store = await logOf(Array.from({ length: 2000 }, () => 1));
    expect(await readChunks(store, 7, 99, { limit: 2 })).toHaveLength(2);
    expect(store.rowsRead).toBeLessThanOrEqual(4);
  });

  it('is empty for a run without a log, beyond the end, and when the log is folded', async () => {
    const store = await logOf([2, 2]);
    expect(await readChunks(store, 99, -1)).toEqual([]);
    expect(await readChunks(store, 99, 5)).toEqual([]);
    expect(await readChunks(store, 7, 3)).toEqual([]);
    expect(await readChunks(store, 7, 1000)).toEqual([]);
    await store.batch([
      { type: 'put', key: foldedLog(7), value: '{}' },
      { type: 'del', key: logChunk(7, 0) },
      { type: 'del', key: logChunk(7, 2) },
    ]);
    expect(await readChunks(store, 7, -1)).toEqual([]);
    expect(await readChunks(store, 7, 1)).toEqual([]);
  });
});

describe('a log that is not what was committed', () => {
  const after = [-1, 0, 1, 2];

  it.each(after)('is refused when a chunk is missing, reading after event %s', async (seq) => {
    const store = await logOf([2, 2, 2]);
    await store.batch([{ type: 'del', key: logChunk(7, 2) }]);
    await expect(readChunks(store, 7, seq)).rejects.toThrow(LogCorrupt);
    await expect(readChunks(store, 7, Math.max(seq, 1), { limit: 1 })).rejects.toThrow(LogCorrupt);
  });

  it.each([-1, 0])('is refused when its start is missing, reading after event %s', async (seq) => {
    const store = await logOf([2, 2]);
    await store.batch([{ type: 'del', key: logChunk(7, 0) }]);
    await expect(readChunks(store, 7, seq)).rejects.toThrow(LogCorrupt);
  });

  it('is refused when chunks overlap', async () => {
    const store = await logOf([2, 2]);
    await store.batch([appendChunkOp(7, { n: 3, t0: 0, enc: null, events: [3] })]);
    await expect(readChunks(store, 7, -1)).rejects.toThrow(LogCorrupt);
  });

  it.each(['', '{}', 'null', '[1,{},[]]', '[1,{}]'])('is refused when a chunk reads %s', async (value) => {
    const store = await logOf([2]);
    await store.batch([{ type: 'put', key: logChunk(7, 2), value }]);
    await expect(readChunks(store, 7, -1)).rejects.toThrow(LogCorrupt);
    await expect(readLastChunk(store, 7)).rejects.toThrow(LogCorrupt);
  });
});

it('reads the last chunk alone', async () => {
  const store = await logOf([2, 3, 4]);
  expect(await readLastChunk(store, 7)).toEqual(chunksOf([2, 3, 4]).at(-1));
  expect(await readLastChunk(store, 99)).toBeUndefined();
});

it('refuses a chunk without events: the next one would have its key', () => {
  expect(() => appendChunkOp(7, { n: 0, t0: 0, enc: null, events: [] })).toThrow(RangeError);
});
