/**
 * Ask the model once.
 *
 * `infer` resolves with the outcome after every event of the answer has passed `append`, and rejects with
 * - an `AbortError` as soon as the caller aborts, also when the provider does not listen;
 * - an `InferenceError` when the model cannot be called, fails, falls silent or breaks off; `retryable` says whether the
 *   same call may succeed later;
 * - whatever `append` rejects with, unchanged.
 * It never calls `append` after it has settled, leaves no rejection unhandled and no stream unread: the loser of every
 * race is cancelled.
 *
 * The provider interface is called directly and read with one reader: the loop over several model calls is the run
 * machine's, so nothing here knows of rounds, and a call of twenty deltas costs microseconds.
 */

import type { LanguageModelV3, LanguageModelV3CallOptions, LanguageModelV3StreamPart } from '@ai-sdk/provider';
import { Answer } from './answer.js';
import { Batches } from './batches.js';
import { toInferenceError } from './inference-errors.js';
import { toPrompt } from './prompt.js';
import { modelKey } from './trace.js';
import type { Agent } from './types.js';
import {
  InferenceError,
  type Append,
  type HistoryMessage,
  type InferenceOutcome,
  type ModelEvent,
} from './model-call.js';
import { abortError, Watch } from './watch.js';

/** Parts read ahead of `append`: what a slow disk can make us hold per call. */
const READ_AHEAD = 256;
/** Milliseconds a response may go on after its last part. */
const LINGER_MS = 1_000;

/** What a model is asked: an agent's prompt and tools come from its definition. */
export type InferenceRequest = {
  agent: Agent;
  /** The thread's messages up to now, in order, the run's own steps included. */
  history: HistoryMessage[];
  /** Call ids already used in this run. */
  used_call_ids: ReadonlySet<string>;
  /** Milliseconds of silence from the provider after which the call fails as retryable. */
  idle_timeout_ms: number;
  signal: AbortSignal;
  append: Append<ModelEvent>;
};

/** Asks; resolves and rejects as the head of this file says. */
export async function infer(request: InferenceRequest): Promise<InferenceOutcome> {
  if (request.signal.aborted) throw abortError(request.signal);
  const watch = new Watch(request.signal, request.idle_timeout_ms);
  try {
    return await Promise.race([ask(request, watch), watch.broken]);
  } catch (error) {
    watch.stopProvider();
    throw error;
  } finally {
    watch.close();
  }
}

async function ask(
  { agent, history, used_call_ids, append }: InferenceRequest,
  watch: Watch,
): Promise<InferenceOutcome> {
  const began = performance.now();
  const model = resolve(agent);
  const prompt = toPrompt(agent.system_prompt, history, modelKey(model));
  const options = callOptions(agent, prompt, watch.signal);
  const batches = new Batches<LanguageModelV3StreamPart>(READ_AHEAD);
  const answer = new Answer(model, used_call_ids);
  void read(await open(model, options, watch), batches, watch);
  for (let batch; (batch = await batches.next());) {
    const events: ModelEvent[] = [];
    const failure = fold(answer, batch, events);
    if (watch.signal.aborted) break;
    if (events.length > 0) await append(events);
    if (failure) throw failure;
  }
  return answer.outcome(Math.round(performance.now() - began));
}

/** A model that cannot be made (no key, unknown provider) is the configuration's fault: no retry mends it. */
function resolve(agent: Agent): LanguageModelV3 {
  try {
    return agent.resolveModel();
  } catch (cause) {
    if (cause instanceof InferenceError) throw cause;
    throw new InferenceError(cause instanceof Error ? cause.message : String(cause), false, null, { cause });
  }
}

function callOptions(agent: Agent, prompt: LanguageModelV3CallOptions['prompt'], abortSignal: AbortSignal) {
  const { temperature, top_p, max_output_tokens, stop, seed } = agent.model_options;
  const options: LanguageModelV3CallOptions = { prompt, abortSignal };
  if (temperature !== undefined) options.temperature = temperature;
  if (top_p !== undefined) options.topP = top_p;
  if (max_output_tokens !== undefined) options.maxOutputTokens = max_output_tokens;
  if (stop !== undefined) options.stopSequences = stop;
  if (seed !== undefined) options.seed = seed;
  if (agent.provider_options !== undefined) options.providerOptions = { ...agent.provider_options };
  if (agent.tools.length > 0) {
    options.tools = agent.tools.map(({ name, description, parameters: inputSchema }) => ({
      type: 'function',
      name,
      description,
      inputSchema,
    }));
  }
  return options;
}

type PartStream = ReadableStream<LanguageModelV3StreamPart>;

async function open(model: LanguageModelV3, options: LanguageModelV3CallOptions, watch: Watch): Promise<PartStream> {
  watch.listen();
  try {
    const { stream } = await model.doStream(options);
    if (watch.signal.aborted) void stream.cancel().catch(() => {});
    return stream;
  } catch (error) {
    throw toInferenceError(error);
  }
}

/** Reads to the part that ends the answer; never throws: a failure reaches the writer through `batches`. */
async function read(stream: PartStream, batches: Batches<LanguageModelV3StreamPart>, watch: Watch): Promise<void> {
  if (watch.signal.aborted) return;
  const reader = stream.getReader();
  const drop = () => void reader.cancel().catch(() => {});
  watch.signal.addEventListener('abort', drop, { once: true });
  try {
    for (;;) {
      watch.listen();
      const { done, value } = await reader.read();
      watch.rest();
      if (done) break;
      batches.put(value);
      if (value.type === 'finish' || value.type === 'error') {
        release(reader);
        break;
      }
      await batches.room();
    }
    batches.close();
  } catch (error) {
    batches.fail(toInferenceError(error));
  }
}

/**
 * All is said. The response is given a moment to end by itself, since a connection that is cut cannot be used again.
 */
function release(reader: ReadableStreamDefaultReader<LanguageModelV3StreamPart>): void {
  const drop = () => void reader.cancel().catch(() => {});
  const timer = setTimeout(drop, LINGER_MS).unref();
  reader.read().then(
    ({ done }) => {
      clearTimeout(timer);
      if (!done) drop();
    },
    () => clearTimeout(timer),
  );
}

/** Adds the events of a batch up to its end or to what went wrong, which is returned so that the events go out first. */
function fold(
  answer: Answer,
  batch: readonly LanguageModelV3StreamPart[],
  events: ModelEvent[],
): InferenceError | undefined {
  try {
    for (const part of batch) answer.take(part, events);
    return undefined;
  } catch (error) {
    return toInferenceError(error);
  }
}
