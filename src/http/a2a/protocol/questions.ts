/** What a task asks its client, in the messages of its status (CONTRACT-PROTOCOLS 8.3). Pure. */

import type { Message } from '@a2a-js/sdk';
import type { EventData, Suspension, SuspensionKind } from '../../../actors/events.js';
import type { JsonObject, JsonValue } from '../../../json.js';
import { agentSays, dataPart, textPart, type TaskRef } from './messages.js';

/** A call that waits for a decision. */
export type Question = {
  call_id: string;
  suspension_id: string;
  name: string;
  kind: SuspensionKind;
  message: string;
  /** Of the call; unknown where only the pause itself is seen. */
  arguments?: JsonValue;
  response_schema?: JsonObject;
};

export const questionOf = ({ id, name, arguments: args, suspension }: EventData['tool_call_suspended']): Question => ({
  call_id: id,
  suspension_id: suspension.id,
  name,
  kind: suspension.kind,
  message: suspension.message,
  arguments: args,
  ...(suspension.response_schema ? { response_schema: suspension.response_schema } : {}),
});

export const pendingQuestion = ({ id, tool_call_id, ...rest }: Suspension): Question => ({
  call_id: tool_call_id,
  suspension_id: id,
  ...rest,
});

/** The questions for people, one a line, and for programs: `{pending: [{tool_call_id, …}]}`. */
export function askingMessage(messageId: string, task: TaskRef, questions: readonly Question[]): Message {
  const pending = questions.map(({ call_id, ...rest }) => ({ tool_call_id: call_id, ...rest }));
  const text = questions.map(({ message }) => message).join('\n');
  return agentSays(messageId, task, [textPart(text), dataPart({ pending })]);
}
