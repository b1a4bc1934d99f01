/** The events of a run that are stored at this moment, in order; never waits for the run. */

import type { EventReader } from '../actors/engine.js';
import type { StoredEvent } from '../actors/events.js';

/** Hands out each event once, with its sequence number; called again, goes on with what was stored since. */
export async function* storedEvents(reader: EventReader): AsyncGenerator<[seq: number, event: StoredEvent]> {
  while (!reader.caughtUp) {
    const slice = await reader.next();
    if (!slice) return;
    const { chunk, from } = slice;
    for (let i = from; i < chunk.events.length; i++) yield [chunk.n + i, chunk.events[i]!];
  }
}
