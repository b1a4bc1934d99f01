/** Canonical events on the wire: one frame per event, `data` the event as it is (CONTRACT 1.5, 1.6). */

import { canonicalEvents } from '../../actors/events.js';
import { SharedFrames, type ChunkEncoder } from '../frames.js';

export const encodeCanonical: ChunkEncoder = function* (chunk, run, from) {
  for (const event of canonicalEvents(chunk, run, from)) yield [JSON.stringify(event)];
};

/** Shared by all readers of canonical events in the process. */
export const canonicalFrames = new SharedFrames(encodeCanonical);
