/**
 * Cells and store rows: what a draft writes, and how a thread is read back.
 *
 * The thread's row holds its facts and its machine; each live run and tool call has a row of its own; final actors have
 * none. A log head is not stored: it is the last chunk, folded.
 */

import * as keys from '../../store/keys.js';
import type { Op } from '../../store/port.js';
import type { Reads } from '../../store/reads.js';
import { advance, type LogChunk, type StoredEvent } from '../events.js';
import type { MessageRange, ThreadView } from '../engine.js';
import type { ThreadContext } from '../machines/thread.js';
import type { PushConfig } from '../push/types.js';
import type { Message, RunRecord } from '../records.js';
import type { JsonObject } from '../../json.js';
import { cellKey, runOf } from './apply.js';
import { chunkOp, loadLastChunk } from './chunks.js';
import {
  Cells,
  type ActorCell,
  type CellKey,
  type Draft,
  type Fx,
  type LogHead,
  type MessageRef,
  type OpenRun,
  type OutboxCell,
  type QueuedEntry,
  type QueueSlot,
  type ThreadCell,
} from './draft.js';
import type { Remains } from './force-end.js';
import { begin, fromRow, toRow, UnreadableSnapshot, type SnapshotRow } from './xstate.js';

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

export type LoadedThread = {
  cells: Cells;
  /** The messages that what is queued was not compared with. */
  recent: MessageRef[];
  /** Highest effect token in use. */
  token: number;
  /** Runs of which this build cannot read every row, with the reason: they must end, and have no cells here. */
  unreadable: Map<number, Remains & { reason: string }>;
};

/** Reads a thread's cells, or undefined when there is no such thread. */
export async function loadThread(store: Reads, tno: number): Promise<LoadedThread | undefined> {
  const [stored, state] = await store.getMany([keys.thread(tno), keys.state(tno)]);
  if (stored === undefined) return undefined;
  const cells = new Cells();
  const unreadable: LoadedThread['unreadable'] = new Map();
  const remains = new Map<number, Remains>();
  let token = 0;

  const { actor, since: stands, ...thread } = JSON.parse(stored) as ThreadRow;
  const since = stands ?? thread.updated_at;
  cells.values.set('thread', thread);
  const runs = new Set<number>();
  let foreign: string | null = null;
  try {
    cells.values.set('a', { ...fromRow(actor), fx: {}, since } satisfies ActorCell);
  } catch (error) {
    if (!(error instanceof UnreadableSnapshot)) throw error;
    foreign = error.message;
    const cell: ActorCell = { kind: 'thread', snapshot: begin('thread')[0], fx: {}, since };
    cells.values.set('a', cell);
  }
  for await (const [key, value] of store.range(keys.actorsOf(tno))) {
    const { path } = keys.parseActor(key);
    const { fx = {}, since: entered, ...row } = JSON.parse(value) as ActorRow;
    const rno = runOf(path);
    runs.add(rno);
    addTo(remains, rno, path, row);
    try {
      cells.values.set(cellKey(path), { ...fromRow(row), fx, since: entered } satisfies ActorCell);
    } catch (error) {
      if (!(error instanceof UnreadableSnapshot)) throw error;
      unreadable.set(rno, { reason: error.message, ...remains.get(rno)! });
    }
    for (const { token: used } of Object.values(fx)) token = Math.max(token, used);
  }

  if (foreign !== null) for (const rno of runs) unreadable.set(rno, { reason: foreign, ...remains.get(rno)! });
  for (const { paths } of unreadable.values()) for (const path of paths) cells.values.delete(cellKey(path));

  const slots: QueueSlot[] = [];
  for await (const [key, value] of store.range(keys.queuedOf(tno))) {
    const { n, priority } = keys.parseQueued(key);
    const entry = JSON.parse(value) as QueuedEntry;
    slots.push({ n, priority });
    cells.values.set(`q${n}` satisfies CellKey, entry);
    runs.add(entry.rno);
  }
  if (slots.length > 0) cells.values.set('queue', slots);

  if (thread.next_outbox > 0)
    for await (const [key, value] of store.range(keys.outboxOf(tno)))
      cells.values.set(`o${keys.parsePair(key)[1]}` satisfies CellKey, JSON.parse(value) as OutboxCell);

  if (state !== undefined) cells.values.set('state', JSON.parse(state) as JsonObject);

  // All rows at once: recovery reads ten thousand threads, and what each read costs is the way to the store and back.
  const families = [keys.run, keys.overrides, keys.push] as const;
  const found = await store.getMany([...runs].flatMap((rno) => families.map((key) => key(rno))));
  for (const [i, rno] of [...runs].entries()) {
    const [row, overrides, push] = found.slice(i * families.length, (i + 1) * families.length);
    if (row === undefined) continue;
    const { tno: _, ...record } = JSON.parse(row) as RunRow;
    cells.values.set(`r${rno}` satisfies CellKey, record);
    if (overrides !== undefined) cells.values.set(`x${rno}` satisfies CellKey, JSON.parse(overrides) as OpenRun);
    if (push !== undefined) cells.values.set(`p${rno}` satisfies CellKey, JSON.parse(push) as PushConfig[]);
    // A run that is queued has no log yet.
    if (remains.has(rno)) cells.values.set(`l${rno}` satisfies CellKey, await loadHead(store, rno));
  }
  const floor = comparedUpTo(cells);
  const recent = floor < thread.next_cursor ? await loadMessages(store, tno, { after: floor - 1 }) : [];
  return { cells, recent: recent.map(({ id, cursor }) => ({ id, cursor })), token, unreadable };
}

/** The lowest cursor up to which the messages of queued entries were compared; infinite when none of them has an id. */
export function comparedUpTo(cells: Cells): number {
  let floor = Infinity;
  for (const { n } of cells.get('queue') ?? []) {
    const { payload, seen = 0 } = cells.get(`q${n}`)!;
    if (seen < floor && payload.messages.some(({ id }) => id !== undefined)) floor = seen;
  }
  return floor;
}

/** Notes a row of a run, and the call it speaks of if it is one of a call: read without its machine. */
function addTo(all: Map<number, Remains>, rno: number, path: string, { context }: SnapshotRow): void {
  const remains = all.get(rno) ?? { paths: [], calls: [] };
  all.set(rno, remains);
  remains.paths.push(path);
  const { plan } = (context ?? {}) as { plan?: { id?: unknown; name?: unknown } };
  if (typeof plan?.id === 'string' && typeof plan.name === 'string')
    remains.calls.push({ id: plan.id, name: plan.name });
}

/** The head after the last stored chunk. The partial text is void: whoever streamed it is gone. */
async function loadHead(store: Reads, rno: number): Promise<LogHead | undefined> {
  const last = await loadLastChunk(store, rno);
  if (!last) return undefined;
  return {
    seq: last.n + last.events.length,
    enc: last.events.reduce((enc, event) => advance(enc, event), last.enc),
    partial: '',
  };
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
