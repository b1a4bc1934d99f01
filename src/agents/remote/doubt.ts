/**
 * A message that was sent, and of which nothing came back before the server died or the connection broke: it may be at
 * work there. A remote that does not take messages once must not be told it again, so a person decides (CONTRACT 1.15),
 * and the question is a call of the tool `remote_send` that is in doubt from the beginning.
 *
 * - `resume` with `{"retry": true}`: it did not arrive. The next step sends it.
 * - `resume` with a result: it did, and this was the answer. The next step says so; nothing is sent.
 * - `cancel`: the run ends `error` with the reason.
 *
 * Nothing here is a word of the conversation: what the remote is told later does not know of it.
 */

import type { Part } from '@a2a-js/sdk';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { defineTool } from '../tool.js';
import type { HistoryMessage, InferenceOutcome } from '../model-call.js';
import { wordsOf } from './parts.js';

const REMOTE_SEND = 'remote_send';
const AGAIN = { retry: true };

/** Called by nobody but for a message in doubt; carried out when it is to be sent again. */
export const remoteSend = defineTool({
  name: REMOTE_SEND,
  description: 'Sends the remote agent a message once more of which nothing came back.',
  input: z.object({ message: z.string() }),
  execute: () => AGAIN,
});

export const doubtCall = (parts: readonly Part[]): InferenceOutcome['calls'][number] => ({
  id: uuidv7(),
  name: REMOTE_SEND,
  arguments: { message: wordsOf(parts) },
  in_doubt: 'the message was sent to the remote agent and nothing came back: did it arrive?',
});

/** What was decided of the message that the step before this one was about. */
export type Verdict = { is: 'send' } | { is: 'answered'; text: string } | { is: 'given up'; why: string };

/** The conversation without its doubts, and how the last one was settled, if that was the step before. */
export function settled(history: readonly HistoryMessage[]): { history: HistoryMessage[]; verdict: Verdict } {
  const doubts = new Set<string>();
  for (const { tool_calls = [] } of history)
    for (const { id, name } of tool_calls) if (name === REMOTE_SEND) doubts.add(id);
  const isDoubt = ({ tool_calls = [], tool_call_id = '' }: HistoryMessage): boolean =>
    doubts.has(tool_call_id) || tool_calls.some(({ id }) => doubts.has(id));
  const last = history.at(-1);
  return {
    history: history.filter((message) => !isDoubt(message)),
    verdict: last?.role === 'tool' && isDoubt(last) ? verdictIn(last) : { is: 'send' },
  };
}

function verdictIn({ content, is_error }: HistoryMessage): Verdict {
  if (is_error) return { is: 'given up', why: `the remote agent was not told again: ${content}` };
  return content === JSON.stringify(AGAIN) ? { is: 'send' } : { is: 'answered', text: content };
}
