/**
 * What operators see of an engine: its live actors, how they got where they are, and how it fares (CONTRACT 9.1).
 *
 * Everything here is durable before it is shown, and free of secrets (`redact.ts`). Times are unix milliseconds.
 *
 * A live actor is a run that has begun and not ended, one of its open tool calls, or a thread that is not idle or has
 * something queued; in memory or not. Ids are readable and stay: `thread:<thread id>`, `run:<run id>`,
 * `tool_call:<run id>:<call id>`.
 */

import type { JsonValue } from '../json.js';
import type { Cut, Page } from './page.js';
import type { CanonicalEvent, SuspensionKind } from './events.js';
import type { ActorKind } from './machines/index.js';
import type { MachineName } from './machines/catalogue.js';
import type { MailboxEntry } from './records.js';
import type { EnabledEvent, StateValue } from './machines/definition.js';

export type { ActorKind, MachineName, StateValue };

export type ActorItem = {
  id: string;
  kind: ActorKind;
  machine: MachineName;
  value: StateValue;
  /** `value` as a path: `['running', 'acting']`. */
  path: string[];
  /** When it came into this state. */
  since: number;
  /** Of a tool call its run, of a run its thread, of the thread of a child run the parent run. */
  parent_id: string | null;
  thread_id: string;
  run_id: string | null;
  agent_id: string | null;
  /** Entries that wait in the thread's mailbox. */
  queued: number;
  /** Whether its thread is in memory. */
  memory: 'live' | 'passivated';
  /** The tool call; of a run, the oldest that is open. Arguments are a preview. `attempts`: how often it was begun. */
  tool: {
    name: string;
    arguments: JsonValue;
    progress: number | null;
    message: string | null;
    attempts: number;
  } | null;
  /** Of a run: what it asks people or clients, the oldest question's kind and words, and every call that asks. */
  waiting_for: { kind: SuspensionKind; message: string; tool_call_ids: string[] } | null;
  /** When the run or the thread came into being. */
  created_at: number;
};

/**
 * What a tool call came to after it had been closed (cancelled, timed out, in doubt): it is in no log. `outcome` as of the
 * tool, `result` or `error` with it; without secrets.
 */
export type LateOutcome = {
  at: number;
  tool_call_id: string;
  name: string;
  outcome: string;
  result: JsonValue;
  error: string | null;
};

/** One change of state; `from` is empty for the first. A state that is entered again changes from itself to itself. */
export type Transition = { at: number; event: string; from: string[]; to: string[] };

export type ActorDetail = ActorItem & {
  /** Null for a run that is done. */
  context: JsonValue;
  machine_version: number;
  enabled_events: EnabledEvent[];
  deadlines: { id: string; src: string; due: number }[];
  /** What the state wants done. `running`: it is under way here; `waiting`: it will be begun, or is a timer. */
  effects: { id: string; src: string; state: 'running' | 'waiting' }[];
  /** The last ones since this process has known the actor, newest last. */
  transitions: Transition[];
  parent_run_id: string | null;
  /** Of a run those of its calls, of a call its own; oldest first, the newest 200. */
  late_outcomes: LateOutcome[];
  /** Ids of runs: of a run those that name it as their parent, of a thread the active one. */
  children: string[];
};

/** Filters are ANDed. */
export type ActorFilter = {
  /** One of these. */
  kinds?: readonly ActorKind[];
  /** Paths, joined with dots: the actor is in one of these states or in a state inside of one. */
  states?: readonly string[];
  thread_id?: string;
  run_id?: string;
  agent_id?: string;
};

/** One thing that happened, as the feed tells it. */
export type FeedEntry =
  | { type: 'transition'; at: number; actor: ActorItem; event: string; from: string[]; to: string[] }
  /** What a run works on or waits for is another thing, though its state is not. */
  | { type: 'changed'; at: number; actor: ActorItem }
  /** An actor is live no more. `outcome`: a run's termination code, a call's outcome, `idle` or `deleted` of a thread. */
  | {
      type: 'ended';
      at: number;
      id: string;
      kind: ActorKind;
      thread_id: string;
      run_id: string | null;
      agent_id: string | null;
      outcome: string;
      detail: string | null;
    }
  /** The depth of a mailbox has changed. */
  | { type: 'queued'; at: number; thread_id: string; queued: number }
  /** An event of a run; only for those who tail. */
  | { type: 'event'; at: number; agent_id: string; event: CanonicalEvent };

