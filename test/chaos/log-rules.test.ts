/** The judges of the kill test find what they are there to find: sound logs with one thing wrong. */

import { describe, expect, test } from 'vitest';
import type { EventData, EventType } from '../../src/actors/events.js';
import { ledgerFaults, type RunLedger } from './ledger.js';
import { factsOf, parseFrame, type Frame } from './log-rules.js';

const run = { run_id: 'r', thread_id: 't' };
const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };

/** A log from `[type, data, step]`. */
function log(...events: { [T in EventType]: [type: T, data: EventData[T], step?: number] }[EventType][]): Frame[] {
  return events.map(([type, data, step], seq) => {
    const event = { type, ...run, seq, timestamp_ms: 1_000 + seq, ...(step === undefined ? {} : { step }), data };
    return parseFrame(`id: ${seq}\ndata: ${JSON.stringify(event)}\n\n`);
  });
}

/** One step that pays, in doubt once and paid after all, and one that speaks. */
const sound = (): Frame[] =>
  log(
    ['run_start', { agent_id: 'a', parent_run_id: null, parent_thread_id: null, origin: 'user' }],
    ['step_start', { message_id: 'm0' }, 0],
    ['text_delta', { delta: 'void' }, 0],
    ['inference_retry', { attempt: 1, reason: 'the server restarted', messages_upto: 1 }, 0],
    ['tool_call_start', { id: 'c', name: 'pay' }, 0],
    ['tool_call_ready', { id: 'c', name: 'pay', arguments: {} }, 0],
    ['inference_complete', { model: 'x', usage, duration_ms: 1 }, 0],
    ['step_end', { finish_reason: 'tool-calls' }, 0],
    ['tool_call_suspended', { id: 'c', name: 'pay', arguments: {}, suspension: { id: 'fc_c', kind: 'in_doubt', message: '?' } }, 0], // prettier-ignore
    ['run_waiting', { pending: [] }, 0],
    ['run_resumed', { decisions: ['d'] }, 0],
    ['tool_call_resumed', { target_id: 'c', decision_id: 'd', action: 'resume', result: { retry: true } }, 0],
    ['tool_call_done', { id: 'c', name: 'pay', message_id: 'm1', outcome: 'succeeded', result: 1 }, 0],
    ['step_start', { message_id: 'm2' }, 1],
    ['text_delta', { delta: 'hel' }, 1],
    ['text_delta', { delta: 'lo' }, 1],
    ['inference_complete', { model: 'x', usage, duration_ms: 1 }, 1],
    ['step_end', { finish_reason: 'stop' }, 1],
    ['run_finish', { termination: { code: 'natural', detail: null }, result: { response: 'hello' }, usage }, 1],
  );

/** Takes events out, or says them again, and numbers the rest anew. */
function without(from: number, count = 1, again: number[] = []): Frame[] {
  const frames = sound();
  frames.splice(from, count, ...again.map((i) => frames[i]!));
  return frames.map(({ event }, seq) => ({ id: String(seq), event: { ...event, seq, timestamp_ms: seq } }));
}

describe('factsOf', () => {
  test('finds nothing wrong with a sound log', () => {
    const { faults, calls, steps, code } = factsOf(sound(), run);
    expect(faults).toEqual([]);
    expect([...calls.values()]).toMatchObject([{ id: 'c', outcome: 'succeeded', doubted: true, retries: 1, done: 12 }]);
    expect(steps).toEqual([
      { complete: 6, retries: 1 },
      { complete: 16, retries: 0 },
    ]);
    expect(code).toBe('natural');
  });

  test.each<[string, Frame[], RegExp]>([
    ['a gap', sound().filter((_, i) => i !== 2), /event 2: seq is 3/],
    ['a frame twice', sound().flatMap((frame, i) => (i === 4 ? [frame, frame] : [frame])), /event 5: seq is 4/],
    ['an id that is not the seq', sound().map((f, i) => (i === 3 ? { ...f, id: '4' } : f)), /event 3: .* the id 4/],
    ['no end', sound().slice(0, -1), /ends without run_finish \(between\)/],
    ['two ends', without(19, 0, [18]), /something follows run_finish/],
    ['no beginning', without(0), /step_start cannot come here \(before\)/],
    ['a step that was asked again', without(17, 0, [16]), /inference_complete cannot come here \(answered\)/],
    ['a step without an answer', without(16), /ends well without an inference_complete/],
    ['a step left out', without(1, 12), /step 1 comes after step -1/],
    ['a call that is done twice', without(13, 0, [12]), /call c is done twice/],
    ['a call that is never done', without(12), /a step begins while calls of the step before it are open/],
    ['text that was lost', without(14), /the response is not the text of the last step/],
    ['a pause that nobody ended', without(10), /step_start cannot come here \(waiting\)/],
  ])('finds %s', (_, frames, expected) => {
    expect(factsOf(frames, run).faults.join('\n')).toMatch(expected);
  });

  test('refuses what is not a frame', () => {
    expect(() => parseFrame('data: {}\n\n')).toThrow('not a frame');
    expect(() => parseFrame('id: 1\ndata: {}\ndata: {}\n\n')).toThrow('not a frame');
  });
});

describe('ledgerFaults', () => {
  const { calls, steps } = factsOf(sound(), run);
  const boots = sound().map((_, i) => (i < 9 ? 1 : 2));
  const judged = (change: {
    starts?: number[];
    ends?: number[];
    effect?: string;
    asks?: [number, number[]][];
  }): string =>
    ledgerFaults(
      {
        calls: new Map([['c', { effect: 'once', starts: [1, 2], ends: [2], ...change }]]),
        asks: new Map(change.asks ?? [
          [1, [1, 1]],
          [3, [2]],
        ]), // prettier-ignore
      } satisfies RunLedger,
      { calls: calls.values(), steps, boots },
    ).join('\n');

  test('finds nothing wrong with what agrees', () => expect(judged({})).toBe(''));

  test.each<[string, Parameters<typeof judged>[0], RegExp]>([
    ['an execution too many', { starts: [1, 1, 2] }, /started 3 times, with leave to repeat it 1/],
    ['one behind the outcome', { starts: [1, 3] }, /executed in boot 3, its outcome was seen in boot 2/],
    ['a success that did not happen', { ends: [] }, /never came to its end/],
    ['a doubt that need not be', { effect: 'idempotent' }, /is idempotent and was in doubt/],
    ['a question too many', { asks: [[1, [1, 1, 1]], [3, [2]]] }, /asked 3 times in step 0, the log tells of 1/], // prettier-ignore
    ['a question behind the answer', { asks: [[1, [1, 2]], [3, [2]]] }, /finished in boot 1 and the model was asked again in 2/], // prettier-ignore
    ['a step the log has not', { asks: [[1, [1]], [3, [2]], [5, [2]]] }, /asked in 3 steps, the log has 2/], // prettier-ignore
  ])('finds %s', (_, change, expected) => expect(judged(change)).toMatch(expected));

  test('finds a call that the log has not, and one that left no trace', () => {
    const log = { calls: calls.values(), steps, boots };
    const stranger = new Map([['x', { effect: 'once', starts: [1], ends: [] }]]);
    expect(ledgerFaults({ calls: stranger, asks: new Map() }, log)).toEqual([
      'call x was executed, but the log does not have it',
      'call c is said to have succeeded, but there is no trace of it',
    ]);
  });
});
