/**
 * A thread's state as cells, and drafts over it.
 *
 * The committed cells of a thread are immutable values. A step works on a draft: reads fall through to the cells below,
 * writes stay in the draft. A draft that is dropped has changed nothing; a draft that was committed is merged. Drafts
 * nest: each item of a step gets one of its own, so that an item that throws harms no other.
 */

import { initialEncoderState, type EncoderState, type EventType, type StoredEvent } from '../events.js';
import type { MailboxEntry, Message, RunRecord } from '../records.js';
import type { JsonObject } from '../../json.js';
import type { Op } from '../../store/port.js';
import type { RemoteTask } from '../../agents/remote/types.js';
import type { RunOverrides, StartRequest } from '../engine.js';
import type { ActorKind } from '../machines/index.js';
import type { PushConfig, PushErrand } from '../push/types.js';
import type { Snapshot } from './xstate.js';

/** An effect that a committed state wants (DESIGN "Effects are a function of committed state"). */
export type Fx = {
  src: string;
  input: unknown;
  /** New at each entry of the state; an outcome with another token is stale. */
  token: number;
  /** Timers: unix milliseconds. */
  due?: number;
};

export type ActorCell = {
  kind: ActorKind;
  snapshot: Snapshot;
  fx: { [id: string]: Fx };
  /** Unix milliseconds at which it came into the state it is in. */
  since: number;
};

/** Facts of a thread that are not its machine's. */
export type ThreadCell = {
  thread_id: string;
  resource_id: string | null;
  parent_thread_id: string | null;
  title: string | null;
  metadata: JsonObject;
  created_at: number;
  updated_at: number;
  /** Cursor of the next message; never goes back. */
  next_cursor: number;
  message_count: number;
  /** Arrival number of the next mailbox entry. */
  next_entry: number;
  next_outbox: number;
  queued_count: number;
  /**
   * The newest decisions that were `ignored` beside others, and those that took effect, oldest first: a repetition of the
   * latter changes nothing, and one of both is no news (CONTRACT 1.10).
   */
  decided: { decision_id: string; run_id: string; ignored?: true }[];
  /** Where the active run found the thread. `due`: it is taken back as soon as the run has ended (`rollback`). */
  undo: { from: number; keeps: number; state?: JsonObject; due?: true } | null;
  /** Rises with every commit that writes this row. */
  rev: number;
};

/** A thread that nothing has happened on. */
export const newThread = ({
  thread_id,
  resource_id,
  parent_thread_id,
  at,
}: Pick<ThreadCell, 'thread_id' | 'resource_id' | 'parent_thread_id'> & { at: number }): ThreadCell => ({
  thread_id,
  resource_id,
  parent_thread_id,
  title: null,
  metadata: {},
  created_at: at,
  updated_at: at,
  next_cursor: 0,
  message_count: 0,
  next_entry: 0,
  next_outbox: 0,
  queued_count: 0,
  decided: [],
  undo: null,
  rev: 0,
});

/** Where a run's log stands. Not stored: the last chunk tells it. */
export type LogHead = {
  /** Sequence number of the next event. */
  seq: number;
  enc: EncoderState;
  /** Text of the step under way that is not void. */
  partial: string;
};

/**
 * A queued entry with what only the engine needs: the ordinal of its run, from which cursor on its start cuts the thread
 * (edit, regenerate), leaving `keeps` messages, and whether it came to replace what was before it (`on_busy`); of a dead
 * letter also what its start overrides, which is with the run as long as that is open.
 */
export type QueuedEntry = MailboxEntry & {
  rno: number;
  /** Its messages were compared with those of the thread in front of this cursor; absent: with none. */
  seen?: number;
  cut?: { from: number; keeps: number };
  replaces?: 'interrupt' | 'rollback';
  overrides?: RunOverrides;
};

/** A place in the mailbox, in the order of turns. */
export type QueueSlot = { n: number; priority: number };

/**
 * What an open run keeps beside its record: what its start overrides, the task it has at a remote agent, and whether its
 * readers have been told the thread's state whole.
 */
export type OpenRun = RunOverrides & { remote?: RemoteNote; state_told?: true };

/** The task that a step of a run has become at the remote agent it ran as. */
export type RemoteNote = { agent_id: string; step: number; task: RemoteTask };

/** What a thread has for the world outside: delivered at least once after the commit it was written in. */
export type OutboxCell =
  /** A start of a run on another thread; its run id makes it once. */
  | { start: StartElsewhere }
  /** A task at a remote agent that nobody waits for any more; stopping it twice is stopping it. */
  | { stop: RemoteNote }
  /** News of a run for somebody who wants to be told; its delivery id makes it once. */
  | { push: PushErrand };

export type StartElsewhere = StartRequest & { run_id: string; thread_id: string };

