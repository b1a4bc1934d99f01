/**
 * A start: the entry goes into the mailbox, the run's record exists from this commit on (CONTRACT 1.3, 4.2). Whether it
 * begins at once is the turn's business (`turn.ts`), which follows in the same commit.
 */

import { entryIdFor } from '../entry-id.js';
import { AgentServerError, ErrorCode, threadNotFound } from '../../errors.js';
import * as keys from '../../store/keys.js';
import type { Op } from '../../store/port.js';
import type { StartRequest } from '../engine.js';
import type { OnBusy } from '../../agents/types.js';
import type { RunRecord } from '../records.js';
import type { NextToken } from '../thread/apply.js';
import { newThread, type QueuedEntry, type QueueSlot } from '../thread/cells.js';
import type { Draft } from '../thread/draft.js';
import { putRow, type RunName, type ThreadName } from '../thread/rows.js';
import type { ThreadContext } from '../machines/thread.js';
import { appliedTo, applyDecisions } from './decide.js';
import { Overtaken } from './messages.js';
import { activeOf, supersede } from './supersede.js';

export type StartDeps = {
  tno: number;
  thread_id: string;
  rno: number;
  run_id: string;
  on_busy: OnBusy;
  /** Hash of the start's body, for a later start with the same id. */
  hash: string | null;
  next: NextToken;
  max_entries: number;
  /** The ordinal of the parent run, when there is one. */
  parent_rno?: number;
  /** Cursor up to which its messages were compared with the thread's; undefined when none has an id. */
  seen?: number;
  /** Where the start cuts the thread (`StartRequest.rewind`, looked up). */
  cut?: QueuedEntry['cut'];
  /** Writes that must be durable no later than these ordinals are used. */
  ordinalOps: Op[];
};

const DEFAULT_PRIORITY = 128;

export type Accepted =
  | { is: 'new' }
  /** The decisions resumed the active run; if there are new messages, the start's own run waits behind it. */
  | { is: 'resumed'; run_id: string; after: number; follows: boolean }
  /** The decisions were applied before: nothing is changed. */
  | { is: 'repeated'; run_id: string };

/**
 * Accepts the start, or throws `conflict` (busy and `reject`; another resource), `too_many` (mailbox full), or `Overtaken`
 * when the thread has got messages since it was looked at.
 */
export function acceptStart(draft: Draft, request: StartRequest, deps: StartDeps): Accepted {
  const { decisions = [], messages, confined_to, state, ...rest } = request;
  Overtaken.check(draft, deps.seen);
  if (confined_to !== undefined && draft.get('thread') && draft.thread().resource_id !== confined_to)
    throw threadNotFound(deps.thread_id);
  if (decisions.length > 0 && draft.get('thread')) {
    const active = activeOf(draft);
    const after = active ? (draft.get(`l${Number(active.key)}`)?.seq ?? 0) - 1 : -1;
    if (active && applyDecisions(draft, decisions, deps, state)) {
      const follows = messages.length > 0;
      if (follows) enqueueRun(draft, { ...rest, messages }, { ...deps, on_busy: 'enqueue' });
      return { is: 'resumed', run_id: active.run_id, after, follows };
    }
    const [earlier] = appliedTo(draft, decisions);
    if (earlier !== undefined && messages.length === 0) return { is: 'repeated', run_id: earlier };
  }
  enqueueRun(draft, request, deps);
  return { is: 'new' };
}

