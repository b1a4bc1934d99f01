/**
 * One call of a model as everybody around it sees it: the history it is told, what it emits, how it ends.
 *
 * An agent that lives elsewhere is asked in place of a model (`remote/types.ts`), with the same words.
 */

import type { JsonObject, JsonValue } from '../json.js';

/** A message as the model is told it; `actors/records.ts` Message satisfies it. */
export type HistoryMessage = {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string;
  tool_calls?: { id: string; name: string; arguments: JsonValue }[];
  tool_call_id?: string;
  is_error?: boolean;
  /** As it came with the answer. */
  trace?: ProviderTrace;
};

/**
 * What a provider wants to see of its own answer when the conversation goes on: reasoning with its signature, signatures
 * of calls, ids of items. Some refuse the results of an answer's calls without it, so it is kept with the assistant
 * message. Plain JSON, opaque to everybody else; never shown to clients.
 */
export type ProviderTrace = {
  /** `<provider>/<model id>` of the model that answered. It is told to no other one. */
  model: string;
  /** The answer's parts in the order they came. */
  parts: TracePart[];
};

export type TracePart =
  | { type: 'reasoning'; text: string; metadata?: ProviderMetadata }
  /** The next `length` characters of the message's content. */
  | { type: 'text'; length: number; metadata?: ProviderMetadata }
  /** The call of this id among the message's `tool_calls`. */
  | { type: 'call'; id: string; metadata?: ProviderMetadata };

/** By the provider's namespace, as its package gives it. */
export type ProviderMetadata = Record<string, JsonObject>;

/** What a model call emits while it goes on; a subset of the canonical events without their numbers. */
export type ModelEvent =
  | ['text_delta', { delta: string }]
  | ['reasoning_delta', { delta: string }]
  | ['tool_call_start', { id: string; name: string }]
  | ['tool_call_delta', { id: string; args_delta: string }]
  | ['tool_call_ready', { id: string; name: string; arguments: JsonValue }];

/** Takes events in order; the promise resolves when more may be produced (back-pressure). Rejects when aborted. */
export type Append<E> = (events: E[]) => Promise<void>;

export type ModelUsage = { input_tokens: number; output_tokens: number; total_tokens: number };

export type InferenceOutcome = {
  text: string;
  /** Calls in the order the model made them. Ids are unique within the run: a provider that repeats ids gets new ones. */
  calls: {
    id: string;
    name: string;
    arguments: JsonValue;
    /** It may have taken effect already, and nobody knows: what a person is asked (CONTRACT 1.15). */
    in_doubt?: string;
  }[];
  finish_reason: 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other';
  model: string;
  usage: ModelUsage;
  duration_ms: number;
  /** To be kept with the assistant message and given back in `HistoryMessage`; absent when the provider needs nothing. */
  trace?: ProviderTrace;
};

/** The model call failed. `retryable`: the same call may succeed later (network, 408, 409, 429, 5xx, idle). */
export class InferenceError extends Error {
  override readonly name = 'InferenceError';
  constructor(
    message: string,
    readonly retryable: boolean,
    /** Milliseconds the provider asked to wait, if it did. */
    readonly retry_after_ms: number | null = null,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
