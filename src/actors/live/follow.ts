/** Takes what a durable step did into the index, and says what of it operators are to be told. */

import type { ActorCell, Cells } from '../thread/cells.js';
import type { TransitionMark } from '../thread/draft.js';
import type { StateValue } from '../inspection.js';
import { pathOf } from '../machines/definition.js';
import type { ThreadContext } from '../machines/thread.js';
import type { LogChunk } from '../events.js';
import type { RunRecord } from '../records.js';
import { enter, membersOf, newFamily, note, type Family, type LiveActor } from './actor.js';
import { actorOf, byPlace, parentOf, type Facts, type Known } from './build.js';
import type { LiveIndex } from './live-index.js';

/** Where an actor comes from that was not there. */
const NOWHERE: string[] = [];

/** What a step that is durable has done. `cells`: as they are now, those of ended runs included. */
export type CommittedStep = {
  tno: number;
  thread_id: string;
  cells: Cells;
  changed: ReadonlyMap<string, unknown>;
  transitions: readonly TransitionMark[];
  chunks: readonly [rno: number, chunk: LogChunk][];
};

/** A transition of an actor, as it was told by the step. */
export type Move = { actor: LiveActor; mark: TransitionMark; from: string[]; to: string[] };

export type Followed = {
  family: Family;
  moves: Move[];
  /** Tool calls that are over. */
  endedCalls: LiveActor[];
  /** The depth of the mailbox is another one. */
  deeper: boolean;
  /** The thread was live and is not any more. */
  left: 'idle' | 'deleted' | null;
};

/** @param watched whether anybody is to be told of the moves. */
export function follow(index: LiveIndex, step: CommittedStep, watched: boolean): Followed {
  const { cells, changed, transitions } = step;
  const facts = factsOf(cells);
  const family = index.family(step.tno) ?? meet(index, step, facts);
  let wasLive = family.thread !== null;
  const endedCalls: LiveActor[] = [];
  const end = (actor: LiveActor): void => {
    index.remove(family, actor);
    if (actor.kind === 'tool_call') endedCalls.push(actor);
  };

  const moves: Move[] = [];
  for (const mark of transitions) {
    const from = mark.from === undefined ? NOWHERE : pathOf(mark.from as StateValue);
    const actor = move(index, family, mark, from, facts);
    if (!actor) continue;
    if (watched) moves.push({ actor, mark, from, to: actor.state });
    if (mark.cell.snapshot.status === 'done') end(actor);
    if (actor.kind === 'thread') wasLive = true;
  }
  // What the host ended over a machine's head has no transition.
  for (const actor of [...membersOf(family)]) {
    const key = `a${actor.path}`;
    if (changed.has(key) && changed.get(key) === undefined) end(actor);
  }
  handOver(family, changed);

  const queued = cells.get('thread')?.queued_count ?? 0;
  const deeper = queued !== family.queued;
  family.queued = queued;
  const stays = settle(index, family, cells, facts);
  return { family, moves, endedCalls, deeper, left: stays || !wasLive ? null : cells.get('a') ? 'idle' : 'deleted' };
}

/** A thread that is not in the index: a new or an idle one, or one whose seed was still to be planted. */
function meet(index: LiveIndex, { tno, thread_id, cells }: CommittedStep, facts: Facts): Family {
  const family = newFamily(tno, thread_id);
  const known: Known[] = [];
  for (const [key, cell] of cells.values)
    if (key[0] === 'a' && key !== 'a') known.push(knownOf(key.slice(1), cell as ActorCell));
  for (const one of known.sort(byPlace)) {
    const actor = actorOf(family, one, facts);
    if (actor) index.add(family, actor);
  }
  return family;
}

function move(
  index: LiveIndex,
  family: Family,
  mark: TransitionMark,
  from: string[],
  facts: Facts,
): LiveActor | undefined {
  const { path, at, event, cell } = mark;
  const { value, context } = cell.snapshot as { value: StateValue; context: unknown };
  const known = memberAt(family, path);
  const actor = known ?? actorOf(family, knownOf(path, cell), facts);
  if (!actor) return undefined;
  if (known) enter(actor, value, cell.since, context);
  else index.add(family, actor);
  if (actor.kind === 'thread') actor.parent_id = parentOf(context as ThreadContext, facts.recordOf);
  note(actor, { at, event, from, to: actor.state });
  return actor;
}

/** Keeps a thread that is live, with an actor of its own; of another one nothing. Says which it is. */
function settle(index: LiveIndex, family: Family, cells: Cells, facts: Facts): boolean {
  const cell = cells.get('a');
  if (!cell || (cell.snapshot.value === 'idle' && family.queued === 0)) {
    index.drop(family);
    return false;
  }
  index.keep(family);
  if (!family.thread) index.add(family, actorOf(family, knownOf('', cell), facts)!);
  return true;
}

/** A run may go on as another agent. */
function handOver({ run, calls }: Family, changed: CommittedStep['changed']): void {
  const record = run && (changed.get(`r${run.path}`) as RunRecord | undefined);
  if (!record || record.agent_id === run.agent_id) return;
  run.agent_id = record.agent_id;
  for (const call of calls.values()) call.agent_id = record.agent_id;
}

const memberAt = ({ thread, run, calls }: Family, path: string): LiveActor | undefined =>
  path === '' ? (thread ?? undefined) : run?.path === path ? run : calls.get(path);

const knownOf = (path: string, { kind, snapshot, since }: ActorCell): Known => ({
  path,
  kind,
  value: snapshot.value as StateValue,
  since,
  context: snapshot.context,
});

const factsOf = (cells: Cells): Facts => ({
  created_at: cells.get('thread')?.created_at ?? 0,
  recordOf: (rno) => cells.get(`r${rno}`),
});
