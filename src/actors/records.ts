/**
 * The records clients can query, in the field order and with the null rules of the interface (CONTRACT 0.6, 1.2, 3.1,
 * 4.1). They are what the store keeps; nothing here knows how.
 */

import type { ProviderTrace } from '../agents/model-call.js';
import type { JsonObject, JsonValue } from '../json.js';
import { terminationCodes } from './events.js';

/** By which door a run came in; `subagent` and `internal` are starts of the server's own. */
export const RunOrigin = {
  user: 'user',
  subagent: 'subagent',
  agUi: 'ag_ui',
  aiSdk: 'ai_sdk',
  a2a: 'a2a',
  internal: 'internal',
} as const;
export type RunOrigin = (typeof RunOrigin)[keyof typeof RunOrigin];
export const runOrigins = Object.values(RunOrigin);

export const runStatuses = ['running', 'waiting', 'done'] as const;
export type RunStatus = (typeof runStatuses)[number];

/** `queued` and `input_required` only while waiting; the rest only when done (CONTRACT 1.4). */
export const runCodes = ['queued', 'input_required', ...terminationCodes] as const;
export type RunCode = (typeof runCodes)[number];

/** Waiting: the active run waits for a decision. */
export const threadStatuses = ['idle', 'running', 'waiting'] as const;
export type ThreadStatus = (typeof threadStatuses)[number];

export type RunRecord = {
  run_id: string;
  thread_id: string;
  agent_id: string;
  parent_run_id: string | null;
  parent_thread_id: string | null;
  origin: RunOrigin;
  status: RunStatus;
  termination_code: RunCode | null;
  termination_detail: string | null;
  created_at: number;
  updated_at: number;
  metadata: JsonObject | null;
  input_tokens: number;
  output_tokens: number;
  source_mailbox_entry_id: string | null;
  resource_id: string | null;
};

export type ToolCall = { id: string; name: string; arguments: JsonValue };

export type Message = {
  /** Append number in the thread; never used again (CONTRACT 3.2). */
  cursor: number;
  id: string;
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string;
  tool_calls?: ToolCall[];
  tool_call_id?: string;
  /** A tool message whose content is an error text: the model is told so. */
  is_error?: boolean;
  /** What the provider wants to see of its own answer again. Never shown to clients. */
  trace?: ProviderTrace;
  visibility?: 'internal';
  run_id: string | null;
  step: number | null;
  created_at: number;
};

/** Where an entry stands; only `queued` and `claimed` are not final (CONTRACT 4.1). */
export const entryStatuses = ['queued', 'claimed', 'accepted', 'superseded', 'cancelled', 'dead_letter'] as const;
export type EntryStatus = (typeof entryStatuses)[number];

/** Where an entry comes from: a client, or the server itself (sub-agents, notifications). */
export const entryOrigins = ['external', 'internal'] as const;
export type EntryOrigin = (typeof entryOrigins)[number];

/** A message of a start request; an id the thread already has makes it no news (CONTRACT 1.11). */
export type StartMessage = {
  role: 'user' | 'system' | 'assistant';
  content: string;
  id?: string;
  /** Meant for the model alone. */
  visibility?: 'internal';
};

export type MailboxEntry = {
  entry_id: string;
  thread_id: string;
  run_id: string;
  agent_id: string;
  origin: EntryOrigin;
  sender_id: string | null;
  /** 0 (lowest) to 255. */
  priority: number;
  dedupe_key: string | null;
  generation: number;
  status: EntryStatus;
  available_at: number;
  attempt_count: number;
  last_error: string | null;
  payload: { messages: StartMessage[]; state?: JsonObject };
  created_at: number;
  updated_at: number;
};

/** A client's answer to a pending tool call (spec, ToolCallDecision). */
export type Decision = {
  target_id: string;
  decision_id: string;
  action: 'resume' | 'cancel';
  result: JsonValue;
  reason?: string;
  updated_at: number;
};
