/**
 * Runs as the engine might write them, at random: events that obey the order rules of a log, in random chunks, and the
 * messages the thread has in the end.
 */

import fc from '../support/property.js';
import type { EventData, LogChunk, Suspension, SuspensionKind } from '../../src/actors/events.js';
import type { Message, ToolCall } from '../../src/actors/records.js';
import type { JsonValue } from '../../src/json.js';
import type { Said } from '../support/fake-engine.js';
import { chunksOf } from './log.js';

export type RandomRun = {
  chunks: LogChunk[];
  /** The thread when the run is over. */
  messages: Message[];
  /** A step was cut off, so the client has seen things that were never stored. */
  cut_off: boolean;
};

type Piece =
  | { is: 'text'; delta: string }
  | { is: 'thought'; delta: string }
  | { is: 'call'; args: JsonValue }
  /** Goes on with, or ends, one of the calls that are open. */
  | { is: 'argue'; pick: number }
  | { is: 'end call'; pick: number };

type Ending = 'natural' | 'rounds' | 'cancelled' | 'superseded' | 'error';
type Fate = { outcome: 'succeeded' | 'failed'; asks: SuspensionKind | null; progress: number; later: boolean };
type Step = { attempts: Piece[][]; fates: Fate[] };
type Plan = { state: boolean; parent: boolean; steps: Step[]; ending: Ending; chunks: number[] };

