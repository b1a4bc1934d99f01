/**
 * The fold from a provider's stream parts to our events and, in the end, to the outcome. No I/O.
 *
 * Guarantees to those who read the events: no empty deltas; `tool_call_start`, then its deltas, then exactly one
 * `tool_call_ready` for each call, also when the provider leaves some of these out; the deltas of a call, put together,
 * are its arguments as text; call ids are unique within the run (a provider that repeats or omits ids gets new ones).
 *
 * Arguments that do not parse stay a string: the call then fails at validation and the model is told (CONTRACT 11).
 * What a provider executed itself (`providerExecuted`) is part of its answer, no call for us.
 */

import type { LanguageModelV3, LanguageModelV3StreamPart, LanguageModelV3Usage } from '@ai-sdk/provider';
import { v7 as uuidv7 } from 'uuid';
import type { JsonValue } from '../json.js';
import { modelKey, TraceRecorder } from './trace.js';
import { InferenceError, type InferenceOutcome, type ModelEvent, type ModelUsage } from './model-call.js';

type Part = LanguageModelV3StreamPart;
type Finish = Extract<Part, { type: 'finish' }>;
type ToolCallPart = Extract<Part, { type: 'tool-call' }>;
/** A call whose arguments are still coming. `provider_id` is what later parts call it; it need not be unique. */
type OpenCall = { provider_id: string; id: string; name: string; args: string };

export class Answer {
  #text = '';
  #model: string;
  #finish: Finish | undefined;
  #open: OpenCall[] = [];
  readonly #calls: InferenceOutcome['calls'] = [];
  readonly #taken: Set<string>;
  /** Ids of calls the provider executes itself. */
  readonly #theirs = new Set<string>();
  readonly #trace = new TraceRecorder();

  constructor(
    private readonly asked: Pick<LanguageModelV3, 'provider' | 'modelId'>,
    used_call_ids: ReadonlySet<string>,
  ) {
    this.#model = asked.modelId;
    this.#taken = new Set(used_call_ids);
  }

  /** Adds the events of one part. Throws what an `error` part carries, unmapped. */
  take(part: Part, events: ModelEvent[]): void {
    this.#trace.take(part);
    switch (part.type) {
      case 'text-delta':
        if (part.delta === '') return;
        this.#text += part.delta;
        events.push(['text_delta', { delta: part.delta }]);
        return;
      case 'reasoning-delta':
        if (part.delta !== '') events.push(['reasoning_delta', { delta: part.delta }]);
        return;
      case 'tool-input-start':
        if (part.providerExecuted) this.#theirs.add(part.id);
        else this.#start(part.id, part.toolName, events);
        return;
      case 'tool-input-delta':
        return this.#extend(part.id, part.delta, events);
      case 'tool-call':
        if (!part.providerExecuted) this.#ready(part, events);
        return;
      case 'response-metadata':
        this.#model = part.modelId ?? this.#model;
        return;
      case 'finish':
        // A call the provider opened and never closed was cut off: it is told as far as it came.
        for (const call of [...this.#open]) this.#close(call, call.args, events);
        this.#finish = part;
        return;
      case 'error':
        throw part.error;
    }
  }

  /** What the call came to. Throws a retryable `InferenceError` when the stream ended early or says it failed. */
  outcome(duration_ms: number): InferenceOutcome {
    if (!this.#finish) throw new InferenceError('the model stopped sending before its answer was complete', true);
    const { unified, raw } = this.#finish.finishReason;
    if (unified === 'error') throw new InferenceError(`the model ended with an error${raw ? `: ${raw}` : ''}`, true);
    // Some servers say "stop" although they made calls.
    const called = this.#calls.length > 0 && (unified === 'stop' || unified === 'other');
    const trace = this.#trace.result(modelKey(this.asked));
    return {
      text: this.#text,
      calls: this.#calls,
      finish_reason: called ? 'tool-calls' : unified,
      model: this.#model,
      usage: toUsage(this.#finish.usage),
      duration_ms,
      ...(trace ? { trace } : {}),
    };
  }

  #start(provider_id: string, name: string, events: ModelEvent[]): OpenCall {
    const id = provider_id === '' || this.#taken.has(provider_id) ? uuidv7() : provider_id;
    this.#taken.add(id);
    const call = { provider_id, id, name, args: '' };
    this.#open.push(call);
    events.push(['tool_call_start', { id, name }]);
    return call;
  }

  #extend(provider_id: string, delta: string, events: ModelEvent[]): void {
    if (delta === '' || this.#theirs.has(provider_id)) return;
    const call = this.#open.findLast((open) => open.provider_id === provider_id);
    if (!call) throw new InferenceError(`the model sent arguments for a call it never began`, true);
    call.args += delta;
    events.push(['tool_call_delta', { id: call.id, args_delta: delta }]);
  }

  #ready({ toolCallId, toolName, input, providerMetadata }: ToolCallPart, events: ModelEvent[]): void {
    const open = this.#open.find((call) => call.provider_id === toolCallId);
    const call = open ?? this.#start(toolCallId, toolName, events);
    if (call.args === '' && input !== '') {
      call.args = input;
      events.push(['tool_call_delta', { id: call.id, args_delta: input }]);
    }
    this.#close(call, input, events, providerMetadata);
  }

  #close(call: OpenCall, input: string, events: ModelEvent[], metadata?: ToolCallPart['providerMetadata']): void {
    this.#open.splice(this.#open.indexOf(call), 1);
    const done = { id: call.id, name: call.name, arguments: parseArguments(input) };
    this.#calls.push(done);
    this.#trace.call(call.id, metadata);
    events.push(['tool_call_ready', done]);
  }
}

/** The JSON value; `{}` for nothing at all (a tool without arguments); the text itself when it does not parse. */
function parseArguments(text: string): JsonValue {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}

/** Tokens as the provider counted them; 0 where it does not say. */
function toUsage({ inputTokens, outputTokens }: LanguageModelV3Usage): ModelUsage {
  const input_tokens = inputTokens.total ?? 0;
  const output_tokens = outputTokens.total ?? 0;
  return { input_tokens, output_tokens, total_tokens: input_tokens + output_tokens };
}
