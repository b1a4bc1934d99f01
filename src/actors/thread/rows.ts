/**
 * The rows of a thread: what a draft writes, and what surfaces read without its actors. `load-thread.ts` reads them back.
 *
 * The thread's row holds its facts and its machine; each live run and tool call has a row of its own; final actors have
 * none. A log head is not stored: it follows from the last chunk.
 */

import * as keys from '../../store/keys.js';
import type { Op } from '../../store/port.js';
import type { Reads } from '../../store/reads.js';
import type { LogChunk, StoredEvent } from '../events.js';
import type { MessageRange, ThreadView } from '../engine.js';
import type { ThreadContext } from '../machines/thread.js';
import type { Message, RunRecord } from '../records.js';
import { chunkOp } from '../log/chunks.js';
import type { ActorCell, Cells, Fx, QueuedEntry, ThreadCell } from './cells.js';
import type { Draft } from './draft.js';
import { begin, toRow, type SnapshotRow } from './xstate.js';

/** `since`: when the machine came into its state; rows of threads that have done nothing have none. */
export type ThreadRow = ThreadCell & { actor: SnapshotRow; since?: number };
/** The row of a thread whose machine has not begun anything. */
export const threadRow = (thread: ThreadCell): ThreadRow => ({
  ...thread,
  actor: toRow('thread', begin('thread')[0]),
});
export type ActorRow = SnapshotRow & { fx?: { [id: string]: Fx }; since: number };
export type RunRow = RunRecord & { tno: number };
/** What a run id stands for. `hash` is that of the start's body (CONTRACT 1.10). */
export type RunName = { rno: number; tno: number; hash: string | null };
export type ThreadName = { tno: number };

export const putRow = (key: Buffer, value: unknown): Op => ({ type: 'put', key, value: JSON.stringify(value) });
export const delRow = (key: Buffer): Op => ({ type: 'del', key });

/** A chunk of each run's log for the events of this draft. */
export function chunksOf(draft: Draft): [rno: number, chunk: LogChunk][] {
  return [...draft.logs].map(([rno, { n, enc, events }]) => {
    const t0 = events[0]!.at;
    return [rno, { n, t0, enc, events: events.map((e) => [e.type, e.at - t0, e.data] as unknown as StoredEvent) }];
  });
}

/** Everything the draft changes, as one list of operations. `chunks` are its log chunks (made once, shared with readers). */
export function opsOf(tno: number, draft: Draft, below: Cells, chunks: [number, LogChunk][]): Op[] {
  const ops: Op[] = [...draft.rows];
  if (draft.get('gone')) ops.push(delRow(keys.thread(tno)));
  else if (draft.changed.has('thread') || draft.changed.has('a')) {
    const thread = draft.thread();
    const next = { ...thread, rev: thread.rev + 1 };
    draft.set('thread', next);
    const { snapshot, since } = draft.get('a')!;
    ops.push(putRow(keys.thread(tno), { ...next, actor: toRow('thread', snapshot), since } satisfies ThreadRow));
  }
  for (const [key, value] of draft.changed) {
    switch (key[0]) {
      case 'a':
        if (key !== 'a') ops.push(actorOp(tno, key.slice(1), value as ActorCell | undefined));
        break;
      case 'r':
        ops.push(...runOps(tno, Number(key.slice(1)), value as RunRecord));
        break;
      case 'q':
        if (key !== 'queue') ops.push(queueOp(tno, Number(key.slice(1)), value as QueuedEntry | undefined, below));
        break;
      case 'o': {
        const outboxKey = keys.outbox(tno, Number(key.slice(1)));
        ops.push(value === undefined ? delRow(outboxKey) : putRow(outboxKey, value));
        break;
      }
      case 'x': {
        const overridesKey = keys.overrides(Number(key.slice(1)));
        ops.push(value === undefined ? delRow(overridesKey) : putRow(overridesKey, value));
        break;
      }
      case 'p': {
        const pushKey = keys.push(Number(key.slice(1)));
        ops.push(value === undefined ? delRow(pushKey) : putRow(pushKey, value));
        break;
      }
      case 's':
        ops.push(putRow(keys.state(tno), value));
        break;
    }
  }
  if (draft.cut) for (let c = draft.cut.from; c < draft.cut.to; c++) ops.push(delRow(keys.message(tno, c)));
  for (const message of draft.messages) ops.push(putRow(keys.message(tno, message.cursor), message));
  for (const [rno, chunk] of chunks) ops.push(chunkOp(rno, chunk));
  return ops;
}

/** A run that has ended stands among those whose events are kept, by the time of its end (`retention/`). */
function runOps(tno: number, rno: number, run: RunRecord): Op[] {
  const put = putRow(keys.run(rno), { tno, ...run } satisfies RunRow);
  return run.status === 'done' ? [put, putRow(keys.ended(run.updated_at, rno), tno)] : [put];
}

function actorOp(tno: number, path: string, cell: ActorCell | undefined): Op {
  const key = keys.actor(tno, path);
  if (!cell) return delRow(key);
  const row: ActorRow = { ...toRow(cell.kind, cell.snapshot), since: cell.since };
  if (Object.keys(cell.fx).length > 0) row.fx = cell.fx;
  return putRow(key, row);
}

/** A queued entry's key holds its priority, which a deleted one is asked for below. */
function queueOp(tno: number, n: number, entry: QueuedEntry | undefined, below: Cells): Op {
  if (entry) return putRow(keys.queued(tno, entry.priority, n), entry);
  const priority = below.get(`q${n}`)?.priority ?? 0;
  return delRow(keys.queued(tno, priority, n));
}

/** Messages of a thread: those with cursors strictly between the bounds that pass the filters, at most `limit`. */
export async function loadMessages(store: Reads, tno: number, range: MessageRange = {}): Promise<Message[]> {
  const { after = -1, before, order = 'asc', limit = Infinity, run_id, visibility } = range;
  const messages: Message[] = [];
  if (limit <= 0) return messages;
  const filtered = run_id !== undefined || visibility !== undefined;
  const rows = { ...keys.messagesOf(tno, after, before), reverse: order === 'desc' };
  for await (const [, value] of store.range(filtered || limit === Infinity ? rows : { ...rows, limit })) {
    const message = JSON.parse(value) as Message;
    if (run_id !== undefined && message.run_id !== run_id) continue;
    if (visibility !== undefined && (message.visibility ?? 'public') !== visibility) continue;
    if (messages.push(message) >= limit) break;
  }
  return messages;
}

/** A thread as the surfaces need it, without reading its actors. */
export async function loadThreadView(store: Reads, tno: number): Promise<ThreadView | undefined> {
  const stored = await store.get(keys.thread(tno));
  if (stored === undefined) return undefined;
  return viewOf(JSON.parse(stored) as ThreadRow);
}

/** The row as the surfaces see it: its machine's state is the thread's status. */
export function viewOf({ actor, ...thread }: ThreadRow): ThreadView {
  const { generation, active } = actor.context as ThreadContext;
  return {
    thread_id: thread.thread_id,
    status: actor.value as ThreadView['status'],
    active_run_id: active?.run_id ?? null,
    generation,
    resource_id: thread.resource_id,
    parent_thread_id: thread.parent_thread_id,
    title: thread.title,
    metadata: thread.metadata,
    message_count: thread.message_count,
    next_cursor: thread.next_cursor,
    queued_count: thread.queued_count,
    created_at: thread.created_at,
    updated_at: thread.updated_at,
  };
}
