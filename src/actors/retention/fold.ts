/**
 * Folds one log: what its commit is made of. A log that would not come back exactly as it is, or that is too long to be
 * read as a whole, stays in chunks: folding saves room, and nothing else hangs on it.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { foldOps } from '../../store/log.js';
import type { Op } from '../../store/port.js';
import type { Reads } from '../../store/reads.js';
import { loadUnfolded } from '../log/chunks.js';
import { foldLog, unfoldLog } from '../log/folded-log.js';
import { advance, type EncoderState, type LogChunk, type StoredEvent } from '../events.js';

/** A longer log stays in chunks (about, in characters): resuming within it must remain one seek and a small read. */
const LONGEST = { chunks: 1024 * 1024, folded: 256 * 1024 };

export type Fold =
  | { is: 'folded'; ops: Op[] }
  /** Folded already, removed, or too long. */
  | { is: 'left' }
  /** The form cannot hold this log, which is a fault of the form. */
  | { is: 'inexact' };

/** @param rno of a run that has ended. */
export async function foldRun(store: Reads, rno: number): Promise<Fold> {
  const chunks = await loadUnfolded(store, rno, -1, { maxBytes: LONGEST.chunks });
  if (chunks.at(-1)?.events.at(-1)![0] !== 'run_finish') return { is: 'left' };
  const folded = foldLog(chunks);
  if (folded.length > LONGEST.folded) return { is: 'left' };
  await nextTurn(); // Both are work for milliseconds when the log is long.
  return isSame(chunks, unfoldLog(folded, -1))
    ? { is: 'folded', ops: foldOps(rno, chunks, folded) }
    : { is: 'inexact' };
}

/** Whether every encoder is given the same, event by event. */
function isSame(before: readonly LogChunk[], after: readonly LogChunk[]): boolean {
  const others = told(after);
  for (const [text, chunkEnc] of told(before)) {
    const other = others.next().value;
    if (other?.[0] !== text || (chunkEnc && JSON.stringify(chunkEnc) !== JSON.stringify(other[2]))) return false;
  }
  return others.next().done === true;
}

/** An event as text, the state stored in front of it if it begins a chunk, and the state that follows from the events. */
function* told(
  chunks: readonly LogChunk[],
): Generator<[text: string, stored: EncoderState | null, state: EncoderState]> {
  let state = chunks[0]!.enc;
  for (const { n, t0, enc, events } of chunks)
    for (const [i, event] of events.entries()) {
      yield [textOf(n + i, t0, event), i === 0 ? enc : null, state];
      state = advance(state, event);
    }
}

const textOf = (seq: number, t0: number, [type, dt, data]: StoredEvent): string =>
  JSON.stringify([seq, t0 + dt, type, data]);
