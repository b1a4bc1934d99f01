/**
 * The cells of a thread: what it is in memory between two steps, each value immutable, each under a key that names its row.
 *
 * The first letter of a key says what it is: the thread and its machine, a run and what it keeps while it is open, the
 * head of its log, an actor, an entry of the mailbox, an errand for the world outside.
 */

import { initialEncoderState, type EncoderState } from '../events.js';
import type { MailboxEntry, Message, RunRecord } from '../records.js';
import type { JsonObject } from '../../json.js';
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

/** The committed cells of a thread. */
export class Cells {
  readonly values = new Map<string, unknown>();

  get<K extends CellKey>(key: K): CellOf<K> | undefined {
    return this.values.get(key) as CellOf<K> | undefined;
  }
}
