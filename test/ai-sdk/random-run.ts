/**
 * Runs as the engine might write them, at random: events in the order of CONTRACT 11, in random chunks, with retries,
 * refusals, questions, pauses and early ends; and the messages the thread has when the run is over.
 */

import fc from '../support/property.js';
import {
  advance,
  initialEncoderState,
  type EventData,
  type EventType,
  type LogChunk,
  type StoredEvent,
  type Suspension,
  type SuspensionKind,
  type TerminationCode,
} from '../../src/actors/events.js';
import type { Message } from '../../src/actors/records.js';
import type { JsonValue } from '../../src/json.js';

export type RandomRun = { chunks: LogChunk[]; messages: Message[] };

export const run = { run_id: 'r', thread_id: 't' };

type Piece =
  { is: 'text'; delta: string } | { is: 'thought'; delta: string } | { is: 'call'; args: JsonValue; pieces: number };

/** What becomes of a call: the questions it asks one after the other, and how it ends. */
type Fate = {
  asks: SuspensionKind[];
  outcome: EventData['tool_call_done']['outcome'];
  progress: number;
  result: JsonValue;
};

type Step = {
  thinks: Piece[];
  /** Attempts that come to nothing, cut off anywhere, even within a call. */
  lost: { thinks: Piece[]; open: boolean }[];
  fates: Fate[];
};

type Plan = {
  steps: Step[];
  /** The last step is cut off (only with an early end). */
  cut: boolean;
  end: TerminationCode;
  chunks: number[];
};

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 });
const json = fc.jsonValue({ maxDepth: 1 }) as fc.Arbitrary<JsonValue>;
const piece: fc.Arbitrary<Piece> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ is: fc.constant('text' as const), delta: text }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('thought' as const), delta: text }) },
  {
    weight: 2,
    arbitrary: fc.record({ is: fc.constant('call' as const), args: json, pieces: fc.integer({ min: 0, max: 3 }) }),
  },
);
const fate: fc.Arbitrary<Fate> = fc.record({
  asks: fc.array(fc.constantFrom('approval', 'frontend', 'input', 'in_doubt'), { maxLength: 2 }),
  outcome: fc.constantFrom('succeeded', 'succeeded', 'failed', 'denied', 'cancelled'),
  progress: fc.nat(2),
  result: json,
});
const plan: fc.Arbitrary<Plan> = fc.record({
  steps: fc.array(
    fc.record({
      thinks: fc.array(piece, { maxLength: 5 }),
      lost: fc.array(fc.record({ thinks: fc.array(piece, { maxLength: 3 }), open: fc.boolean() }), { maxLength: 1 }),
      fates: fc.array(fate, { minLength: 1, maxLength: 3 }),
    }),
    { maxLength: 4 },
  ),
  cut: fc.boolean(),
  end: fc.constantFrom<TerminationCode>(
    'natural',
    'natural',
    'cancelled',
    'superseded',
    'error',
    'max_rounds_reached',
    'tool_called',
    'loop_detected',
    'timeout_reached',
  ),
  chunks: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 8 }),
});

export const randomRun: fc.Arbitrary<RandomRun> = plan.map((made) => new Writer().write(made));

/** A step without calls is the last one, and the last one of a run that ends by itself has none. */
function thinksOf({ thinks }: Step, last: boolean, natural: boolean): Piece[] {
  if (last) return natural ? thinks.filter(({ is }) => is !== 'call') : thinks;
  return thinks.some(({ is }) => is === 'call') ? thinks : [...thinks, { is: 'call', args: {}, pieces: 1 }];
}

const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };

class Writer {
  #events: StoredEvent[] = [];
  #messages: Message[] = [];
  #step = -1;
  #calls = 0;

