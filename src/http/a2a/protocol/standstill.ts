/**
 * Waiting for a task: until it has ended, or asks its client for something. Nobody is made to wait for a turn that cannot
 * come before somebody has answered the task in front.
 */

import type { Engine, EventReader } from '../../../actors/engine.js';
import type { RunRecord } from '../../../actors/records.js';
import { notInitialised } from '../../../errors.js';

/**
 * The run once it has come to rest: ended, asking, or queued behind one that asks. Throws `not_initialised` when it will not
 * be seen to: the server stops, or the client who waits is gone.
 */
export async function atRest(engine: Engine, run: RunRecord, gone: AbortSignal): Promise<RunRecord> {
  const found = new AbortController();
  const over = AbortSignal.any([gone, found.signal]);
  try {
    const atRest = once(isAtRest, engine, run, over);
    return (await Promise.race([atRest, heldUp(engine, run, over)])) ?? (await atRest);
  } finally {
    found.abort();
  }
}

const isAtRest = ({ status, termination_code }: RunRecord): boolean =>
  status === 'done' || termination_code === 'input_required';

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

/** The run once it is queued behind one that asks; undefined when its turn has come. */
async function heldUp(
  engine: Engine,
  { run_id, thread_id, termination_code }: RunRecord,
  gone: AbortSignal,
): Promise<RunRecord | undefined> {
  let now = termination_code === 'queued' ? await activeOn(engine, thread_id) : null;
  while (now !== null && now !== run_id) {
    const inFront = now;
    const reader = await engine.readEvents(inFront, -1);
    const leave = (): void => reader.close();
    gone.addEventListener('abort', leave);
    try {
      for (let more = true; more; more = await passEnd(reader)) {
        if (gone.aborted) return undefined;
        const [run, other] = await Promise.all([runNamed(engine, run_id), runNamed(engine, inFront)]);
        if (run?.termination_code !== 'queued') return undefined;
        if (other?.termination_code === 'input_required') return run;
      }
    } finally {
      gone.removeEventListener('abort', leave);
      reader.close();
    }
    now = await activeOn(engine, thread_id);
  }
  return undefined;
}

const runNamed = (engine: Engine, run_id: string): Promise<RunRecord | undefined> =>
  engine.read({ kind: 'run', run_id });

const activeOn = async (engine: Engine, thread_id: string): Promise<string | null> =>
  (await engine.read({ kind: 'thread', thread_id }))?.active_run_id ?? null;

/** Reads on behind the next pause or end. False: the log has ended, or was closed. */
async function passEnd(reader: EventReader): Promise<boolean> {
  for (;;) {
    const slice = await reader.next();
    if (!slice) return false;
    if (slice.chunk.events.some(([type]) => type === 'run_waiting' || type === 'run_finish')) return true;
  }
}
