/**
 * Stored messages as AG-UI messages, under the ids with which they were streamed (CONTRACT-PROTOCOLS 6.6): what a client
 * has put together from a stream and what it reads from the history is the same list. Pure.
 */

import type { EventData } from '../../actors/events.js';
import type { Message, ToolCall } from '../../actors/records.js';
import { jsonText } from '../../json.js';
import type { AgUiMessage, AgUiToolCall } from './events.js';

/** One message. An assistant message that made calls and said nothing has no `content`. */
export function toAgUiMessage({ id, role, content, tool_calls, tool_call_id, is_error }: Message): AgUiMessage {
  if (role === 'user' || role === 'system') return { id, role, content };
  if (role === 'tool') {
    return { id, role, toolCallId: tool_call_id ?? '', content, ...(is_error ? { error: content } : {}) };
  }
  if (!tool_calls || tool_calls.length === 0) return { id, role, content };
  return { id, role, ...(content === '' ? {} : { content }), toolCalls: tool_calls.map(toAgUiCall) };
}

const toAgUiCall = ({ id, name, arguments: args }: ToolCall): AgUiToolCall => ({
  id,
  type: 'function',
  function: { name, arguments: jsonText(args) },
});

/** What clients may see of a thread: what is meant for the model alone is left out. */
export const toAgUiMessages = (messages: readonly Message[]): AgUiMessage[] =>
  messages.filter(({ visibility }) => visibility !== 'internal').map(toAgUiMessage);

/** A call's result as text, as the thread keeps it. */
export const resultText = (done: EventData['tool_call_done']): string =>
  done.outcome === 'succeeded' ? jsonText(done.result) : done.error;
