/**
 * One actor in full: what it knows, what it reacts to, what it waits for, how it came where it is (CONTRACT 9.1).
 *
 * The state is that of the last commit, from memory or from the store. A thread that is idle and a run that is queued or
 * done are no live actors: they are shown as their records have them, without a context.
 */

import { redact } from '../../redact.js';
import type { JsonValue } from '../../json.js';
import * as keys from '../../store/keys.js';
import type { Reads } from '../../store/reads.js';
import type { ThreadView } from '../engine.js';
import { runOf } from '../thread/apply.js';
import type { ActorCell, Fx } from '../thread/cells.js';
import type { ActorRow, RunRow, ThreadRow } from '../thread/rows.js';
import { lateOutcomesOf } from '../host/late-outcomes.js';
import type { ActorDetail, ActorItem, LateOutcome, StateValue } from '../inspection.js';
import { catalogue, machineOf } from '../machines/catalogue.js';
import { enabledEvents, pathOf } from '../machines/definition.js';
import type { ActorKind } from '../machines/index.js';
import type { RunRecord } from '../records.js';
import { itemOf, runActorId, threadActorId, type Family, type LiveActor } from './actor.js';
import type { Member } from './live-index.js';

export type DetailPort = {
  store: Reads;
  /** The actor's cell, when its thread is in memory, and whether an effect is under way. */
  hot(tno: number, path: string): { cell: ActorCell; runs(token: number): boolean } | undefined;
  isHot(tno: number): boolean;
  locate(run_id: string): Promise<{ rno: number; record: RunRecord } | undefined>;
  thread(thread_id: string): Promise<ThreadView | undefined>;
};

/** A live actor. Undefined when it has ended meanwhile. */
export async function detailOf(port: DetailPort, { actor, family }: Member): Promise<ActorDetail | undefined> {
  const item = itemOf(actor, family, port.isHot(family.tno) ? 'live' : 'passivated');
  const hot = port.hot(family.tno, actor.path);
  const rest = hot
    ? { value: hot.cell.snapshot.value as StateValue, context: hot.cell.snapshot.context as JsonValue, fx: hot.cell.fx }
    : await restOf(port.store, family, actor);
  if (!rest) return undefined;
  const effects = Object.entries(rest.fx);
  return {
    ...item,
    value: rest.value,
    path: pathOf(rest.value),
    context: redact(rest.context),
    ...machineFacts(actor.kind, rest.value),
    deadlines: effects.flatMap(([id, { src, due }]) => (due === undefined ? [] : [{ id, src, due }])),
    effects: effects.map(([id, { src, token, due }]) => ({
      id,
      src,
      state: due === undefined && hot?.runs(token) ? 'running' : 'waiting',
    })),
    transitions: [...actor.transitions],
    late_outcomes: await lateOutcomesOfActor(port.store, actor),
    ...(await relatives(port, actor, family)),
  };
}

/** A run that is not live: its turn has not come, or it has ended. */
export async function recordedRun(port: DetailPort, run_id: string): Promise<ActorDetail | undefined> {
  const found = await port.locate(run_id);
  if (!found) return undefined;
  const { rno, record } = found;
  const { thread_id, agent_id, status, updated_at, created_at, parent_run_id } = record;
  const value = status === 'done' ? 'done' : 'queued';
  const item = at('run', runActorId(run_id), value, { thread_id, since: updated_at, created_at });
  const children = await childrenOf(port.store, rno);
  const late_outcomes = await lateOutcomesOf(port.store, rno);
  return { ...item, parent_id: threadActorId(thread_id), run_id, agent_id, late_outcomes, parent_run_id, children };
}

/** A thread that is not live. */
export async function recordedThread(port: DetailPort, thread_id: string): Promise<ActorDetail | undefined> {
  const thread = await port.thread(thread_id);
  if (!thread) return undefined;
  const { status, updated_at, created_at, queued_count } = thread;
  const item = at('thread', threadActorId(thread_id), status, { thread_id, since: updated_at, created_at });
  return { ...item, queued: queued_count };
}

const machineFacts = (kind: ActorKind, value: StateValue): Pick<ActorDetail, 'machine_version' | 'enabled_events'> => {
  const { version, definition } = catalogue[machineOf[kind]];
  return { machine_version: version, enabled_events: enabledEvents(definition, value) };
};

/** An actor of which only the record is left. */
function at(
  kind: ActorKind,
  id: string,
  value: string,
  { thread_id, since, created_at }: Pick<ActorItem, 'thread_id' | 'since' | 'created_at'>,
): ActorDetail {
  return {
    id,
    kind,
    machine: machineOf[kind],
    value,
    path: [value],
    since,
    parent_id: null,
    thread_id,
    run_id: null,
    agent_id: null,
    queued: 0,
    memory: 'passivated',
    tool: null,
    waiting_for: null,
    created_at,
    context: null,
    ...machineFacts(kind, value),
    deadlines: [],
    effects: [],
    transitions: [],
    late_outcomes: [],
    parent_run_id: null,
    children: [],
  };
}

type AtRest = { value: StateValue; context: JsonValue; fx: { [id: string]: Fx } };

/** The actor's row, of a thread that is not in memory. */
async function restOf(store: Reads, { tno }: Family, { kind, path }: LiveActor): Promise<AtRest | undefined> {
  const stored = await store.get(kind === 'thread' ? keys.thread(tno) : keys.actor(tno, path));
  if (stored === undefined) return undefined;
  const row = JSON.parse(stored) as ThreadRow | ActorRow;
  const { value, context } = 'actor' in row ? row.actor : row;
  return { value: value as StateValue, context, fx: 'fx' in row ? (row.fx ?? {}) : {} };
}

function lateOutcomesOfActor(store: Reads, { kind, id, run_id, path }: LiveActor): Promise<LateOutcome[]> {
  switch (kind) {
    case 'thread':
      return Promise.resolve([]);
    case 'run':
      return lateOutcomesOf(store, runOf(path));
    case 'tool_call':
      return lateOutcomesOf(store, runOf(path), id.slice(`tool_call:${run_id}:`.length));
  }
}

async function relatives(
  port: DetailPort,
  { kind, run_id, path, parent_id }: LiveActor,
  { run }: Family,
): Promise<Pick<ActorDetail, 'parent_run_id' | 'children'>> {
  switch (kind) {
    case 'thread':
      return { parent_run_id: parent_id?.slice('run:'.length) ?? null, children: run ? [run.run_id!] : [] };
    case 'run': {
      const parent_run_id = (await port.locate(run_id!))?.record.parent_run_id ?? null;
      return { parent_run_id, children: await childrenOf(port.store, Number(path)) };
    }
    case 'tool_call':
      return { parent_run_id: null, children: [] };
  }
}

/** Children shown of one run. */
const MAX_CHILDREN = 200;

async function childrenOf(store: Reads, rno: number): Promise<string[]> {
  const children: number[] = [];
  for await (const [key] of store.range({ ...keys.runsOfParent(rno), limit: MAX_CHILDREN }))
    children.push(keys.indexedOf(key));
  const rows = await store.getMany(children.map(keys.run));
  return rows.flatMap((row) => (row === undefined ? [] : [(JSON.parse(row) as RunRow).run_id]));
}
