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

import type { ModelOptions } from '../agents/types.js';
import type { JsonObject } from '../json.js';
import type { LogChunk } from './events.js';
import type { ExecutionMode } from './machines/calls.js';
import type { Decision, Message, RunOrigin, RunRecord, RunStatus, StartMessage } from './records.js';

/** Who asks. Carried by every call from the first day; `null` scopes mean all. */
export type Principal = { id: string; scopes: string[] | null; resource_id: string | null };
export const anonymous: Principal = Object.freeze({ id: 'anonymous', scopes: null, resource_id: null });

/** What a start does when the thread has an active run (CONTRACT 1.9). */
export type OnBusy = 'interrupt' | 'enqueue' | 'reject' | 'rollback';

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
  origin: RunOrigin;
  messages: StartMessage[];
  state?: JsonObject;
  metadata?: JsonObject;
  /** What the client asked for; or what this kind of start does unless the agent's definition says otherwise. */
  on_busy: OnBusy | { default: OnBusy };
  /**
   * Answers to pending calls of the thread's active run. When one matches, THAT run resumes and is the answer; messages
   * that come with them follow as input of their own once it ends (CONTRACT 1.11).
   */
  decisions?: Decision[];
  priority?: number;
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
  | { type: 'interrupt'; thread_id: string }
  | { type: 'decide'; run_id: string; decisions: Decision[] };

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
   * `undefined` = the log has ended (`run_finish` was handed out) or the reader was closed.
   */
  next(): LogSlice | undefined | Promise<LogSlice | undefined>;
  close(): void;
}

/** A thread as the surfaces need it (CONTRACT 2.1 has the public projection). */
export type ThreadView = {
  thread_id: string;
  status: 'idle' | 'running' | 'waiting';
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

/** Which messages of a thread: cursors strictly between `after` and `before`, in either order. */
export type MessageRange = { after?: number; before?: number; order?: 'asc' | 'desc'; limit?: number };

export type Page<T> = { items: T[]; total: number; has_more: boolean };

export type RunFilter = { thread_id?: string; status?: RunStatus };

export type LiveActor = {
  id: string;
  kind: 'thread' | 'run' | 'tool_call';
  machine: string;
  value: unknown;
  thread_id: string;
  /** Effects the state wants: started, or waiting to be. */
  effects: { id: string; src: string; due?: number }[];
};

export interface Engine {
  /** Hands one command to its thread; resolves with the answer when its effect is durable. */
  deliver<T extends Command['type']>(
    command: Extract<Command, { type: T }>,
    principal?: Principal,
  ): Promise<Answers[T]>;
  /** Reserves a run id in the whole engine. The reservation ends with the start that uses it, or with `release`. */
  claimRun(run_id: string, body_hash: string): Promise<RunClaim>;
  read(ref: { kind: 'run'; run_id: string }): Promise<RunRecord | undefined>;
  read(ref: { kind: 'thread'; thread_id: string }): Promise<ThreadView | undefined>;
  /** Undefined when there is no such thread. */
  read(ref: { kind: 'messages'; thread_id: string } & MessageRange): Promise<Message[] | undefined>;
  /** The thread's state (JSON object) as of its last commit. */
  read(ref: { kind: 'state'; thread_id: string }): Promise<JsonObject | undefined>;
  /** Opens a reader after event `after` (-1: from the start). Throws `run_not_found`. */
  readEvents(run_id: string, after: number): Promise<EventReader>;
  list(filter: RunFilter & { offset: number; limit: number }): Promise<Page<RunRecord>>;
  inspect(filter?: { thread_id?: string }): LiveActor[];
}

/** What the process that hosts an engine does with it. */
export interface HostedEngine extends Engine {
  readonly status: 'starting' | 'ready' | 'stopping' | 'stopped';
  /** Stops accepting, waits up to `grace_ms` for running `once` tools, lets commits finish, closes the store. */
  close(grace_ms?: number): Promise<void>;
}
