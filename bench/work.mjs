/**
 * The work of one run, the same for everybody: one user message in, 25 events out (20 of them text deltas).
 *
 * The baselines make their frames here. They have the shape and, within a few bytes, the size of the server's canonical
 * events, and as much JSON is made per event. The subject answers the question by itself; how many bytes a run had is in
 * the results of every target, so that a difference would show.
 */

import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';

export const DELTAS = 20;
/** run_start, step_start, 20 text_delta, inference_complete, step_end, run_finish. */
export const EVENTS = DELTAS + 5;
/** Milliseconds between two deltas of the paced variant. */
export const PACE_MS = 5;

export const QUESTION = 'How is the weather in Lisbon today?';

/** What the demo agent says to the question, cut as it cuts it. */
export const TEXTS = [
  'You ',
  'said: "How ',
  'is ',
  'the weather ',
  'in ',
  'Lisbon today?". ',
  'This ',
  'is the ',
  'scripted ',
  'demo model: ',
  'it ',
  'repeats what ',
  'it ',
  'is told, ',
  'calls ',
  'tools on ',
  'request ',
  'and costs ',
  'nothing ',
  'to run.',
];

export const RESPONSE = TEXTS.join('');

const USAGE = { input_tokens: 20, output_tokens: 36, total_tokens: 56 };

/**
 * @typedef {{ run_id: string, thread_id: string, message_id: string, question: string, t0: number, seq: number }} Run
 * @typedef {[type: string, dt: number, data: object]} StoredEvent
 */

/** Reads the request body, as JSON text or already parsed. Throws when it asks for nothing.
 * @param {string | unknown} body
 * @returns {Run} */
export function openRun(body) {
  const payload = typeof body === 'string' ? JSON.parse(body) : body;
  const question = payload.messages[0].content;
  if (typeof question !== 'string') throw new TypeError('messages[0].content must be a text');
  return {
    run_id: randomUUID(),
    thread_id: payload.threadId,
    message_id: randomUUID(),
    question,
    t0: Date.now(),
    seq: 0,
  };
}

/** One SSE frame of the canonical shape; takes the run's next sequence number.
 * @param {Run} run @param {string} type @param {object} data */
export function frame(run, type, data) {
  const seq = run.seq++;
  const { run_id, thread_id } = run;
  const head = { type, run_id, thread_id, seq, timestamp_ms: Date.now() };
  return `id: ${seq}\ndata: ${JSON.stringify(seq === 0 ? { ...head, data } : { ...head, step: 0, data })}\n\n`;
}

/** The events before the deltas. @param {Run} run */
export const headFrames = (run) =>
  frame(run, 'run_start', { agent_id: 'assistant', parent_run_id: null, parent_thread_id: null, origin: 'user' }) +
  frame(run, 'step_start', { message_id: run.message_id });

/** @param {Run} run @param {string} delta */
export const deltaFrame = (run, delta) => frame(run, 'text_delta', { delta });

/** The events behind the deltas. @param {Run} run */
export const tailFrames = (run) =>
  frame(run, 'inference_complete', { model: 'scripted:assistant', usage: USAGE, duration_ms: Date.now() - run.t0 }) +
  frame(run, 'step_end', { finish_reason: 'stop' }) +
  frame(run, 'run_finish', {
    termination: { code: 'natural', detail: null },
    result: { response: RESPONSE },
    usage: USAGE,
  });

/** The deltas in one burst, or PACE_MS apart: a write each.
 * @param {Run} run @param {boolean} paced @param {(frame: string) => void} write */
export async function speak(run, paced, write) {
  for (const text of TEXTS) {
    if (paced) await wait(PACE_MS);
    write(deltaFrame(run, text));
  }
}