/** How far a tool call says it is. Not numbered: only the newest report counts. */
export type Progress = { at: number; id: string; thread_id: string; run_id: string; agent_id: string } & {
  progress: number | null;
  message: string | null;
};

/**
 * Everything that happens while somebody watches, and a while longer for those who come back; in order, as far as the
 * ring reaches back. Entries are shared: never change one.
 */
export interface LiveFeed {
  /** Tells this process from every other: numbers mean nothing beyond it. */
  readonly boot: string;
  /** Number of the newest entry; numbers are dense for as long as somebody watches. */
  readonly last: number;
  /** The entry of that number, if the ring still has it. */
  at(n: number): FeedEntry | undefined;
  /** Whether a reader that has everything up to `n` can go on; with `tail` also in the events of runs. */
  reaches(n: number, tail: boolean): boolean;
  /** Calls whenever something is added, in the middle of the commit's work; the answer ends that. */
  onNext(bell: () => void): () => void;
  /** Calls for each report of progress; the answer ends that. */
  onProgress(listener: (progress: Progress) => void): () => void;
  /** Lets entries in until the answer is called; with `tail` also the events of runs. */
  watch(options: { tail: boolean }): () => void;
}

/** Figures of the engine. Rates are means of the last seconds, latencies of the newest thousand. */
export type EngineStats = {
  /** Runs that ended, and events that became durable, per second. */
  runs_per_s: number;
  events_per_s: number;
  /** Milliseconds from the acceptance of a run until its first event was durable; null before there was one. */
  first_event_p50_ms: number | null;
  first_event_p99_ms: number | null;
  /** Milliseconds a commit took. */
  commit_p99_ms: number | null;
  running: number;
  waiting: number;
  queued: number;
  dead_letters: number;
  threads: number;
  runs: number;
  /** Bytes of the data on disk, as of some seconds ago; null when it has none. */
  db_bytes: number | null;
};

/** The live actors that match, oldest state first, at most `limit`, and where the feed stood then. */
export type Picture = { position: number; at: number; items: ActorItem[]; total: number };

/** The entries that somebody may have to do something about. */
export const openStatuses = ['queued', 'dead_letter'] as const;
export type OpenStatus = (typeof openStatuses)[number];

/** What operators may look at. Throws and rejects with `not_initialised` like every call of the engine. */
export interface Inspection {
  readonly feed: LiveFeed;
  /** The live actors that match, the oldest state first (`desc`: last). */
  actors(query: ActorFilter & Cut & { order: 'asc' | 'desc' }): Promise<Page<ActorItem>>;
  /** An actor by its id; also a thread that is idle and a run that is queued or done, as their records have them. */
  actor(id: string): Promise<ActorDetail | undefined>;
  /** What a reader of the feed begins with. */
  picture(filter: ActorFilter, limit: number): Promise<Picture>;
  /** Entries of all mailboxes that are in one of these states, by creation time, then id. */
  entries(statuses: readonly OpenStatus[], cut: Cut): Promise<Page<MailboxEntry>>;
  stats(): EngineStats;
  /** Keeps what somebody did; resolves with its number when it is durable. */
  record(entry: AuditEntry): Promise<number>;
  /** Corrects the status of a record. */
  amend(record: AuditRecord): Promise<void>;
  /** What was done, the newest first. */
  audit(filter: AuditFilter, cut: Cut): Promise<Page<AuditRecord>>;
}

/** What somebody did to the server, or was refused. */
export type AuditEntry = {
  at: number;
  principal: string;
  action: string;
  target: AuditTarget;
  reason: string | null;
  /** HTTP status of the answer; null: it was asked for, and the server stopped before it was answered. */
  status: number | null;
  request_id: string;
};
export type AuditTarget = { thread_id?: string; run_id?: string; entry_id?: string; tool_call_ids?: string[] };
/** Records are numbered in the order of time. */
export type AuditRecord = { n: number } & AuditEntry;
export type AuditFilter = { action?: string; principal?: string };
