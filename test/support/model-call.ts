/** One call of an agent's model, as tests make it: the events it told, its outcome, and its failure as a value. */

import { infer } from '../../src/agents/inference.js';
import type { Agent } from '../../src/agents/types.js';
import type { HistoryMessage, InferenceError, ModelEvent } from '../../src/agents/model-call.js';

export const user = (content: string): HistoryMessage => ({ role: 'user', content });

export function askModel(
  agent: Agent,
  history: HistoryMessage[] | string,
  signal: AbortSignal = new AbortController().signal,
) {
  const events: ModelEvent[] = [];
  const outcome = infer({
    agent,
    history: typeof history === 'string' ? [user(history)] : history,
    used_call_ids: new Set(),
    idle_timeout_ms: 20_000,
    signal,
    append: async (batch) => void events.push(...batch),
  });
  return { events, outcome };
}

/** What the call failed with; a call that succeeds is the failure here. */
export const failureOf = (outcome: Promise<unknown>): Promise<InferenceError> =>
  outcome.then(
    () => Promise.reject(new Error('the call succeeded')),
    (error: InferenceError) => error,
  );
