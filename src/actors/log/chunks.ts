/**
 * Log chunks and their rows: the encoder state is stored as what differs from the state of a fresh run, so most chunks
 * carry little of it, and a field that is added later has its first value in all older logs.
 */

import { LogCorrupt } from '../../store/errors.js';
import { appendChunkOp, readChunks, readFolded, readLastChunk, type ReadLimits } from '../../store/log.js';
import type { Op } from '../../store/port.js';
import type { Reads } from '../../store/reads.js';
import { initialEncoderState, type EncoderState, type LogChunk, type StoredEvent } from '../events.js';
import { unfoldLog } from './folded-log.js';

type Packed = Partial<EncoderState>;

const isDefault = (key: keyof EncoderState, value: unknown): boolean => {
  const first: unknown = initialEncoderState[key];
  return value === first || (Array.isArray(value) && value.length === 0 && Array.isArray(first));
};

const pack = (state: EncoderState): Packed => {
  const packed: Record<string, unknown> = {};
  for (const key in state) {
    const value = state[key as keyof EncoderState];
    if (!isDefault(key as keyof EncoderState, value)) packed[key] = value;
  }
  return packed;
};

const unpack = (packed: Packed): EncoderState => ({ ...initialEncoderState, ...packed });

/** The operation that appends the chunk to its run's log. */
export const chunkOp = (rno: number, chunk: LogChunk): Op => appendChunkOp(rno, { ...chunk, enc: pack(chunk.enc) });

/** The chunks from the one that holds event `after + 1` on, also of a log that has been folded, at this very moment even. */
export async function loadChunks(
  store: Reads,
  rno: number,
  after: number,
  limits: ReadLimits = {},
): Promise<LogChunk[]> {
  const chunks = await loadUnfolded(store, rno, after, limits);
  if (chunks.length > 0) return chunks;
  const folded = await readFolded(store, rno);
  return folded === undefined ? [] : unfold(rno, folded, after).slice(0, limits.limit);
}

/** The same, of a log that has not been folded; else none. */
export async function loadUnfolded(
  store: Reads,
  rno: number,
  after: number,
  limits: ReadLimits = {},
): Promise<LogChunk[]> {
  const chunks = await readChunks<Packed, StoredEvent>(store, rno, after, limits);
  return chunks.map((chunk) => ({ ...chunk, enc: unpack(chunk.enc) }));
}

function unfold(rno: number, folded: string, after: number): LogChunk[] {
  try {
    return unfoldLog(folded, after);
  } catch (cause) {
    throw new LogCorrupt(`run ${rno}: its folded log cannot be read`, { cause });
  }
}

/** The last chunk of a run's log that has not been folded, if it has any. */
export async function loadLastChunk(store: Reads, rno: number): Promise<LogChunk | undefined> {
  const chunk = await readLastChunk<Packed, StoredEvent>(store, rno);
  return chunk && { ...chunk, enc: unpack(chunk.enc) };
}
