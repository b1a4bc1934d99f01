/** What the feed says of a step: its transitions in order, then who has ended, then what else has changed. */

import { redactText } from '../../redact.js';
import type { EventData } from '../events.js';
import type { FeedEntry, StateValue } from '../inspection.js';
import type { Cells } from '../thread/cells.js';
import { itemOf, runActorId, threadActorId, type Family } from './actor.js';
import type { CommittedStep, Followed, Move } from './follow.js';

/** Pushes the entries of one durable step, in order. `now`: unix milliseconds. */
export function tell(push: (entry: FeedEntry) => void, followed: Followed, step: CommittedStep, now: number): void {
  const { family, moves, deeper, left } = followed;
  const { thread_id, queued } = family;
  for (const move of moves) push(transitionOf(family, move));
  const changed = changedRun(followed);
  if (changed) push(changed);
  tellEnds(push, followed, step, now);
  if (left) push({ ...ended(family, now), id: threadActorId(thread_id), kind: 'thread', run_id: null, outcome: left });
  if (deeper) push({ type: 'queued', at: now, thread_id, queued });
}

/** The actor as it was then, with what is known of its calls after the step. */
function transitionOf(family: Family, { actor, mark, from, to }: Move): FeedEntry {
  const item = itemOf(actor, family, 'live');
  item.value = mark.cell.snapshot.value as StateValue;
  item.path = to;
  item.since = mark.cell.since;
  return { type: 'transition', at: mark.at, actor: item, event: mark.event, from, to };
}

/** A call has moved and its run has not: what the run works on or waits for may be another thing. */
function changedRun({ family, moves }: Followed): FeedEntry | undefined {
  const { run } = family;
  const last = moves.findLast(({ actor }) => actor.kind === 'tool_call');
  if (!run || !last || moves.some(({ actor }) => actor === run)) return undefined;
  return { type: 'changed', at: last.mark.at, actor: itemOf(run, family, 'live') };
}

/** Calls, and runs: also those whose turn never came, which were no actors. */
function tellEnds(
  push: (entry: FeedEntry) => void,
  { family, endedCalls }: Followed,
  { chunks, cells }: CommittedStep,
  now: number,
): void {
  const base = ended(family, now);
  for (const { id, path, run_id, agent_id, call } of endedCalls) {
    const end = endOfCall(chunks, Number(path.split('/', 1)[0]), call!.id);
    push({ ...base, id, kind: 'tool_call', run_id, agent_id, ...end });
  }
  for (const [rno, { events }] of chunks) {
    const [type, , data] = events.at(-1)!;
    if (type === 'run_finish') push({ ...base, ...runOf(cells, rno), ...endOfRun(data) });
  }
}

type Ended = Extract<FeedEntry, { type: 'ended' }>;

const ended = ({ thread_id }: Family, at: number): Omit<Ended, 'id' | 'kind' | 'run_id' | 'outcome'> => ({
  type: 'ended',
  at,
  thread_id,
  agent_id: null,
  detail: null,
});

function runOf(cells: Cells, rno: number): Pick<Ended, 'id' | 'kind' | 'run_id' | 'agent_id'> {
  const { run_id, agent_id } = cells.get(`r${rno}`)!;
  return { id: runActorId(run_id), kind: 'run', run_id, agent_id };
}

const endOfRun = ({ termination }: EventData['run_finish']): Pick<Ended, 'outcome' | 'detail'> => ({
  outcome: termination.code,
  detail: shown(termination.detail),
});

function endOfCall(chunks: CommittedStep['chunks'], rno: number, call_id: string): Pick<Ended, 'outcome' | 'detail'> {
  for (const [run, { events }] of chunks) {
    if (run !== rno) continue;
    for (const [type, , data] of events)
      if (type === 'tool_call_done' && data.id === call_id)
        return { outcome: data.outcome, detail: 'error' in data ? shown(data.error) : null };
  }
  return { outcome: 'cancelled', detail: null };
}

const DETAIL_CHARS = 500;
const shown = (text: string | null): string | null => text && redactText(text).slice(0, DETAIL_CHARS);
