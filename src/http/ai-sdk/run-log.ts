/**
 * What the log of a run says about its tool calls: which were asked for, how they were answered, how they ended. Folds
 * the events that are stored now; never waits.
 */

import type { Engine } from '../../actors/engine.js';
import type { EventData, StoredEvent } from '../../actors/events.js';
import { storedEvents } from '../stored-events.js';

export type CallState = {
  /** The last question of the call; how many times it has asked. */
  question: EventData['tool_call_suspended']['suspension'] | null;
  times: number;
  /** The answer to it. `after`: the last event in front of what followed the answer. */
  answer: { after: number; denied: boolean; reason: string | undefined } | null;
  outcome: EventData['tool_call_done']['outcome'] | null;
  /** The last event in front of its end, if that came at a pause and without an answer. */
  closed: number | null;
};

/** By call id. */
export type CallStates = ReadonlyMap<string, CallState>;

/** Folds the events of one run, given in order. */
export class CallFold {
  readonly calls = new Map<string, CallState>();
  #paused = -1;
  #resumedBy: readonly string[] = [];

  see(seq: number, [type, , data]: StoredEvent): void {
    if (type === 'run_waiting') this.#paused = seq;
    else if (type === 'run_resumed') this.#resumedBy = data.decisions;
    else if (type === 'tool_call_suspended') {
      const times = (this.calls.get(data.id)?.times ?? 0) + 1;
      this.calls.set(data.id, { ...unasked, question: data.suspension, times });
    } else if (type === 'tool_call_resumed') {
      const call = this.calls.get(data.target_id);
      // What follows an answer that ended a pause begins behind that pause, with the resumption.
      const after = this.#resumedBy.includes(data.decision_id) ? this.#paused : seq - 1;
      if (call)
        this.calls.set(data.target_id, { ...call, answer: { after, denied: denies(data), reason: data.reason } });
    } else if (type === 'tool_call_done') {
      const call = this.calls.get(data.id) ?? unasked;
      const closed = call.question && !call.answer ? this.#paused : null;
      this.calls.set(data.id, { ...call, outcome: data.outcome, closed });
    }
  }
}

const unasked: CallState = { question: null, times: 0, answer: null, outcome: null, closed: null };

/** Throws `run_not_found`, `events_expired`. */
export async function callsOf(engine: Engine, run_id: string): Promise<CallStates> {
  const fold = new CallFold();
  for await (const [seq, event] of eventsOf(engine, run_id)) fold.see(seq, event);
  return fold.calls;
}

/** The id of the run's one assistant message, from the beginning of its log; null when there is none yet. */
export async function turnIdOf(engine: Engine, run_id: string): Promise<string | null> {
  for await (const [, [type, , data]] of eventsOf(engine, run_id)) if (type === 'step_start') return data.message_id;
  return null;
}

const denies = ({ action, result }: EventData['tool_call_resumed']): boolean =>
  action === 'cancel' ||
  (typeof result === 'object' && result !== null && !Array.isArray(result) && result.approved === false);

async function* eventsOf(engine: Engine, run_id: string): AsyncGenerator<[seq: number, event: StoredEvent]> {
  const reader = await engine.readEvents(run_id, -1);
  try {
    yield* storedEvents(reader);
  } finally {
    reader.close();
  }
}
