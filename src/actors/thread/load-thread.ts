/**
 * Reads a thread back into cells, as `rows.ts` has written it: at the first touch after a start or after it left memory.
 *
 * A row that this build cannot read costs its run, never the thread: the run is named in `unreadable`, and has no actors
 * among the cells.
 */

import type { JsonObject } from '../../json.js';
import * as keys from '../../store/keys.js';
import type { Reads } from '../../store/reads.js';
import { advance } from '../events.js';
import type { PushConfig } from '../push/types.js';
import { cellKey, runOf } from './apply.js';
import { loadLastChunk } from '../log/chunks.js';
import {
  Cells,
  type ActorCell,
  type CellKey,
  type LogHead,
  type MessageRef,
  type OpenRun,
  type OutboxCell,
  type QueuedEntry,
  type QueueSlot,
} from './cells.js';
import type { Remains } from './force-end.js';
import { loadMessages, type ActorRow, type RunRow, type ThreadRow } from './rows.js';
import { begin, fromRow, UnreadableSnapshot, type SnapshotRow } from './xstate.js';

type LoadedActors = {
  /** Of every run that has rows of actors. */
  remains: Map<number, Remains>;
  /** Runs of which this build cannot read every row, with the reason: they must end, and have no actors here. */
  unreadable: Map<number, Remains & { reason: string }>;
  /** Highest effect token in use. */
  token: number;
};

type LoadedThread = Pick<LoadedActors, 'unreadable' | 'token'> & {
  cells: Cells;
  /** The messages that what is queued was not compared with. */
  recent: MessageRef[];
};

/** Reads a thread's cells, or undefined when there is no such thread. */
export async function loadThread(store: Reads, tno: number): Promise<LoadedThread | undefined> {
  const [stored, state] = await store.getMany([keys.thread(tno), keys.state(tno)]);
  if (stored === undefined) return undefined;
  const cells = new Cells();
  const row = JSON.parse(stored) as ThreadRow;
  const foreign = putThread(cells, row);
  const { remains, unreadable, token } = await loadActors(store, tno, cells, foreign);
  const queued = await loadQueue(store, tno, cells);
  if (row.next_outbox > 0) await loadOutbox(store, tno, cells);
  if (state !== undefined) cells.values.set('state', JSON.parse(state) as JsonObject);
  await loadRuns(store, cells, [...new Set([...remains.keys(), ...queued])], remains);
  const floor = comparedUpTo(cells);
  const recent = floor < row.next_cursor ? await loadMessages(store, tno, { after: floor - 1 }) : [];
  return { cells, recent: recent.map(({ id, cursor }) => ({ id, cursor })), token, unreadable };
}

/** The thread's facts and its machine; one that cannot be read begins anew. Says why it cannot. */
function putThread(cells: Cells, { actor, since: stands, ...thread }: ThreadRow): string | null {
  const since = stands ?? thread.updated_at;
  cells.values.set('thread', thread);
  try {
    cells.values.set('a', { ...fromRow(actor), fx: {}, since } satisfies ActorCell);
    return null;
  } catch (error) {
    if (!(error instanceof UnreadableSnapshot)) throw error;
    const cell: ActorCell = { kind: 'thread', snapshot: begin('thread')[0], fx: {}, since };
    cells.values.set('a', cell);
    return error.message;
  }
}

/** @param foreign why the thread's machine cannot be read: then no run of it can go on. */
async function loadActors(store: Reads, tno: number, cells: Cells, foreign: string | null): Promise<LoadedActors> {
  const unreadable: LoadedActors['unreadable'] = new Map();
  const remains: LoadedActors['remains'] = new Map();
  let token = 0;
  for await (const [key, value] of store.range(keys.actorsOf(tno))) {
    const { path } = keys.parseActor(key);
    const { fx = {}, since, ...row } = JSON.parse(value) as ActorRow;
    const rno = runOf(path);
    addTo(remains, rno, path, row);
    try {
      cells.values.set(cellKey(path), { ...fromRow(row), fx, since } satisfies ActorCell);
    } catch (error) {
      if (!(error instanceof UnreadableSnapshot)) throw error;
      unreadable.set(rno, { reason: error.message, ...remains.get(rno)! });
    }
    for (const { token: used } of Object.values(fx)) token = Math.max(token, used);
  }
  if (foreign !== null) for (const [rno, rows] of remains) unreadable.set(rno, { reason: foreign, ...rows });
  for (const { paths } of unreadable.values()) for (const path of paths) cells.values.delete(cellKey(path));
  return { remains, unreadable, token };
}

/** The queued entries, in the order of turns. Answers the ordinals of their runs. */
async function loadQueue(store: Reads, tno: number, cells: Cells): Promise<number[]> {
  const slots: QueueSlot[] = [];
  const runs: number[] = [];
  for await (const [key, value] of store.range(keys.queuedOf(tno))) {
    const { n, priority } = keys.parseQueued(key);
    const entry = JSON.parse(value) as QueuedEntry;
    slots.push({ n, priority });
    cells.values.set(`q${n}` satisfies CellKey, entry);
    runs.push(entry.rno);
  }
  if (slots.length > 0) cells.values.set('queue', slots);
  return runs;
}

async function loadOutbox(store: Reads, tno: number, cells: Cells): Promise<void> {
  for await (const [key, value] of store.range(keys.outboxOf(tno)))
    cells.values.set(`o${keys.parsePair(key)[1]}` satisfies CellKey, JSON.parse(value) as OutboxCell);
}

/** Records of open and queued runs, and what they keep beside them. */
async function loadRuns(
  store: Reads,
  cells: Cells,
  runs: readonly number[],
  begun: Pick<LoadedActors['remains'], 'has'>,
): Promise<void> {
  // All rows at once: recovery reads ten thousand threads, and what each read costs is the way to the store and back.
  const families = [keys.run, keys.overrides, keys.push] as const;
  const found = await store.getMany(runs.flatMap((rno) => families.map((key) => key(rno))));
  for (const [i, rno] of runs.entries()) {
    const [row, overrides, push] = found.slice(i * families.length, (i + 1) * families.length);
    if (row === undefined) continue;
    const { tno: _, ...record } = JSON.parse(row) as RunRow;
    cells.values.set(`r${rno}` satisfies CellKey, record);
    if (overrides !== undefined) cells.values.set(`x${rno}` satisfies CellKey, JSON.parse(overrides) as OpenRun);
    if (push !== undefined) cells.values.set(`p${rno}` satisfies CellKey, JSON.parse(push) as PushConfig[]);
    // A run that is queued has no log yet.
    if (begun.has(rno)) cells.values.set(`l${rno}` satisfies CellKey, await loadHead(store, rno));
  }
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