type CellTypes = {
  thread: ThreadCell;
  queue: readonly QueueSlot[];
  state: JsonObject;
  [actor: `a${string}`]: ActorCell;
  [run: `r${number}`]: RunRecord;
  [open: `x${number}`]: OpenRun;
  /** Who is told of an open run. */
  [push: `p${number}`]: PushConfig[];
  /** Set by the last step of a thread: nothing of it exists any more. */
  gone: true;
  [head: `l${number}`]: LogHead;
  [entry: `q${number}`]: QueuedEntry;
  [outbox: `o${number}`]: OutboxCell;
};
export type CellKey = Extract<keyof CellTypes, string>;
export type CellOf<K extends CellKey> = CellTypes[K];

/** A message of the thread, as far as it takes to know it again. */
export type MessageRef = Pick<Message, 'id' | 'cursor'>;

/** The head of a log that has no events yet. */
export const freshHead: LogHead = Object.freeze({ seq: 0, enc: initialEncoderState, partial: '' });

/** An actor came into a state, by an event, on the way of a step. `cell`: the actor then; no `from`: it was not there. */
export type TransitionMark = { path: string; event: string; at: number; from: unknown; cell: ActorCell };

export type PendingLog = { n: number; enc: EncoderState; events: { type: EventType; at: number; data: unknown }[] };

export class Cells {
  readonly values = new Map<string, unknown>();

  get<K extends CellKey>(key: K): CellOf<K> | undefined {
    return this.values.get(key) as CellOf<K> | undefined;
  }
}

export class Draft {
  /** Changed cells; `undefined` = deleted. */
  readonly changed = new Map<string, unknown>();
  /** Events to append, by run ordinal. */
  readonly logs = new Map<number, PendingLog>();
  messages: Message[] = [];
  /** Messages with this cursor and later ones are removed before those of the draft are added. */
  cut: { from: number; to: number } | null = null;
  /** The transitions of its actors, in order: told to operators when the draft is durable. */
  readonly transitions: TransitionMark[] = [];
  /** Rows that are written once and never changed: names, ended entries, indexes. */
  readonly rows: Op[] = [];

  constructor(
    private readonly below: Cells | Draft,
    /** Unix milliseconds of this item. */
    readonly at: number,
  ) {}

  get<K extends CellKey>(key: K): CellOf<K> | undefined {
    return this.changed.has(key) ? (this.changed.get(key) as CellOf<K> | undefined) : this.below.get(key);
  }

  set<K extends CellKey>(key: K, value: CellOf<K> | undefined): void {
    this.changed.set(key, value);
  }

  /** The thread's facts; only before the first start of a new thread there are none. */
  thread(): ThreadCell {
    return this.get('thread')!;
  }

  editThread(change: Partial<ThreadCell>): void {
    this.set('thread', { ...this.thread(), updated_at: this.at, ...change });
  }

  /** Puts one event behind the others of this run. The caller has stamped it. */
  append(rno: number, event: StoredEvent, head: LogHead): void {
    const before = this.get(`l${rno}`) ?? freshHead;
    let log = this.logs.get(rno);
    if (!log) this.logs.set(rno, (log = { n: before.seq, enc: before.enc, events: [] }));
    log.events.push({ type: event[0], at: this.at, data: event[2] });
    this.set(`l${rno}`, head);
  }

  /** The ids of the thread's messages; `before` are those it had before this step. */
  messageIds(before: readonly MessageRef[]): Set<string> {
    return new Set(Array.from(this.#messages(before), ({ id }) => id));
  }

  *#messages(before: readonly MessageRef[]): Generator<MessageRef> {
    const older = this.below instanceof Draft ? this.below.#messages(before) : before;
    const { cut } = this;
    for (const message of older) if (!cut || message.cursor < cut.from || message.cursor >= cut.to) yield message;
    yield* this.messages;
  }

  /** Takes over all of a draft that lies on this one. */
  absorb(top: Draft): void {
    for (const [key, value] of top.changed) this.changed.set(key, value);
    for (const [rno, log] of top.logs) {
      const mine = this.logs.get(rno);
      if (mine) append(mine.events, log.events);
      else this.logs.set(rno, log);
    }
    if (top.cut) this.#cut(top.cut);
    append(this.messages, top.messages);
    append(this.rows, top.rows);
    append(this.transitions, top.transitions);
  }

  /** Removes the messages from cursor `from` on; `keeps` are left. Cursors are never used again (CONTRACT 3.2). */
  cutMessages({ from, keeps }: { from: number; keeps: number }): void {
    const { next_cursor, message_count } = this.thread();
    this.#cut({ from, to: next_cursor });
    this.editThread({ message_count: Math.min(message_count, keeps) });
  }

  #cut({ from, to }: { from: number; to: number }): void {
    this.messages = this.messages.filter((message) => message.cursor < from);
    this.cut = this.cut ? { from: Math.min(from, this.cut.from), to: Math.max(to, this.cut.to) } : { from, to };
  }

  get isEmpty(): boolean {
    return this.changed.size === 0 && this.rows.length === 0 && this.messages.length === 0 && !this.cut;
  }
}

/** One by one: what a client sends may be more than a call takes arguments. */
function append<T>(to: T[], from: readonly T[]): void {
  for (const item of from) to.push(item);
}
