/** Makes the live actors of a thread out of what is known of it: cells in memory, or rows of the store. */

import type { ThreadContext } from '../machines/thread.js';
import type { RunContext } from '../machines/run.js';
import type { ToolCallContext } from '../machines/tool-call.js';
import type { ActorKind } from '../machines/index.js';
import type { RunRecord } from '../records.js';
import { runOf } from '../thread/apply.js';
import type { StateValue } from '../inspection.js';
import { callActorId, callOf, enter, runActorId, threadActorId, type Family, type LiveActor } from './actor.js';

/** An actor as a host or the store has it. */
export type Known = { path: string; kind: ActorKind; value: StateValue; since: number; context: unknown };
/** What stands beside the actors of a thread. */
export type Facts = { created_at: number; recordOf: (rno: number) => RunRecord | undefined };

/** A new member of the family, in its state. Undefined when it belongs to a run that the family does not have. */
export function actorOf(family: Family, known: Known, facts: Facts): LiveActor | undefined {
  const actor = bear(family, known, facts);
  if (actor) enter(actor, known.value, known.since, known.context);
  return actor;
}

/** In no state yet. */
const unborn = (kind: ActorKind, path: string) => ({ kind, path, value: '', state: [], since: 0, transitions: [] });

function bear(family: Family, { path, kind, context }: Known, { created_at, recordOf }: Facts): LiveActor | undefined {
  const { thread_id, run } = family;
  if (kind === 'thread') {
    const parent_id = parentOf(context as ThreadContext, recordOf);
    const id = threadActorId(thread_id);
    return { id, run_id: null, agent_id: null, created_at, parent_id, call: null, ...unborn(kind, path) };
  }
  if (kind === 'run') {
    const { run_id, agent_id } = context as RunContext;
    const began = recordOf(runOf(path))?.created_at ?? created_at;
    const parent_id = threadActorId(thread_id);
    return {
      id: runActorId(run_id),
      run_id,
      agent_id,
      created_at: began,
      parent_id,
      call: null,
      ...unborn(kind, path),
    };
  }
  if (!run) return undefined;
  const call = callOf(context as ToolCallContext);
  const { run_id, agent_id, created_at: began } = run;
  const id = callActorId(run_id!, call.id);
  return { id, run_id, agent_id, created_at: began, parent_id: run.id, call, ...unborn(kind, path) };
}

/** The run whose delegated work a thread does, if it does any. */
export function parentOf({ active }: ThreadContext, recordOf: Facts['recordOf']): string | null {
  const run = active && recordOf(Number(active.key));
  return run?.origin === 'subagent' && run.parent_run_id !== null ? runActorId(run.parent_run_id) : null;
}

/** A run before its calls; calls in the model's order (`<run>/<step>.<index>`). */
export const byPlace = (a: Known, b: Known): number => placeOf(a.path) - placeOf(b.path);
const placeOf = (path: string): number => {
  const [, key] = path.split('/');
  if (key === undefined) return -1;
  const [step = 0, index = 0] = key.split('.').map(Number);
  return step * 1e6 + index;
};
