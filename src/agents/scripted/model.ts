/**
 * A language model whose answers are written in advance: the demo agents' model and the test double, one and the same.
 *
 * It is a real `LanguageModelV3`; what calls it cannot tell it from a provider. A script gets the call's options and
 * gives the parts of the answer, as an iterable (streamed in one burst, no timers) or an async iterable (which may wait
 * for whatever it likes: a timer, a test's gate). An abort ends the stream at once with the signal's reason, also while
 * an async script waits, and the script's `finally` blocks run. What a script throws, the stream fails with; a script
 * that throws before it gives an iterable makes the call itself fail. The stream ends where the script ends: a `finish`
 * part is the script's business.
 */

import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Content,
  LanguageModelV3GenerateResult,
} from '@ai-sdk/provider';
import type { Part } from './parts.js';

export type Script = (options: LanguageModelV3CallOptions) => Iterable<Part> | AsyncIterable<Part>;

/** Parts of a synchronous script handed to the stream per pull: enough to be cheap, few enough to keep memory flat. */
const BURST = 64;

/** Makes the model. `modelId` is what `inference_complete.model` shows. */
export function scriptedModel(script: Script, modelId = 'scripted'): LanguageModelV3 {
  return {
    specificationVersion: 'v3',
    provider: 'scripted',
    modelId,
    supportedUrls: {},
    doStream: async (options) => {
      options.abortSignal?.throwIfAborted();
      const parts = script(options);
      const stream = Symbol.iterator in parts ? burst(parts, options) : paced(parts, options);
      return { stream };
    },
    doGenerate: async (options) => generate(script(options), options),
  };
}

function burst(parts: Iterable<Part>, { abortSignal }: LanguageModelV3CallOptions): ReadableStream<Part> {
  const iterator = parts[Symbol.iterator]();
  return new ReadableStream<Part>({
    pull(controller) {
      abortSignal?.throwIfAborted();
      for (let i = 0; i < BURST; i++) {
        const { done, value } = iterator.next();
        if (done) return controller.close();
        controller.enqueue(value);
      }
    },
    cancel: () => void iterator.return?.(),
  });
}

function paced(parts: AsyncIterable<Part>, { abortSignal }: LanguageModelV3CallOptions): ReadableStream<Part> {
  const iterator = parts[Symbol.asyncIterator]();
  // An async generator answers `return` only once its pending `next` has settled: nobody waits for either here.
  const drop = () => void iterator.return?.()?.catch(() => {});
  return new ReadableStream<Part>({
    start(controller) {
      abortSignal?.addEventListener('abort', () => (controller.error(abortSignal.reason), drop()), { once: true });
    },
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (abortSignal?.aborted) return;
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: drop,
  });
}

/** The same answer without streaming. */
async function generate(
  parts: Iterable<Part> | AsyncIterable<Part>,
  { abortSignal }: LanguageModelV3CallOptions,
): Promise<LanguageModelV3GenerateResult> {
  const content: LanguageModelV3Content[] = [];
  for await (const part of parts) {
    abortSignal?.throwIfAborted();
    if (part.type === 'error') throw part.error;
    if (part.type === 'tool-call') content.push(part);
    if (part.type === 'text-delta') append(content, 'text', part.delta);
    if (part.type === 'reasoning-delta') append(content, 'reasoning', part.delta);
    if (part.type === 'finish') return { content, finishReason: part.finishReason, usage: part.usage, warnings: [] };
  }
  throw new Error('the script ended without a finish part');
}

function append(content: LanguageModelV3Content[], type: 'text' | 'reasoning', delta: string): void {
  const last = content.at(-1);
  if (last?.type === type) last.text += delta;
  else content.push({ type, text: delta });
}
