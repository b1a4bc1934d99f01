/**
 * What goes on the wire to an AG-UI client: the events of the protocol that this server sends, and its messages.
 *
 * The shapes hold for every client from 0.0.47 on: optional keys are absent, never null; tool results are strings. Fields
 * that only 1.0 knows (`protocolVersion`, `usage`, `pendingToolCallIds`, the outcome `cancelled`) are marked.
 */

import type { JsonObject, JsonValue } from '../../json.js';

export type AgUiToolCall = { id: string; type: 'function'; function: { name: string; arguments: string } };

export type AgUiMessage =
  | { id: string; role: 'user' | 'system'; content: string }
  | { id: string; role: 'assistant'; content?: string; toolCalls?: AgUiToolCall[] }
  | { id: string; role: 'tool'; toolCallId: string; content: string; error?: string };

/** What the client is asked. `id` comes back in a `resume` entry. */
export type Interrupt = {
  id: string;
  reason: string;
  message: string;
  toolCallId: string;
  responseSchema?: JsonObject;
};

export type Outcome =
  | { type: 'success'; /** 1.0 */ pendingToolCallIds?: string[] }
  | { type: 'interrupt'; interrupts: Interrupt[] }
  /** 1.0 */
  | { type: 'cancelled' };

/** 1.0 */
export type TokenUsage = { inputTokens: number; outputTokens: number; totalTokens: number };

/** An event without its time. */
export type AgUiFields =
  | {
      type: 'RUN_STARTED';
      threadId: string;
      runId: string;
      parentRunId?: string;
      /** 1.0 */
      protocolVersion?: string;
    }
  | {
      type: 'RUN_FINISHED';
      threadId: string;
      runId: string;
      result?: JsonValue;
      outcome?: Outcome;
      usage?: TokenUsage[];
    }
  | { type: 'RUN_ERROR'; message: string; code: string }
  | { type: 'STEP_STARTED' | 'STEP_FINISHED'; stepName: string }
  | { type: 'TEXT_MESSAGE_START'; messageId: string; role: 'assistant' }
  | { type: 'TEXT_MESSAGE_CONTENT' | 'REASONING_MESSAGE_CONTENT'; messageId: string; delta: string }
  | { type: 'TEXT_MESSAGE_END' | 'REASONING_START' | 'REASONING_MESSAGE_END' | 'REASONING_END'; messageId: string }
  | { type: 'REASONING_MESSAGE_START'; messageId: string; role: 'reasoning' }
  | { type: 'TOOL_CALL_START'; toolCallId: string; toolCallName: string; parentMessageId?: string }
  | { type: 'TOOL_CALL_ARGS'; toolCallId: string; delta: string }
  | { type: 'TOOL_CALL_END'; toolCallId: string }
  | { type: 'TOOL_CALL_RESULT'; messageId: string; toolCallId: string; content: string; role: 'tool' }
  | { type: 'ACTIVITY_SNAPSHOT'; messageId: string; activityType: string; content: JsonObject; replace: boolean }
  | { type: 'ACTIVITY_DELTA'; messageId: string; activityType: string; patch: JsonValue }
  | { type: 'STATE_SNAPSHOT'; snapshot: JsonValue }
  | { type: 'STATE_DELTA'; delta: JsonValue }
  | { type: 'MESSAGES_SNAPSHOT'; messages: readonly AgUiMessage[] };
