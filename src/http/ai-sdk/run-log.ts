/**
 * What the log of a run says about its tool calls: which were asked for, how they were answered, how they ended. Folds
 * the events that are stored now; never waits.
 */

import type { Engine, EventReader } from '../../actors/engine.js';
import type { EventData, StoredEvent } from '../../actors/events.js';

export type CallState = {
  /** The last question of the call; how many times it has asked. */
  question: EventData['tool_call_suspended']['suspension'] | null;
  times: number;
  /** The answer to it. `after`: the last event in front of what followed the answer. */
  answer: { after: number; denied: boolean; reason: string | undefined } | null;
  outcome: EventData['tool_call_done']['outcome'] | null;
};

export type RunLog = {
  /** The id of the run's one assistant message; null when the run never had a step. */
  turn_id: string | null;
  calls: ReadonlyMap<string, CallState>;
};

/** Throws `run_not_found`, `events_expired`. */
export async function readRunLog(engine: Engine, run_id: string): Promise<RunLog> {
  const reader = await engine.readEvents(run_id, -1);
  try {
    return await foldStored(reader);
  } finally {
    reader.close();
  }
}

/** The id of the run's assistant message, read from the beginning of its log; null when there is none yet. */
export async function turnIdOf(engine: Engine, run_id: string): Promise<string | null> {
  const reader = await engine.readEvents(run_id, -1);
  try {
    for await (const [, [type, , data]] of stored(reader)) if (type === 'step_start') return data.message_id;
    return null;
  } finally {
    reader.close();
  }
}

async function foldStored(reader: EventReader): Promise<RunLog> {
  let turn_id: string | null = null;
  const calls = new Map<string, CallState>();
  let paused = -1;
  let resumedBy: readonly string[] = [];
  for await (const [seq, [type, , data]] of stored(reader)) {
    if (type === 'step_start') turn_id ??= data.message_id;
    else if (type === 'run_waiting') paused = seq;
    else if (type === 'run_resumed') resumedBy = data.decisions;
    else if (type === 'tool_call_suspended') {
      const times = (calls.get(data.id)?.times ?? 0) + 1;
      calls.set(data.id, { question: data.suspension, times, answer: null, outcome: null });
    } else if (type === 'tool_call_resumed') {
      const call = calls.get(data.target_id);
      // What follows an answer that ended a pause begins behind that pause, with the resumption.
      const after = resumedBy.includes(data.decision_id) ? paused : seq - 1;
      if (call) call.answer = { after, denied: denies(data), reason: data.reason };
    } else if (type === 'tool_call_done') {
      const call = calls.get(data.id) ?? { question: null, times: 0, answer: null, outcome: null };
      calls.set(data.id, { ...call, outcome: data.outcome });
    }
  }
  return { turn_id, calls };
}

const denies = ({ action, result }: EventData['tool_call_resumed']): boolean =>
  action === 'cancel' ||
  (typeof result === 'object' && result !== null && !Array.isArray(result) && result.approved === false);

async function* stored(reader: EventReader): AsyncGenerator<[seq: number, event: StoredEvent]> {
  while (!reader.caughtUp) {
    const slice = await reader.next();
    if (!slice) return;
    const { chunk, from } = slice;
    for (let i = from; i < chunk.events.length; i++) yield [chunk.n + i, chunk.events[i]!];
  }
}