  write({ steps, cut, end, chunks }: Plan): RandomRun {
    this.#say('run_start', { agent_id: 'a', parent_run_id: null, parent_thread_id: null, origin: 'ai_sdk' });
    const natural = end === 'natural' && steps.length > 0;
    const code = end === 'natural' && !natural ? 'cancelled' : end;
    const cutOff = cut && !natural && ['cancelled', 'superseded', 'error', 'timeout_reached'].includes(code);
    for (const [i, step] of steps.entries()) {
      const last = i === steps.length - 1;
      this.#run({ ...step, thinks: thinksOf(step, last, natural) }, last && cutOff);
    }
    const detail = code === 'error' ? 'it broke' : null;
    if (code === 'error') this.#say('error', { message: 'it broke', code: 'x' });
    this.#say('run_finish', {
      termination: { code, detail },
      result: natural ? { response: 'x' } : null,
      usage,
    });
    return { chunks: chunked(this.#events, chunks), messages: this.#messages };
  }

  #run({ thinks, lost, fates }: Step, cut: boolean): void {
    this.#step++;
    const message_id = `m${this.#step}`;
    this.#say('step_start', { message_id });
    for (const [i, attempt] of lost.entries()) {
      this.#think(attempt.thinks, attempt.open);
      this.#say('inference_retry', { attempt: i + 1, reason: 'lost', messages_upto: this.#messages.length });
    }
    const { content, calls } = this.#think(thinks, cut);
    if (!cut) this.#say('inference_complete', { model: 'm', usage, duration_ms: 1 });
    const made = cut ? [] : calls;
    if (content !== '' || made.length > 0) {
      this.#keep({
        id: message_id,
        role: 'assistant',
        content,
        ...(made.length > 0 ? { tool_calls: made.map(({ id, args }) => ({ id, name: 'tool', arguments: args })) } : {}),
      });
    }
    this.#say('step_end', { finish_reason: cut ? 'other' : calls.length > 0 ? 'tool-calls' : 'stop' });
    if (!cut) this.#act(calls.map(({ id, args }, i) => ({ id, args, fate: fates[i % fates.length]! })));
  }

  /** @param open the last call is left in the middle of its arguments. */
  #think(pieces: Piece[], open: boolean): { content: string; calls: { id: string; args: JsonValue }[] } {
    let content = '';
    const calls: { id: string; args: JsonValue }[] = [];
    for (const [i, piece] of pieces.entries()) {
      if (piece.is === 'text') {
        content += piece.delta;
        this.#say('text_delta', { delta: piece.delta });
      } else if (piece.is === 'thought') {
        this.#say('reasoning_delta', { delta: piece.delta });
      } else {
        const id = `c${this.#calls++}`;
        const args = JSON.stringify(piece.args);
        this.#say('tool_call_start', { id, name: 'tool' });
        for (let n = 0; n < piece.pieces; n++) {
          const size = Math.ceil(args.length / piece.pieces);
          this.#say('tool_call_delta', { id, args_delta: args.slice(n * size, (n + 1) * size) });
        }
        if (open && i === pieces.length - 1) break;
        this.#say('tool_call_ready', { id, name: 'tool', arguments: piece.args });
        calls.push({ id, args: piece.args });
      }
    }
    return { content, calls };
  }

  #act(calls: { id: string; args: JsonValue; fate: Fate }[]): void {
    let open = calls.map((call) => ({ ...call, asked: 0 }));
    for (;;) {
      const pending: Suspension[] = [];
      for (const call of [...open]) {
        const kind = call.fate.asks[call.asked];
        if (kind === undefined) {
          this.#end(call);
          open = open.filter((other) => other !== call);
        } else {
          call.asked++;
          const suspension = { id: `fc_${call.id}`, kind, message: `${kind}?` };
          this.#say('tool_call_suspended', { id: call.id, name: 'tool', arguments: call.args, suspension });
          pending.push({ ...suspension, tool_call_id: call.id, name: 'tool' });
        }
      }
      if (pending.length === 0) return;
      this.#say('run_waiting', { pending });
      this.#say('run_resumed', { decisions: pending.map(({ tool_call_id }) => `d${tool_call_id}`) });
      for (const { tool_call_id } of pending) {
        const { outcome, asks } = open.find(({ id }) => id === tool_call_id)!.fate;
        const denied = outcome === 'denied' && asks.length > 0;
        this.#say('tool_call_resumed', {
          target_id: tool_call_id,
          decision_id: `d${tool_call_id}`,
          action: denied ? 'cancel' : 'resume',
          result: null,
        });
      }
    }
  }

  #end({ id, fate }: { id: string; fate: Fate }): void {
    for (let n = 1; n <= fate.progress; n++) {
      this.#say('activity_snapshot', {
        message_id: `tool_call:${id}`,
        activity_type: 'tool-call-progress',
        content: { progress: n / 2 },
        replace: true,
      });
    }
    const { outcome, result } = fate;
    const error = outcome === 'succeeded' ? null : `it was ${outcome}`;
    const message_id = `t${id}`;
    this.#keep({
      id: message_id,
      role: 'tool',
      content: error ?? (typeof result === 'string' ? result : JSON.stringify(result)),
      tool_call_id: id,
      ...(error === null ? {} : { is_error: true }),
    });
    this.#say(
      'tool_call_done',
      outcome === 'succeeded'
        ? { id, name: 'tool', message_id, outcome, result }
        : { id, name: 'tool', message_id, outcome, error: `it was ${outcome}` },
    );
  }

  #keep(message: Pick<Message, 'id' | 'role' | 'content'> & Partial<Message>): void {
    this.#messages.push({ cursor: this.#messages.length, run_id: 'r', step: this.#step, created_at: 0, ...message });
  }

  #say<T extends EventType>(type: T, data: EventData[T]): void {
    this.#events.push([type, 0, data] as unknown as StoredEvent);
  }
}

/** The events in chunks of these sizes, over and over. */
export function chunked(events: StoredEvent[], sizes: readonly number[]): LogChunk[] {
  const chunks: LogChunk[] = [];
  let enc = initialEncoderState;
  for (let n = 0, i = 0; n < events.length; i++) {
    const part = events.slice(n, n + sizes[i % sizes.length]!);
    chunks.push({ n, t0: 0, enc, events: part });
    enc = part.reduce(advance, enc);
    n += part.length;
  }
  return chunks;
}
