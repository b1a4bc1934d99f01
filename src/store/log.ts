/**
 * The chunks of a run's log: how one is written, and how a reader gets those after an event.
 *
 * A chunk is what one commit added: `n` is the number of its first event, `t0` its time, `enc` and `events` are JSON
 * that means something to the callers alone. Stored as `[t0, enc, events]` under (run, n): the number is in the key.
 *
 * A log that has ended may be folded: one row in the place of all chunks, in one commit, so a reader finds the one or the
 * other. What the row says is the callers' business too.
 *
 * The chunks of a log are contiguous. A gap or an overlap among the rows read is a `LogCorrupt`: a reader would show
 * a stream with a hole, for ever.
 */

import type { JsonValue } from '../json.js';
import { LogCorrupt } from './errors.js';
import { firstSeqOf, foldedLog, logChunk, logChunks, logOf } from './keys.js';
import type { Key, Op } from './port.js';
import type { Reads } from './reads.js';

export interface Chunk<Enc = JsonValue, Event = JsonValue> {
  n: number;
  t0: number;
  enc: Enc;
  events: Event[];
}

/** The operation that appends a chunk to the log of a run. The caller gives `n` = events so far. */
export function appendChunkOp<Enc, Event>(rno: number, { n, t0, enc, events }: Chunk<Enc, Event>): Op {
  if (events.length === 0) throw new RangeError('a chunk has at least one event');
  return { type: 'put', key: logChunk(rno, n), value: JSON.stringify([t0, enc, events]) };
}

export interface ReadLimits {
  /** Most chunks to read. */
  limit?: number;
  /** No further chunk is read when those so far have this many bytes (about); there is always one. */
  maxBytes?: number;
}

/**
 * The chunks from the one that holds event `afterSeq + 1` on (-1: from the start); the first may begin before it.
 * Empty when there is no such event, and when the log has been folded into one row. One seek and one read, however
 * long the log.
 */
export async function readChunks<Enc, Event>(
  store: Reads,
  rno: number,
  afterSeq: number,
  { limit = Infinity, maxBytes = Infinity }: ReadLimits = {},
): Promise<Chunk<Enc, Event>[]> {
  const wanted = afterSeq + 1;
  const from = wanted === 0 ? 0 : await firstSeqOfChunkWith(store, rno, wanted);
  const rows = logChunks(rno, from);
  const chunks: Chunk<Enc, Event>[] = [];
  let next = from;
  let bytes = 0;
  for await (const [key, value] of store.range(Number.isFinite(limit) ? { ...rows, limit: limit + 1 } : rows)) {
    const chunk = decode<Enc, Event>(rno, key, value);
    if (chunk.n !== next) throw new LogCorrupt(`run ${rno}: event ${next} is missing, a chunk begins at ${chunk.n}`);
    next += chunk.events.length;
    if (next <= wanted) continue; // Found by the seek, and ends before the event: only a later chunk can hold it.
    chunks.push(chunk);
    bytes += value.length;
    if (chunks.length >= limit || bytes >= maxBytes) break;
  }
  return chunks;
}

/** The last chunk of a log that has not been folded, or undefined when there is none. */
export async function readLastChunk<Enc, Event>(store: Reads, rno: number): Promise<Chunk<Enc, Event> | undefined> {
  for await (const [key, value] of store.range({ ...logChunks(rno), reverse: true, limit: 1 }))
    return decode<Enc, Event>(rno, key, value);
  return undefined;
}

/** The operations that put the whole log of a run into one row, in the place of its chunks. */
export const foldOps = (rno: number, chunks: readonly Pick<Chunk, 'n'>[], folded: string): Op[] => [
  ...chunks.map(({ n }): Op => ({ type: 'del', key: logChunk(rno, n) })),
  { type: 'put', key: foldedLog(rno), value: folded },
];

/** The folded log of a run, if it has one. */
export const readFolded = (store: Reads, rno: number): Promise<string | undefined> => store.get(foldedLog(rno));

/** Whether the log of a run is there from its first event on, in whatever form. */
export async function hasLog(store: Reads, rno: number): Promise<boolean> {
  for await (const [key] of store.range({ ...logOf(rno), limit: 1 }))
    return key.equals(foldedLog(rno)) || firstSeqOf(key) === 0;
  return false;
}

/** The chunk that holds the event is the last one that begins at it or before. */
async function firstSeqOfChunkWith(store: Reads, rno: number, seq: number): Promise<number> {
  const before = { gte: logChunks(rno).gte, lt: logChunk(rno, seq + 1), reverse: true, limit: 1 };
  for await (const [key] of store.range(before)) return firstSeqOf(key);
  return 0;
}

function decode<Enc, Event>(rno: number, key: Key, value: string): Chunk<Enc, Event> {
  const n = firstSeqOf(key);
  try {
    const [t0, enc, events] = JSON.parse(value) as [number, Enc, Event[]];
    if (events.length === 0) throw new RangeError('no events');
    return { n, t0, enc, events };
  } catch (cause) {
    throw new LogCorrupt(`run ${rno}: the chunk at event ${n} cannot be read`, { cause });
  }
}
