/**
 * Whose turn it is: begins the next queued run of an idle thread (CONTRACT 4.2). Claiming and accepting are one commit
 * with the run's first event, so a crash loses no entry and starts none twice.
 */

import { timeoutOf } from '../../agents/rules/stop-conditions.js';
import type { Agent, AgentRegistry } from '../../agents/types.js';
import type { RunOverrides } from '../engine.js';
import * as keys from '../../store/keys.js';
import type { JsonObject } from '../../json.js';
import type { EntryStatus } from '../records.js';
import { apply, type NextToken } from '../thread/apply.js';
import type { MessageRef, QueuedEntry } from '../thread/cells.js';
import type { Draft } from '../thread/draft.js';
import type { RuntimeLimits } from '../host/limits.js';
import { appendEvent, appendMessage } from '../thread/recorder.js';
import { putRow } from '../thread/rows.js';
import { nextEntryStatus, type EntryEvent } from '../machines/mailbox-entry.js';
import type { RunInput } from '../machines/run.js';
import { mergePatch } from '../merge-patch.js';
import { startMessage, unknownOf } from './messages.js';
import { replacerOf, supersede } from './supersede.js';

export type TurnDeps = {
  tno: number;
  next: NextToken;
  agents: AgentRegistry;
  limits: RuntimeLimits;
  /** The thread's messages from the lowest cursor on up to which a queued entry's were compared (`QueuedEntry.seen`). */
  recent: readonly MessageRef[];
  /** Takes a slot of the process; false: the thread is lined up for one. */
  reserve(agent: Agent, overrides: RunOverrides | undefined): boolean;
};

/** Begins a run if the thread is idle, has a queued entry, and a slot is free; again when that run was replaced already. */
export function takeTurn(draft: Draft, deps: TurnDeps): void {
  for (;;) {
    const [slot] = draft.get('queue') ?? [];
    if (draft.get('a')?.snapshot.value !== 'idle') return;
    takeBack(draft);
    if (!slot) return;
    const entry = draft.get(`q${slot.n}`)!;
    const agent = deps.agents.get(entry.agent_id);
    if (!agent) {
      const reason = `agent not found: ${entry.agent_id}`;
      endEntry(draft, deps, slot.n, 'BURY', reason);
      endUnstarted(draft, entry.rno, 'error', reason);
      continue;
    }
    // A child takes no slot: its parent, which holds one, waits for it.
    if (draft.get(`r${entry.rno}`)!.origin !== 'subagent' && !deps.reserve(agent, draft.get(`x${entry.rno}`))) return;
    endEntry(draft, deps, slot.n, 'ACCEPT');
    const { rno } = entry;
    if (entry.cut) cut(draft, entry.cut);
    rememberPlace(draft);
    for (const message of unknownOf(entry.payload.messages, draft, deps.recent))
      appendMessage(draft, startMessage(message, entry.run_id));
    const { state } = entry.payload;
    if (state) draft.set('state', mergePatch(draft.get('state') ?? {}, state) as JsonObject);
    const { run_id, agent_id, parent_run_id, parent_thread_id, origin } = draft.get(`r${rno}`)!;
    const { max_rounds, max_retries = 2 } = agent;
    const { retry_ms, cancel_ms } = deps.limits;
    const run: RunInput = {
      run_id,
      agent_id,
      parent_run_id,
      parent_thread_id,
      origin,
      mode: draft.get(`x${rno}`)?.tool_execution_mode ?? agent.tool_execution_mode ?? 'parallel_streaming',
      limits: { max_rounds, max_retries, retry_ms, cancel_ms, timeout_ms: timeoutOf(agent.stop_conditions) },
      stop_conditions: agent.stop_conditions,
      state_changed: state !== undefined,
    };
    apply(draft, deps.next, '', { type: 'START', key: String(rno), run });
    const newer = replacerOf(draft, slot.n, entry);
    if (!newer) return;
    supersede(draft, deps.next, newer);
  }
}

/** Cuts the thread. Queued starts that are to cut it behind this place leave fewer messages than when they were accepted. */
function cut(draft: Draft, { from, keeps }: { from: number; keeps: number }): void {
  draft.cutMessages({ from, keeps });
  for (const { n } of draft.get('queue') ?? []) {
    const entry = draft.get(`q${n}`)!;
    if (entry.cut && entry.cut.from > from && entry.cut.keeps > keeps)
      draft.set(`q${n}`, { ...entry, cut: { ...entry.cut, keeps } });
  }
}

/** Where the run that begins finds the thread, in case it is to be taken back. */
function rememberPlace(draft: Draft): void {
  const { next_cursor: from, message_count: keeps } = draft.thread();
  const state = draft.get('state');
  draft.editThread({ undo: state ? { from, keeps, state } : { from, keeps } });
}

/** A run that is to be rolled back has ended: the thread is as that run found it (CONTRACT 1.9). */
function takeBack(draft: Draft): void {
  const { undo } = draft.thread();
  if (!undo?.due) return;
  cut(draft, undo);
  if (undo.state ?? draft.get('state')) draft.set('state', undo.state ?? {});
  draft.editThread({ undo: null });
}

/** Moves a queued entry to an end; it is kept among the ended ones for a day. `ACCEPT` passes through `claimed`. */
export function endEntry(
  draft: Draft,
  { tno }: { tno: number },
  n: number,
  event: EntryEvent,
  last_error: string | null = null,
): QueuedEntry {
  const entry = draft.get(`q${n}`)!;
  const claimed: EntryStatus = event === 'ACCEPT' ? nextEntryStatus(entry.status, 'CLAIM')! : entry.status;
  const status = nextEntryStatus(claimed, event);
  if (!status) throw new Error(`a mailbox entry that is ${entry.status} cannot ${event}`);
  const overrides = status === 'dead_letter' ? draft.get(`x${entry.rno}`) : undefined;
  const ended: QueuedEntry = {
    ...entry,
    ...(overrides ? { overrides } : {}),
    status,
    last_error,
    attempt_count: entry.attempt_count + (event === 'ACCEPT' ? 1 : 0),
    updated_at: draft.at,
  };
  draft.set(`q${n}`, undefined);
  const queue = draft.get('queue')!.filter((slot) => slot.n !== n);
  draft.set('queue', queue);
  draft.editThread({ queued_count: queue.length });
  draft.rows.push(putRow(keys.history(tno, n), ended));
  if (status === 'dead_letter') draft.rows.push(putRow(keys.deadLetter(tno, n), draft.at));
  return ended;
}

/** Writes the whole log of a run whose turn never came, so that whoever watches it sees it end. */
export function endUnstarted(
  draft: Draft,
  rno: number,
  code: 'error' | 'cancelled' | 'superseded',
  detail: string | null,
): void {
  const { agent_id, parent_run_id, parent_thread_id, origin } = draft.get(`r${rno}`)!;
  appendEvent(draft, rno, 'run_start', { agent_id, parent_run_id, parent_thread_id, origin });
  if (code === 'error') appendEvent(draft, rno, 'error', { message: detail ?? '', code: 'not_started' });
  appendEvent(draft, rno, 'run_finish', {
    termination: { code, detail },
    result: null,
    usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
  });
}
