/**
 * What travels between this tool and the server, as the interface documents it.
 *
 * The tool knows the server by these shapes alone: it imports nothing of the server's code. Times are unix milliseconds;
 * an absent value is null. `src/cli/schemas` says the same to programs that read the tool's output.
 */

import type { JsonObject, JsonValue } from '../../json.js';

export type { JsonObject, JsonValue };

/** An offset list; `total` counts all that match (CONTRACT 0.5). */
export type Page<T> = { items: T[]; total: number; has_more: boolean };

/** CONTRACT 1.2 to 1.4. */
export type RunRecord = {
  run_id: string;
  thread_id: string;
  agent_id: string;
  parent_run_id: string | null;
  parent_thread_id: string | null;
  origin: string;
  status: 'running' | 'waiting' | 'done';
  /** `queued` and `input_required` while it waits; when done, why it ended. */
  termination_code: string | null;
  termination_detail: string | null;
  created_at: number;
  updated_at: number;
  metadata: JsonObject | null;
  input_tokens: number;
  output_tokens: number;
  source_mailbox_entry_id: string | null;
  resource_id: string | null;
};

/** CONTRACT 2.1. */
export type Thread = {
  id: string;
  resource_id: string | null;
  parent_thread_id: string | null;
  status: 'idle' | 'running' | 'waiting';
  active_run_id: string | null;
  /** Rises with each interrupt. */
  generation: number;
  message_count: number;
  queued_count: number;
  title: string | null;
  metadata: JsonObject;
  created_at: number;
  updated_at: number;
};

/** CONTRACT 2.3: the newest 200 public messages. */
export type ThreadDetail = Thread & { messages: Message[]; state: JsonObject };

export type ToolCall = { id: string; name: string; arguments: JsonValue };

/** CONTRACT 3.1. */
export type Message = {
  cursor: number;
  id: string;
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string;
  tool_calls?: ToolCall[] | undefined;
  tool_call_id?: string | undefined;
  visibility?: 'internal' | undefined;
  run_id: string | null;
  step: number | null;
  created_at: number;
};

/** CONTRACT 3.2. */
export type MessagePage = {
  messages: Message[];
  has_more: boolean;
  next_cursor: number | null;
  prev_cursor: number | null;
};

/** CONTRACT 4.1. */
export type MailboxEntry = {
  entry_id: string;
  thread_id: string;
  mailbox_id: string;
  run_id: string;
  agent_id: string;
  origin: string;
  sender_id: string | null;
  /** 0 (lowest) to 255. */
  priority: number;
  dedupe_key: string | null;
  generation: number;
  status: 'queued' | 'claimed' | 'accepted' | 'superseded' | 'cancelled' | 'dead_letter';
  available_at: number;
  attempt_count: number;
  last_error: string | null;
  payload: { messages: { role: string; content: string }[] };
  created_at: number;
  updated_at: number;
};

export type SuspensionKind = 'approval' | 'frontend' | 'input' | 'in_doubt';

/** A tool call that waits for a decision (CONTRACT 9.1). */
export type Approval = {
  thread_id: string;
  run_id: string;
  agent_id: string;
  tool_call_id: string;
  name: string;
  arguments: JsonValue;
  suspension: { id: string; kind: SuspensionKind; message: string; response_schema?: JsonObject | undefined };
  since: number;
};

export type AgentTool = {
  name: string;
  description: string;
  parameters: JsonObject;
  effect: string;
  frontend: boolean;
};

export type Agent = {
  id: string;
  name: string;
  description: string;
  model: string;
  tools: AgentTool[];
  delegates: string[];
  tool_execution_mode: string;
  max_rounds: number;
};

/** One event of a run; `seq` is dense from 0 (CONTRACT 1.5). `data` is as its type has it. */
export type RunEvent = {
  type: string;
  run_id: string;
  thread_id: string;
  seq: number;
  timestamp_ms: number;
  step?: number | undefined;
  data: JsonObject;
};

export type EventPage = { items: RunEvent[]; has_more: boolean; next_after: number | null };

/** A tool call a run waits for, as `run_waiting` lists it. */
export type Suspension = {
  id: string;
  tool_call_id: string;
  name: string;
  kind: SuspensionKind;
  message: string;
  response_schema?: JsonObject | undefined;
};

/** An answer to a pending tool call (spec, ToolCallDecision). */
export type Decision = {
  target_id: string;
  decision_id: string;
  action: 'resume' | 'cancel';
  result?: JsonValue;
  reason?: string;
};

export type InterruptResult = {
  status: string;
  thread_id: string;
  generation: number;
  cancelled_run_id: string | null;
  superseded_pending_count: number;
  superseded_pending_entry_ids: string[];
};

/** What `POST /v1/runs` takes (spec, start payload). */
export type StartPayload = {
  agent_id: string;
  thread_id?: string;
  run_id?: string;
  resource_id?: string;
  state?: JsonObject;
  metadata?: JsonObject;
  messages: { role: 'user' | 'system' | 'assistant'; content: string }[];
  on_busy?: 'interrupt' | 'enqueue' | 'reject' | 'rollback';
  on_disconnect?: 'continue' | 'cancel';
};