function enqueueRun(draft: Draft, request: StartRequest, deps: StartDeps): void {
  const { tno, rno, run_id, thread_id } = deps;
  if (!draft.get('thread')) createThread(draft, request, deps);
  const thread = draft.thread();
  const queue = draft.get('queue') ?? [];
  const active = activeOf(draft);
  const { on_busy } = deps;
  if (thread.resource_id !== null && request.resource_id !== undefined && request.resource_id !== thread.resource_id)
    throw new AgentServerError(ErrorCode.conflict, `thread ${thread_id} belongs to another resource`);
  if (queue.length >= deps.max_entries)
    throw new AgentServerError(ErrorCode.tooMany, `the mailbox of thread ${thread_id} is full`);
  if (on_busy === 'reject' && (active || queue.length > 0))
    throw new AgentServerError(
      ErrorCode.conflict,
      `thread is busy: ${active?.run_id ?? draft.get(`q${queue[0]!.n}`)!.run_id}`,
    );

  const n = thread.next_entry;
  const entry = newEntry(draft, request, deps);
  draft.set(`r${rno}`, newRun(draft, request, deps, entry.entry_id));
  const { notify, overrides, push } = request;
  if (push) draft.set(`p${rno}`, [push]);
  if (overrides || notify) draft.set(`x${rno}`, { ...overrides, ...(notify ? { notify } : {}) });
  draft.set(`q${n}`, entry);
  draft.set('queue', enqueue(queue, { n, priority: entry.priority }));
  draft.editThread({
    next_entry: n + 1,
    queued_count: queue.length + 1,
    resource_id: thread.resource_id ?? request.resource_id ?? null,
  });
  draft.rows.push(
    ...deps.ordinalOps,
    putRow(keys.runName(run_id), { rno, tno, hash: deps.hash } satisfies RunName),
    putRow(keys.runOfThread(tno, rno), 0),
    ...(deps.parent_rno === undefined ? [] : [putRow(keys.runOfParent(deps.parent_rno, rno), 0)]),
  );
  const { replaces } = entry;
  if (replaces) supersede(draft, deps.next, { run_id, replaces });
}

/** Whether the start replaces what is active. One that cuts the thread does, whatever it says about busy threads. */
const replacesOf = ({ on_busy, cut }: StartDeps): QueuedEntry['replaces'] =>
  on_busy === 'rollback' ? 'rollback' : on_busy === 'interrupt' || cut ? 'interrupt' : undefined;

function createThread(draft: Draft, request: StartRequest, { tno, thread_id }: StartDeps): void {
  const { resource_id = null, parent_thread_id = null } = request;
  draft.set('thread', newThread({ thread_id, resource_id, parent_thread_id, at: draft.at }));
  draft.rows.push(putRow(keys.threadName(thread_id), { tno } satisfies ThreadName));
}

const newEntry = (draft: Draft, request: StartRequest, deps: StartDeps): QueuedEntry => ({
  rno: deps.rno,
  ...(deps.seen === undefined ? {} : { seen: deps.seen }),
  ...(deps.cut ? { cut: deps.cut } : {}),
  ...(replacesOf(deps) ? { replaces: replacesOf(deps)! } : {}),
  entry_id: entryIdFor(deps.rno),
  thread_id: deps.thread_id,
  run_id: deps.run_id,
  agent_id: request.agent_id,
  origin: request.origin === 'internal' || request.origin === 'subagent' ? 'internal' : 'external',
  sender_id: null,
  priority: request.priority ?? DEFAULT_PRIORITY,
  dedupe_key: null,
  generation: (draft.get('a')!.snapshot.context as ThreadContext).generation,
  status: 'queued',
  available_at: draft.at,
  attempt_count: 0,
  last_error: null,
  payload: { messages: request.messages, ...(request.state ? { state: request.state } : {}) },
  created_at: draft.at,
  updated_at: draft.at,
});

const newRun = (draft: Draft, request: StartRequest, deps: StartDeps, entry_id: string): RunRecord => ({
  run_id: deps.run_id,
  thread_id: deps.thread_id,
  agent_id: request.agent_id,
  parent_run_id: request.parent_run_id ?? null,
  parent_thread_id: request.parent_thread_id ?? null,
  origin: request.origin,
  status: 'waiting',
  termination_code: 'queued',
  termination_detail: null,
  created_at: draft.at,
  updated_at: draft.at,
  metadata: request.metadata ?? null,
  input_tokens: 0,
  output_tokens: 0,
  source_mailbox_entry_id: entry_id,
  resource_id: request.resource_id ?? draft.thread().resource_id,
});

/** Keeps the order of turns: priority from high to low, then arrival. */
function enqueue(queue: readonly QueueSlot[], slot: QueueSlot): QueueSlot[] {
  const at = queue.findIndex((other) => other.priority < slot.priority);
  return at < 0 ? [...queue, slot] : [...queue.slice(0, at), slot, ...queue.slice(at)];
}
