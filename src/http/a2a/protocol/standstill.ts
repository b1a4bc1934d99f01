/** Waiting for a task: until it has ended, or asks its client for something. */

import type { Engine, EventReader } from '../../../actors/engine.js';
import type { RunRecord } from '../../../actors/records.js';
import { notInitialised } from '../../errors.js';

/**
 * The run once it has come to rest. Throws `not_initialised` when it will not be seen to: the server stops, or the client
 * who waits is gone.
 */
export const atRest = (engine: Engine, run: RunRecord, gone: AbortSignal): Promise<RunRecord> =>
  once(({ status, termination_code }) => status === 'done' || termination_code === 'input_required', engine, run, gone);

/** The run once it has ended. Throws the same. */
export const atEnd = (engine: Engine, run: RunRecord, gone: AbortSignal): Promise<RunRecord> =>
  once(({ status }) => status === 'done', engine, run, gone);

async function once(
  isThere: (run: RunRecord) => boolean,
  engine: Engine,
  run: RunRecord,
  gone: AbortSignal,
): Promise<RunRecord> {
  const reader = await engine.readEvents(run.run_id, -1);
  const leave = (): void => reader.close();
  gone.addEventListener('abort', leave);
  try {
    for (let more = true; ; more = await passEnd(reader)) {
      const now = await engine.read({ kind: 'run', run_id: run.run_id });
      if (now && isThere(now)) return now;
      if (gone.aborted || !now || !more) throw notInitialised();
    }
  } finally {
    gone.removeEventListener('abort', leave);
    reader.close();
  }
}

/** Reads on behind the next pause or end. False: the log has ended, or was closed. */
async function passEnd(reader: EventReader): Promise<boolean> {
  for (;;) {
    const slice = await reader.next();
    if (!slice) return false;
    if (slice.chunk.events.some(([type]) => type === 'run_waiting' || type === 'run_finish')) return true;
  }
}