export type ActorKind = 'thread' | 'run' | 'tool_call';

/** A live actor (CONTRACT 9.1). Ids: `thread:<id>`, `run:<id>`, `tool_call:<run id>:<call id>`. */
export type ActorItem = {
  id: string;
  kind: ActorKind;
  /** Name as in `/v1/machines`. */
  machine: string;
  /** The state, as XState writes it. */
  value: JsonValue;
  /** The same as a path: `["running", "acting"]`. */
  path: string[];
  /** When this state was entered. */
  since: number;
  parent_id: string | null;
  thread_id: string;
  run_id: string | null;
  agent_id: string | null;
  /** Queued mailbox entries of the thread. */
  queued: number;
  memory: 'live' | 'passivated';
  /** The call that is worked on or waited for. */
  tool: {
    name: string;
    arguments: JsonValue;
    progress: number | null;
    message: string | null;
    /** How often it was begun; older servers do not say. */
    attempts?: number | undefined;
  } | null;
  waiting_for: { kind: SuspensionKind; message: string; tool_call_ids: string[] } | null;
  created_at: number;
};

export type LateOutcome = {
  at: number;
  tool_call_id: string;
  name: string;
  outcome: string;
  result: JsonValue;
  error: string | null;
};

export type ActorDetail = ActorItem & {
  /** Secrets are redacted; null for a run that is done. */
  context: JsonValue;
  machine_version: string | number | null;
  enabled_events: { event: string; target: string[] | null; guards: string[] }[];
  deadlines: { id: string; src: string; due: number }[];
  effects: { id: string; src: string; state: string }[];
  /** Newest last, at most 50. */
  transitions: { at: number; event: string; from: string[]; to: string[] }[];
  /** What tool calls came to after they had been closed; older servers do not say. */
  late_outcomes?: LateOutcome[];
  parent_run_id: string | null;
  children: string[];
};

/** A transition a state has; `target` is a list of absolute dotted paths, null for one that stays. */
export type TransitionDefinition = {
  event: string;
  target: string[] | null;
  guards: string[];
  actions: string[];
  internal: boolean;
};

/** A machine, or a state of one, as data. */
export type StateDefinition = {
  id: string;
  initial: string | null;
  type: 'atomic' | 'compound' | 'parallel' | 'final' | 'history';
  states: Record<string, StateDefinition>;
  on: TransitionDefinition[];
  always: TransitionDefinition[];
  after: (TransitionDefinition & { delay: string | number })[];
  invoke: { id: string; src: string }[];
  entry: string[];
  exit: string[];
  tags: string[];
  description?: string | undefined;
};

export type Machine = { name: string; version: string | number; definition: StateDefinition };

/** The pulse of the server; rates are of the last second. */
export type Stats = {
  runs_per_s: number;
  events_per_s: number;
  first_event_p50_ms: number | null;
  first_event_p99_ms: number | null;
  commit_p99_ms: number | null;
  running: number;
  waiting: number;
  queued: number;
  dead_letters: number;
  threads: number;
  runs: number;
  heap_bytes: number;
  rss_bytes: number;
  loop_lag_ms: number;
  db_bytes: number | null;
  sse_readers: number;
  uptime_ms: number;
  version: string;
};

/** What happens to actors. */
export type ActorNews =
  | { type: 'transition'; at: number; actor: ActorItem; event: string; from: string[]; to: string[] }
  /** Something else of it than its state. */
  | { type: 'changed'; at: number; actor: ActorItem }
  | {
      type: 'ended';
      at: number;
      id: string;
      kind: ActorKind;
      thread_id: string;
      run_id: string | null;
      agent_id: string | null;
      /** Termination code of a run, outcome of a tool call. */
      outcome: string;
      detail: string | null;
    }
  | { type: 'queued'; at: number; thread_id: string; queued: number }
  | { type: 'event'; at: number; event: RunEvent }
  | { type: 'progress'; at: number; id: string; progress: number | null; message: string | null };

/** A frame of `/v1/actors/events`. `reset` is the picture as it stands: it comes first, and whenever frames were lost. */
export type ActorFrame =
  | ActorNews
  | { type: 'reset'; at: number; items: ActorItem[]; total: number; stats: Stats }
  | ({ type: 'stats'; at: number } & Stats)
  /** What has gathered since the frame before, for a reader who asked for a pace: of each actor the last thing alone. */
  | { type: 'batch'; at: number; left_out: number; entries: ActorNews[] };

/** What an operator did. */
export type AuditRecord = {
  n: number;
  at: number;
  principal: string | null;
  action: string;
  target: JsonObject;
  reason: string | null;
  /** HTTP status of the answer; null: the server stopped before there was one. */
  status: number | null;
  request_id: string | null;
};

/** What `POST /v1/backup` has copied. */
export type BackupReport = { dir: string; rows: number; bytes: number; duration_ms: number };
