/**
 * Streams of the protocol: the task as it stands, then what follows in its log, up to its end or to the pause at which it
 * stands. Nothing is told twice and nothing is left out: the task is told as of an event, and the log from the next one
 * on. A client that names the last frame it has gets exactly what follows it (CONTRACT 1.6).
 */

import { UnsupportedOperationError } from '@a2a-js/sdk/errors';
import type { Task } from '@a2a-js/sdk';
import type { Engine, EventReader } from '../../../actors/engine.js';
import type { RunRecord } from '../../../actors/records.js';
import type { Ctx } from '../../context.js';
import type { Services } from '../../services.js';
import { frame } from '../../frames.js';
import { openRunStream } from '../../run-stream.js';
import { openAt } from '../../runs/position.js';
import { eventText, protocolFrames, type Notation } from './encoder.js';
import { taskAsOf } from './projection.js';
import { snapshotOf, type Snapshot } from './snapshot.js';
import { isTerminal, stateOf } from './states.js';

export type StreamPlan = {
  reader: EventReader;
  /** What the client is told first, and the event it is as of; nothing when it goes on behind a frame. */
  head?: { task: Task; seq: number };
  /** The client left before the end. */
  onAbandoned?: () => void;
};

/** A stream of a task that the client has just sent a message to: it ends where the log stands still. */
export async function streamOf(
  engine: Engine,
  run: RunRecord,
  { history_length, position }: { history_length: number | undefined; position: number | undefined },
): Promise<StreamPlan> {
  if (position !== undefined) return behind(engine, run, position);
  return from(engine, run, (await snapshotOf(engine, run.run_id)).beforeItsEnd(), history_length);
}

/** A stream of a task that is under way: at a pause it waits for what follows. */
export async function subscriptionOf(
  engine: Engine,
  run: RunRecord,
  position: number | undefined,
): Promise<StreamPlan> {
  if (position !== undefined) return behind(engine, run, position);
  const snapshot = await snapshotOf(engine, run.run_id);
  const state = run.status === 'done' ? stateOf(run) : snapshot.status.state;
  if (isTerminal(state))
    throw new UnsupportedOperationError(`task ${run.run_id} has ended: there is nothing to follow`);
  return from(engine, run, snapshot, undefined);
}

async function from(
  engine: Engine,
  run: RunRecord,
  snapshot: Snapshot,
  history_length: number | undefined,
): Promise<StreamPlan> {
  const task = await taskAsOf(engine, run, snapshot, history_length);
  return { reader: await engine.readEvents(run.run_id, snapshot.seq), head: { task, seq: snapshot.seq } };
}

/** Throws `bad_request` when the log has no such event. */
async function behind(engine: Engine, { run_id }: RunRecord, seq: number): Promise<StreamPlan> {
  (await openAt(engine, run_id, seq)).close();
  return { reader: await engine.readEvents(run_id, seq) };
}

/** Answers 200 with the stream. */
export function openStream(
  ctx: Ctx,
  services: Services,
  { reader, head, onAbandoned }: StreamPlan,
  notation: Notation,
): void {
  openRunStream(ctx, services, reader, {
    frames: protocolFrames(notation),
    until: 'standstill',
    ...(head ? { head: headFrame(head, notation) } : {}),
    ...(onAbandoned ? { onAbandoned } : {}),
  });
}

/** Its id is that of the event it is as of, so it can be resumed from like any other; in front of all events it has none. */
function headFrame({ task, seq }: NonNullable<StreamPlan['head']>, notation: Notation): string {
  const text = eventText({ payload: { $case: 'task', value: task } }, notation);
  return seq < 0 ? `data: ${text}\n\n` : frame(`${seq}`, text);
}