const delta = fc.oneof(fc.constantFrom('a', ' b', '\n', '€ ', '😀', '"\\'), fc.string({ minLength: 1, maxLength: 8 }));
const piece = fc.oneof(
  { weight: 4, arbitrary: fc.record({ is: fc.constant('text' as const), delta }) },
  { weight: 2, arbitrary: fc.record({ is: fc.constant('thought' as const), delta }) },
  {
    weight: 2,
    arbitrary: fc.record({
      is: fc.constant('call' as const),
      args: fc.constantFrom<JsonValue>({}, { a: 'é' }, { b: [1, null] }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ is: fc.constantFrom('argue' as const, 'end call' as const), pick: fc.nat(3) }) },
);
const fate: fc.Arbitrary<Fate> = fc.record({
  outcome: fc.constantFrom('succeeded' as const, 'failed' as const),
  asks: fc.constantFrom(null, null, 'approval', 'frontend', 'input', 'in_doubt'),
  progress: fc.nat(2),
  later: fc.boolean(),
});
const plan: fc.Arbitrary<Plan> = fc.record({
  state: fc.boolean(),
  parent: fc.boolean(),
  steps: fc.array(
    fc.record({
      attempts: fc.array(fc.array(piece, { maxLength: 7 }), { minLength: 1, maxLength: 2 }),
      fates: fc.array(fate, { minLength: 3, maxLength: 3 }),
    }),
    { maxLength: 3 },
  ),
  ending: fc.constantFrom('natural', 'natural', 'rounds', 'cancelled', 'superseded', 'error'),
  chunks: fc.array(fc.nat(60), { maxLength: 12 }),
});

export const randomRun: fc.Arbitrary<RandomRun> = plan.map((made) => new Writer(made).write());

const usage = { input_tokens: 1, output_tokens: 2, total_tokens: 3 };
const SLICE = 3;

class Writer {
  #said: Said[] = [];
  #messages: Message[] = [];
  #calls = 0;
  #ids = 0;

  constructor(private readonly plan: Plan) {}

  write(): RandomRun {
    const { state, parent, steps, ending, chunks } = this.plan;
    this.#keep({ id: 'u', role: 'user', content: 'hi' });
    this.#say('run_start', {
      agent_id: 'a',
      parent_run_id: parent ? 'p' : null,
      parent_thread_id: null,
      origin: 'ag_ui',
    });
    if (state) this.#say('state_snapshot', { snapshot: { a: 1 } });
    for (const [i, step] of steps.entries()) this.#step(step, i === steps.length - 1);
    if (ending === 'error') this.#say('error', { message: 'boom', code: 'model_error' });
    this.#say('run_finish', {
      termination: {
        code: ending === 'rounds' ? 'max_rounds_reached' : ending,
        detail: ending === 'error' ? 'boom' : null,
      },
      result: ending === 'natural' ? { response: 'done' } : null,
      usage,
    });
    return { chunks: chunksOf(this.#said, chunks), messages: this.#messages, cut_off: this.#isCut && steps.length > 0 };
  }

  get #isCut(): boolean {
    return ['cancelled', 'superseded', 'error'].includes(this.plan.ending);
  }

  #step({ attempts, fates }: Step, last: boolean): void {
    const message_id = this.#id('m');
    this.#say('step_start', { message_id });
    for (const [i, attempt] of attempts.entries()) {
      const whole = i === attempts.length - 1;
      const { text, calls } = this.#stream(attempt, whole && !(last && this.#isCut));
      if (!whole) {
        this.#say('inference_retry', { attempt: i + 1, reason: 'again', messages_upto: this.#messages.length });
        continue;
      }
      const partial = last && this.#isCut;
      if (!partial) this.#say('inference_complete', { model: 'x', usage, duration_ms: 1 });
      if (text !== '' || (calls.length > 0 && !partial)) {
        const made = calls.length > 0 && !partial ? { tool_calls: calls } : {};
        this.#keep({ id: message_id, role: 'assistant', content: text, ...made });
      }
      this.#say('step_end', { finish_reason: partial ? 'other' : calls.length > 0 ? 'tool-calls' : 'stop' });
      if (!partial) this.#act(calls, fates);
    }
  }

  /** One answer of the model; `whole`: every call it began is complete. */
  #stream(pieces: Piece[], whole: boolean): { text: string; calls: ToolCall[] } {
    let text = '';
    const calls: ToolCall[] = [];
    const open: { id: string; args: JsonValue; rest: string }[] = [];
    const end = (call: (typeof open)[number]): void => {
      open.splice(open.indexOf(call), 1);
      if (call.rest !== '') this.#say('tool_call_delta', { id: call.id, args_delta: call.rest });
      this.#say('tool_call_ready', { id: call.id, name: 'tool', arguments: call.args });
      calls.push({ id: call.id, name: 'tool', arguments: call.args });
    };
    for (const part of pieces) {
      if (part.is === 'text') {
        text += part.delta;
        this.#say('text_delta', { delta: part.delta });
      } else if (part.is === 'thought') {
        this.#say('reasoning_delta', { delta: part.delta });
      } else if (part.is === 'call') {
        if (this.#calls === SLICE) continue;
        const id = this.#id('c');
        this.#calls++;
        this.#say('tool_call_start', { id, name: 'tool' });
        open.push({ id, args: part.args, rest: JSON.stringify(part.args) });
      } else {
        const call = open[part.pick % Math.max(open.length, 1)];
        if (!call) continue;
        if (part.is === 'end call') end(call);
        else if (call.rest !== '') {
          this.#say('tool_call_delta', { id: call.id, args_delta: call.rest.slice(0, SLICE) });
          call.rest = call.rest.slice(SLICE);
        }
      }
    }
    if (whole) for (const call of [...open]) end(call);
    this.#calls = 0;
    return { text, calls };
  }

  #act(calls: ToolCall[], fates: Fate[]): void {
    const asked: { call: ToolCall; fate: Fate; suspension: Suspension }[] = [];
    for (const [i, call] of calls.entries()) {
      const fate = fates[i % fates.length]!;
      this.#progress(call, fate);
      if (fate.asks === null) this.#done(call, fate);
      else asked.push({ call, fate, suspension: this.#ask(call, fate.asks) });
    }
    // Some answers come at once, the others after a second pause.
    for (const round of [asked.filter(({ fate }) => !fate.later), asked.filter(({ fate }) => fate.later)]) {
      if (round.length === 0) continue;
      const pending = asked.filter(({ call }) => !this.#messages.some(({ tool_call_id }) => tool_call_id === call.id));
      this.#say('run_waiting', { pending: pending.map(({ suspension }) => suspension) });
      this.#say('run_resumed', { decisions: round.map(({ call }) => `d_${call.id}`) });
      for (const { call, fate } of round) {
        this.#say('tool_call_resumed', {
          target_id: call.id,
          decision_id: `d_${call.id}`,
          action: 'resume',
          result: null,
        });
        this.#progress(call, fate);
        this.#done(call, fate);
      }
    }
  }

  #ask(call: ToolCall, kind: SuspensionKind): Suspension {
    const { id, name, arguments: args } = call;
    const suspension = { id: `fc_${id}`, kind, message: `${kind}?` };
    this.#say('tool_call_suspended', { id, name, arguments: args, suspension });
    return { ...suspension, tool_call_id: id, name };
  }

  #progress({ id }: ToolCall, { progress }: Fate): void {
    for (let n = 1; n <= progress; n++) {
      const content = { type: 'tool-call-progress', progress: n / 2 };
      this.#say('activity_snapshot', {
        message_id: `tool_call:${id}`,
        activity_type: 'tool-call-progress',
        content,
        replace: true,
      });
    }
  }

  #done({ id, name }: ToolCall, { outcome }: Fate): void {
    const message_id = this.#id('x');
    this.#keep({ id: message_id, role: 'tool', content: outcome === 'failed' ? 'no' : 'yes', tool_call_id: id });
    const end = { id, name, message_id };
    this.#say(
      'tool_call_done',
      outcome === 'failed' ? { ...end, outcome, error: 'no' } : { ...end, outcome, result: 'yes' },
    );
  }

  #say<T extends keyof EventData>(type: T, data: EventData[T]): void {
    this.#said.push([type, data] as Said);
  }

  #keep(message: Pick<Message, 'id' | 'role' | 'content'> & Partial<Message>): void {
    this.#messages.push({ cursor: this.#messages.length, run_id: 'r', step: null, created_at: 0, ...message });
  }

  #id(prefix: string): string {
    return `${prefix}${++this.#ids}`;
  }
}
