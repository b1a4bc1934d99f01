/**
 * What a step has to tell the remote: an answer to its question, or what has been said since it spoke last. Pure.
 *
 * The remote remembers its conversation, so it is told only what is new to it. A remote that was not part of a
 * conversation, or whose conversation was cut here, begins a new one and is told what was said before.
 */

import type { Part } from '@a2a-js/sdk';
import type { JsonValue } from '../../json.js';
import { InferenceError, type HistoryMessage } from '../model-call.js';
import { memoryOf } from './memory.js';
import { dataPart, textPart } from './parts.js';
import type { RemoteMemory, RemoteRequest } from './types.js';

export type Outgoing = {
  parts: Part[];
  context_id: string;
  /** The task that asked, when these parts are the answer. */
  answers?: RemoteMemory & { task_id: string };
};

/** `remote`: how traces name the remote. Throws an `InferenceError` when there is nothing to tell. */
export function outgoing(
  { history, conversation, context, step }: Pick<RemoteRequest, 'history' | 'conversation' | 'context' | 'step'>,
  remote: string,
): Outgoing {
  const at = history.findLastIndex((message) => memoryOf(message, remote)?.conversation === conversation);
  const memory = at < 0 ? undefined : memoryOf(history[at]!, remote);
  const news = history.slice(at + 1);
  if (step > 0 && memory?.task_id && news.length > 0 && news.every(({ role }) => role === 'tool'))
    return {
      parts: news.map(({ content }) => answerPart(content)),
      context_id: memory.context_id,
      answers: { ...memory, task_id: memory.task_id },
    };
  const parts = [...context.map(textPart), ...newsParts(news)];
  if (parts.length === 0) throw new InferenceError('there is nothing to tell the remote agent', false);
  return { parts, context_id: memory?.context_id ?? conversation };
}

/** Objects and lists travel as data, everything else as the text it is. */
function answerPart(content: string): Part {
  const value = parsed(content);
  return typeof value === 'object' && value !== null ? dataPart(value) : textPart(content);
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** The newest words of the user as they are; what came before them as a report, since the remote took no part in it. */
function newsParts(news: readonly HistoryMessage[]): Part[] {
  const spoken = news.filter(({ role, content }) => role !== 'tool' && content !== '');
  const last = spoken.findLastIndex(({ role }) => role === 'assistant');
  const before = spoken.slice(0, last + 1).map(({ role, content }) => `${role}: ${content}`);
  const report = before.length === 0 ? [] : [textPart(`The conversation so far:\n\n${before.join('\n\n')}`)];
  return [...report, ...spoken.slice(last + 1).map(({ content }) => textPart(content))];
}
