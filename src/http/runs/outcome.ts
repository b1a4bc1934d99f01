/** Waiting for a run instead of watching it (CONTRACT 1.7, `accept: application/json`). */

import type { Engine, EventReader } from '../../actors/engine.js';
import type { LogChunk, StoredEvent, Suspension } from '../../actors/events.js';
import type { RunRecord } from '../../actors/records.js';

/** How a run ended, or what it waits for: its record, and the text of its answer, null while there is none. */
export type Outcome = RunRecord & { response: string | null; pending: Suspension[] };

/**
 * The outcome of a run, once it ends or stands still; a pause that is over by the time its record is read was none.
 * Undefined: the log was closed before that (shutdown, `close`).
 */
export async function outcomeOf(reader: EventReader, engine: Pick<Engine, 'read'>): Promise<Outcome | undefined> {
  for (;;) {
    const slice = await reader.next();
    if (!slice) return undefined;
    const last = slice.chunk.events.at(-1)!;
    if (last[0] === 'run_finish') {
      const record = await engine.read({ kind: 'run', run_id: reader.run.run_id });
      const response = last[2].result?.response ?? null;
      return { ...(record ?? endedRecord(reader.run, slice.chunk, last)), response, pending: [] };
    }
    if (last[0] !== 'run_waiting' || !reader.caughtUp) continue;
    const record = await engine.read({ kind: 'run', run_id: reader.run.run_id });
    if (record && reader.caughtUp) return { ...record, response: null, pending: last[2].pending };
  }
}

/** What the record would say, had it not gone with its thread. */
function endedRecord(run: RunRecord, { t0 }: LogChunk, [, dt, { termination, usage }]: RunFinish): RunRecord {
  return {
    ...run,
    status: 'done',
    termination_code: termination.code,
    termination_detail: termination.detail,
    updated_at: t0 + dt,
    input_tokens: usage.input_tokens,
    output_tokens: usage.output_tokens,
  };
}

type RunFinish = Extract<StoredEvent, ['run_finish', ...unknown[]]>;
