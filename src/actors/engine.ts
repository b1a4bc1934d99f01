/**
 * The engine port: the six calls through which everything outside reaches the actors.
 *
 * - Read-your-writes per thread, always: once `deliver` has resolved, `read` and `readEvents` see its effect. Lists may lag.
 * - What `deliver` acknowledged is durable; what it refused with `storage_unavailable` may or may not have happened (the
 *   caller repeats with the same ids), every other refusal changed nothing.
 * - An event handed to a reader is durable. Sequence numbers are dense from 0.
 * - No call spans two threads.
 *
 * `engine.conformance.ts` is the contract as tests; it runs on every implementation.
 */

import type { ExecutionMode, ModelOptions, OnBusy } from '../agents/types.js';
import type { JsonObject, JsonValue } from '../json.js';
import type { Trail } from './audit/trail.js';
import type { LogChunk, Suspension } from './events.js';
import type { Inspection } from './inspection.js';
import type { EngineMeters } from './meters.js';
import type { PushConfig, PushDeadLetter } from './push/types.js';
import type {
  Decision,
  EntryOrigin,
  EntryStatus,
  MailboxEntry,
  Message,
  RunCode,
  RunOrigin,
  RunRecord,
  RunStatus,
  StartMessage,
  ThreadStatus,
} from './records.js';
import type { Cut, Page } from './page.js';

/**
 * Who asks. Carried by every call from the first day; `null` scopes mean all. `trail`: what is done is for the record,
 * and the record is part of the commit that does it.
 */
export type Principal = { id: string; scopes: string[] | null; resource_id: string | null; trail?: Trail };
/** Whoever asks where nobody has to say who they are: may do everything. */
export const anonymous: Principal = Object.freeze({ id: 'anonymous', scopes: null, resource_id: null });

/** What one run does differently from its agent's definition. Kept with the run until it ends, never in thread state. */
export type RunOverrides = {
  /** `<provider>:<model id>`. */
  model?: string;
  system_prompt?: string;
  tool_execution_mode?: ExecutionMode;
  model_options?: ModelOptions;
  /** Tools the client carries out. One with the name of a tool of the agent is left out. */
  frontend_tools?: { name: string; description: string; parameters: JsonObject }[];
  /** Set by `StartRequest.notify`. */
  notify?: { thread_id: string; agent_id: string };
  /** Told to the model in front of the history, for this run only; never stored as messages. */
  context?: string[];
};

/** A start, after the surface has read its own dialect. Ids are already trimmed; absent means "generate". */
export type StartRequest = {
  agent_id: string;
  thread_id?: string;
  run_id?: string;
  parent_run_id?: string;
  parent_thread_id?: string;
  resource_id?: string;
  /**
   * The caller may use this resource alone: the run gets it. Throws `forbidden` when the start names another one, and
   * `thread_not_found` or `run_not_found` for a thread or a parent that is not of this resource.
   */
  confined_to?: string;
  origin: RunOrigin;
  messages: StartMessage[];
  state?: JsonObject;
  metadata?: JsonObject;
  /** What the client asked for; or what this kind of start does unless the agent's definition says otherwise. */
  on_busy: OnBusy | { default: OnBusy };
  /**
   * Answers to pending calls of the thread's active run. When one matches, THAT run resumes, with the `state` that comes
   * with them, and is the answer; messages that come with them follow as input of their own once it ends (CONTRACT 1.11).
   */
  decisions?: Decision[];
  priority?: number;
  /** Somebody who is told of the run's changes from its beginning (`push/types.ts`). */
  push?: PushConfig;
  /** A thread that is told when this run has ended, as an internal entry of its mailbox (CONTRACT 5.5). */
  notify?: { thread_id: string; agent_id: string };
  overrides?: RunOverrides;
  /**
   * Cuts the thread at a message before the new messages are added: behind it (`keep`) or in front of it. Ends the active
   * run as `superseded`. Throws `bad_request` when the thread has no such message.
   */
  rewind?: { message_id: string; keep: boolean };
};

export type Command =
  | { type: 'start'; start: StartRequest }
  | { type: 'cancel'; run_id: string; detail?: string }
  /** `state` is merged into the thread's when any of the decisions takes effect. */
  | { type: 'decide'; run_id: string; decisions: Decision[]; state?: JsonObject }
  | PushCommand
  | ThreadCommand;

/** Commands that concern push notifications (`push/types.ts`). */
export type PushCommand =
  /** From now on this receiver is told. Throws `bad_request` when there are too many, or nobody delivers. */
  | { type: 'set_push'; run_id: string; config: PushConfig }
  /** It is told nothing more, what is on its way included. */
  | { type: 'delete_push'; run_id: string; config_id: string }
  /** Sends again what was given up. Throws `entry_not_found`. */
  | { type: 'retry_push'; dead_letter_id: string };

