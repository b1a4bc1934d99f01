/**
 * What of a request's messages can be news (CONTRACT-PROTOCOLS, the rule for decisions; 6.2).
 *
 * AG-UI clients send the whole conversation each time. Whatever stands in front of an assistant message was said in an
 * earlier run, so only what follows the last one can be new: inputs (user, system, developer) and results of tool calls.
 * What the client shows besides (reasoning, activities) is nobody's words and is passed over. Pure.
 */

import type { StartMessage } from '../../actors/records.js';
import { textOf } from './content.js';
import type { GivenMessage } from './request.js';

export type Input = StartMessage & { role: 'user' | 'system' };

/** A tool message: the result of a call, or what a person has decided about it. */
export type ToolResult = { call_id: string; content: string; error?: string };

export type Tail = {
  inputs: Input[];
  results: ToolResult[];
  /** The last thing of all that was said, if it is an input: what a client runs again from. */
  last: Input | undefined;
  /** Ids of the messages in front. */
  earlier: ReadonlySet<string>;
};

export function tailOf(messages: readonly GivenMessage[]): Tail {
  const spoken = messages.filter(({ role }) => role !== 'reasoning' && role !== 'activity');
  const from = spoken.findLastIndex(({ role }) => role === 'assistant') + 1;
  const tail = spoken.slice(from).map(read);
  const last = tail.at(-1);
  return {
    inputs: tail.filter((message) => 'role' in message),
    results: tail.filter((message) => 'call_id' in message),
    last: last && 'role' in last ? last : undefined,
    earlier: new Set(spoken.slice(0, from).flatMap(({ id }) => id ?? [])),
  };
}

function read(message: GivenMessage): Input | ToolResult {
  if (message.role === 'tool') {
    const { toolCallId, content, error } = message;
    return { call_id: toolCallId, content: textOf(content ?? ''), ...(error ? { error } : {}) };
  }
  if (!('content' in message)) throw new Error('an assistant message is not part of a tail');
  const { role, id, content } = message;
  return { role: role === 'user' ? 'user' : 'system', content: textOf(content), ...(id === undefined ? {} : { id }) };
}
