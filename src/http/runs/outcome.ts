/** Waiting for a run instead of watching it (CONTRACT 1.7, `accept: application/json`). */

import type { EventReader } from '../../actors/engine.js';
import type { StoredEvent, Suspension } from '../../actors/events.js';

/** How a run ended, or what it waits for. `response` is the text of its answer, null while there is none. */
export type Outcome = { response: string | null; pending: Suspension[] };

/** The outcome of a run, once it ends or stands still. Undefined: the log was closed before that (shutdown, `close`). */
export async function outcomeOf(reader: EventReader): Promise<Outcome | undefined> {
  for (;;) {
    const slice = await reader.next();
    if (!slice) return undefined;
    const last = slice.chunk.events.at(-1)!;
    if (last[0] === 'run_finish' || (last[0] === 'run_waiting' && reader.caughtUp)) return read(last);
  }
}

function read(last: StoredEvent): Outcome {
  if (last[0] === 'run_waiting') return { response: null, pending: last[2].pending };
  return { response: last[0] === 'run_finish' ? (last[2].result?.response ?? null) : null, pending: [] };
}