/** Commands that concern a thread rather than one of its runs (CONTRACT 2.4 to 2.6, 4.5). */
export type ThreadCommand =
  /** Ends the active run and everything that waits for its turn; the thread begins a new generation. */
  | { type: 'interrupt'; thread_id: string }
  /** JSON merge patch of the thread's metadata; `title` is a key of it. Throws `bad_request` when it grows too large. */
  | { type: 'edit_metadata'; thread_id: string; patch: JsonObject }
  /** Ends the thread and everything of it. A thread that is not there is no error. */
  | { type: 'delete_thread'; thread_id: string }
  /** Copies a thread up to a message; without one, up to the end of the last run that has ended. */
  | { type: 'fork_thread'; thread_id: string; after_message_id?: string; new_thread_id?: string }
  /** Ends a queued entry and its run. Throws `conflict` when the entry is not queued. */
  | { type: 'cancel_entry'; thread_id: string; entry_id: string }
  /** Changes a queued entry. Throws `conflict` when it is not queued. */
  | { type: 'edit_entry'; thread_id: string; entry_id: string; priority?: number; messages?: StartMessage[] }
  /** Starts anew what a dead letter asked for. Throws `conflict` when the entry is none. */
  | { type: 'retry_entry'; thread_id: string; entry_id: string };

export type InterruptResult = {
  thread_id: string;
  generation: number;
  cancelled_run_id: string | null;
  superseded_pending_count: number;
  superseded_pending_entry_ids: string[];
};

export type Answers = {
  /** `attached`: the run existed already with the same body (CONTRACT 1.10). */
  start: {
    run: RunRecord;
    attached: boolean;
    /** The start only resumed this run by its decisions: what follows event `resumed_after` is its continuation. */
    resumed_after?: number;
    /** The run that takes up the messages which came with those decisions, once that run has ended. */
    follows?: RunRecord;
  };
  cancel: { run: RunRecord };
  interrupt: InterruptResult;
  decide: { run: RunRecord };
  set_push: { config: PushConfig };
  delete_push: { deleted: boolean };
  retry_push: { run_id: string };
  edit_metadata: { metadata: JsonObject };
  delete_thread: { deleted: boolean };
  fork_thread: { thread: ThreadView };
  cancel_entry: { entry: MailboxEntry };
  edit_entry: { entry: MailboxEntry };
  /** The new entry. */
  retry_entry: { entry: MailboxEntry };
};

export type RunClaim = { claimed: true } | { claimed: false; run_id: string; thread_id: string; same_body: boolean };

/** A contiguous piece of a run's log: `chunk.events` from index `from` on. Chunks are shared by readers: never change one. */
export type LogSlice = { chunk: LogChunk; from: number };

/** Pulls a run's log in order: stored events first, then live ones, nothing twice and nothing missing. */
export interface EventReader {
  readonly run: RunRecord;
  /**
   * Everything durable was handed out and the log goes on: `next()` would wait for the run. What tells a page of stored
   * events where to stop, and a pause that is over from one that holds.
   */
  readonly caughtUp: boolean;
  /**
   * The next slice; a plain value when it is at hand, else a promise that resolves when there is one.
   * `undefined` = the log has ended (`run_finish` was handed out) or the reader was closed. Rejects with `events_expired`
   * when the log is removed meanwhile.
   */
  next(): LogSlice | undefined | Promise<LogSlice | undefined>;
  close(): void;
}

/** A thread as the surfaces need it (CONTRACT 2.1 has the public projection). */
export type ThreadView = {
  thread_id: string;
  status: ThreadStatus;
  /** The run that is running or waits for a decision. */
  active_run_id: string | null;
  generation: number;
  resource_id: string | null;
  parent_thread_id: string | null;
  title: string | null;
  metadata: JsonObject;
  message_count: number;
  /** Cursor the next message will have. */
  next_cursor: number;
  queued_count: number;
  created_at: number;
  updated_at: number;
};

/**
 * Which messages of a thread: cursors strictly between `after` and `before`, in either order; of one run; for everybody
 * or for the model alone. Without `visibility` both.
 */
export type MessageRange = {
  after?: number;
  before?: number;
  order?: 'asc' | 'desc';
  limit?: number;
  run_id?: string;
  visibility?: 'public' | 'internal';
};

/** Filters are ANDed, bounds are unix milliseconds and inclusive (CONTRACT 1.12). */
export type RunFilter = {
  thread_id?: string;
  parent_run_id?: string;
  status?: RunStatus;
  origin?: RunOrigin;
  termination_code?: RunCode;
  agent_id?: string;
  resource_id?: string;
  created_at_from?: number;
  created_at_to?: number;
  updated_at_from?: number;
  updated_at_to?: number;
};

