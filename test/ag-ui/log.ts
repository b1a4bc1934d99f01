/** Logs of runs for tests: events in chunks, as the engine would have written them. */

import { advance, initialEncoderState, type LogChunk, type StoredEvent } from '../../src/actors/events.js';
import type { Said } from '../support/fake-engine.js';

const T0 = 1_700_000_000_000;

/** @param starts indexes at which a new chunk begins; without them there is one chunk. */
export function chunksOf(said: readonly Said[], starts: readonly number[] = []): LogChunk[] {
  const chunks: LogChunk[] = [];
  let enc = initialEncoderState;
  for (const [n, [type, data]] of said.entries()) {
    if (n === 0 || starts.includes(n)) chunks.push({ n, t0: T0 + n, enc, events: [] });
    const chunk = chunks.at(-1)!;
    const event = [type, n - chunk.n, data] as unknown as StoredEvent;
    chunk.events.push(event);
    enc = advance(enc, event);
  }
  return chunks;
}
