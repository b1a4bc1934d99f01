/** What this server puts into the messages of the chat SDK beyond the SDK's own types. */

import type { UIMessage } from 'ai';

export type Metadata = {
  /** The run this message is the answer of. */
  runId?: string;
  threadId?: string;
  /** Ids of parts of an attempt that was given up: the model was asked again. */
  voidParts?: Record<string, true>;
  /** Why the run stopped before its answer was whole. */
  termination?: string;
};

export type DataParts = {
  /** How far a tool call is; its id is `tool_call:<call id>`. */
  'activity-snapshot': { content: { progress?: number; message?: string; status?: string } };
  /** What a pending call asks when that is no approval; its id is `fc_<call id>`. */
  suspension: { toolCallId: string; toolName: string; kind: string; message: string };
};

export type ChatMessage = UIMessage<Metadata, DataParts>;

/** A conversation; the server keeps its messages, the page remembers whom it is with. */
export type Thread = { id: string; agent: string; title: string };
