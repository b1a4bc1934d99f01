/** Canonical events on the wire: one frame per event, `data` the event as it is (CONTRACT 1.5, 1.6). */

import { advance } from '../../actors/events.js';
import { SharedFrames, type ChunkEncoder } from '../frames.js';

/**
 * The text that `JSON.stringify` gives of each of `canonicalEvents` (`frames.test.ts` compares them), put together
 * without the event: what is the same for all events of a chunk is made once, which halves what an event costs.
 */
export const encodeCanonical: ChunkEncoder = function* (chunk, { run_id, thread_id }, from) {
  const ids = `","run_id":${JSON.stringify(run_id)},"thread_id":${JSON.stringify(thread_id)},"seq":`;
  let enc = chunk.enc;
  for (let i = 0; i < chunk.events.length; i++) {
    const stored = chunk.events[i]!;
    enc = advance(enc, stored);
    if (i < from) continue;
    const [type, dt, data] = stored;
    const step = enc.step === null ? '' : `,"step":${enc.step}`;
    const place = `${chunk.n + i},"timestamp_ms":${chunk.t0 + dt}${step}`;
    yield [`{"type":"${type}${ids}${place},"data":${JSON.stringify(data)}}`];
  }
};

/** Shared by all readers of canonical events in the process. */
export const canonicalFrames = new SharedFrames(encodeCanonical);