/** `parent_thread_id: null`: threads that are nobody's child. */
export type ThreadFilter = { parent_thread_id?: string | null; resource_id?: string; status?: ThreadStatus };
export type EntryFilter = { status?: EntryStatus; origin?: EntryOrigin };

export type ThreadSummary = {
  id: string;
  title: string | null;
  message_count: number;
  /** The newest public word of a person or an agent, at most 200 characters of it. */
  last_message: { role: Message['role']; content: string } | null;
  updated_at: number;
  created_at: number;
};

/** A tool call that waits for a decision. */
export type Approval = {
  thread_id: string;
  run_id: string;
  agent_id: string;
  tool_call_id: string;
  name: string;
  arguments: JsonValue;
  suspension: Omit<Suspension, 'tool_call_id' | 'name'>;
  /** Since when, unix milliseconds. */
  since: number;
};

/**
 * What can be listed, and what each list is sorted by: by creation time then id; summaries by their last change, newest
 * first; approvals by how long they have waited, longest first; dead letters by when they were given up, oldest first.
 */
export type ListQuery =
  | ({ kind: 'runs'; order?: 'asc' | 'desc' } & RunFilter)
  | ({ kind: 'threads'; order?: 'asc' | 'desc' } & ThreadFilter)
  | ({ kind: 'summaries' } & ThreadFilter)
  | ({ kind: 'mailbox'; thread_id: string } & EntryFilter)
  | { kind: 'approvals'; resource_id?: string }
  | { kind: 'push_dead_letters'; resource_id?: string };

export type Listed = {
  runs: RunRecord;
  threads: ThreadView;
  summaries: ThreadSummary;
  mailbox: MailboxEntry;
  approvals: Approval;
  push_dead_letters: PushDeadLetter;
};

export interface Engine {
  /** Hands one command to its thread; resolves with the answer when its effect is durable. */
  deliver<T extends Command['type']>(
    command: Extract<Command, { type: T }>,
    principal?: Principal,
  ): Promise<Answers[T]>;
  /**
   * Reserves a run id in the whole engine, or tells whose it is. The reservation ends with the start that uses it, however
   * that ends: whoever has claimed an id delivers a start of it.
   */
  claimRun(run_id: string, body_hash: string): Promise<RunClaim>;
  /** With a `body_hash`: only the run that a start with this body has begun. */
  read(ref: { kind: 'run'; run_id: string; body_hash?: string }): Promise<RunRecord | undefined>;
  /** The run that this mailbox entry was accepted as, or will be. */
  read(ref: { kind: 'entry_run'; entry_id: string }): Promise<RunRecord | undefined>;
  read(ref: { kind: 'thread'; thread_id: string }): Promise<ThreadView | undefined>;
  /** Undefined when there is no such thread. */
  read(ref: { kind: 'messages'; thread_id: string } & MessageRange): Promise<Message[] | undefined>;
  /** Who is told of a run, with their secrets; undefined when there is no such run. */
  read(ref: { kind: 'push'; run_id: string }): Promise<PushConfig[] | undefined>;
  /** The thread's state (JSON object) as of its last commit. */
  read(ref: { kind: 'state'; thread_id: string }): Promise<JsonObject | undefined>;
  /** Opens a reader after event `after` (-1: from the start). Throws `run_not_found`, `events_expired`. */
  readEvents(run_id: string, after: number): Promise<EventReader>;
  /** One page with the exact total. A mailbox of a thread that is not there: `thread_not_found`. */
  list<K extends ListQuery['kind']>(query: Extract<ListQuery, { kind: K }> & Cut): Promise<Page<Listed[K]>>;
  /** What operators look at (`inspection.ts`). Throws `not_initialised`. */
  inspect(): Inspection;
}

/** A copy of the data, whole and on the disk. `bytes`: of its files. */
export type BackupReport = { dir: string; rows: number; bytes: number; duration_ms: number };

/** What the process that hosts an engine does with it. */
export interface HostedEngine extends Engine {
  readonly status: 'starting' | 'ready' | 'stopping' | 'stopped';
  /**
   * Copies the data, as of now, into a new directory below the one that is configured for backups (`backup.ts`). Throws
   * `forbidden` when none is, `bad_request` for a name that leads out of it, `conflict` when something is there already.
   */
  backup(dir: string, principal?: Principal): Promise<BackupReport>;
  /** What is counted for metrics. */
  meters(): EngineMeters;
  /** Stops accepting, waits up to `grace_ms` for running `once` tools, lets commits finish, closes the store. */
  close(grace_ms?: number): Promise<void>;
}
