/**
 * The UI message chunks this server sends: the part of the chat SDK's stream protocol (version 6) that a run needs.
 *
 * Only types and keys that the schema of `ai` 6.0.1 knows: clients before 6.0.231 refuse a chunk with any other key.
 */

import type { FinishReason, SuspensionKind, TerminationCode } from '../../actors/events.js';
import type { JsonObject, JsonValue } from '../../json.js';

export type UiChunk =
  | { type: 'start'; messageId: string; messageMetadata: { runId: string; threadId: string } }
  | { type: 'start-step' | 'finish-step' | 'abort' }
  /** The client keeps the metadata of a part but not its id, which it needs to know a void part by. */
  | { type: 'text-start' | 'reasoning-start'; id: string; providerMetadata: { agentServer: { partId: string } } }
  | { type: 'text-end' | 'reasoning-end'; id: string }
  | { type: 'text-delta' | 'reasoning-delta'; id: string; delta: string }
  | { type: 'tool-input-start'; toolCallId: string; toolName: string }
  | { type: 'tool-input-delta'; toolCallId: string; inputTextDelta: string }
  | { type: 'tool-input-available'; toolCallId: string; toolName: string; input: JsonValue }
  | { type: 'tool-approval-request'; approvalId: string; toolCallId: string }
  | { type: 'tool-output-available'; toolCallId: string; output: JsonValue }
  | { type: 'tool-output-error'; toolCallId: string; errorText: string }
  | { type: 'tool-output-denied'; toolCallId: string }
  | { type: 'message-metadata'; messageMetadata: { voidParts: { [part_id: string]: true } } }
  /** Why the run stopped, when it did so before its answer was whole. */
  | { type: 'message-metadata'; messageMetadata: { termination: TerminationCode } }
  | { type: 'finish'; finishReason: FinishReason }
  | { type: 'error'; errorText: string }
  | ActivitySnapshotPart
  | SuspensionPart
  /** Transient: told to `onData`, not kept in the message. */
  | { type: 'data-activity-delta'; id: string; data: JsonObject; transient: true }
  | { type: 'data-inference-retry'; data: { attempt: number; reason: string; voidParts: string[] }; transient: true };

/** How far a tool call is (spec, "Tool progress activity"). A later one with the same id takes its place. */
export type ActivitySnapshotPart = {
  type: 'data-activity-snapshot';
  /** `tool_call:<call id>` */
  id: string;
  data: { messageId: string; activityType: string; content: JsonObject; replace: boolean };
};

/** What a pending call asks, when it does not say so itself: the protocol has no chunk of its own for it. */
export type SuspensionPart = {
  type: 'data-suspension';
  /** `fc_<call id>`; `fc_<call id>#<n>` when it is the nth question of the call. */
  id: string;
  data: {
    toolCallId: string;
    toolName: string;
    kind: Exclude<SuspensionKind, 'approval'>;
    message: string;
    responseSchema?: JsonObject;
  };
};

/** The name of a text or reasoning part, the same in every stream and for every surface. */
export const partId = (message_id: string | null, part: number): string => `${message_id}:${part}`;
