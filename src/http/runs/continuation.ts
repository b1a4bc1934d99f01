/** Where a run went on after decisions that it has taken before: a repeated request gets the answer it got first. */

import { canonicalEvents, type CanonicalEvent } from '../../actors/events.js';
import type { Engine, StartRequest } from '../../actors/engine.js';
import type { RunRecord } from '../../actors/records.js';

/**
 * Sequence number of the last event before the run took the first of the start's decisions; -1 when it took none of them:
 * then the run is the start's own, and all of its log is the answer.
 */
export async function continuationOf(
  engine: Engine,
  { run_id }: RunRecord,
  { decisions = [], run_id: own }: StartRequest,
): Promise<number> {
  if (decisions.length === 0 || run_id === own) return -1;
  const ids = new Set(decisions.map(({ decision_id }) => decision_id));
  const reader = await engine.readEvents(run_id, -1);
  try {
    while (!reader.caughtUp) {
      const slice = await reader.next();
      if (!slice) break;
      for (const event of canonicalEvents(slice.chunk, reader.run, slice.from))
        if (takes(event, ids)) return event.seq - 1;
    }
    return -1;
  } finally {
    reader.close();
  }
}

function takes(event: CanonicalEvent, ids: ReadonlySet<string>): boolean {
  if (event.type === 'run_resumed') return event.data.decisions.some((id) => ids.has(id));
  return event.type === 'tool_call_resumed' && ids.has(event.data.decision_id);
}
