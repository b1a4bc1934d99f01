/**
 * Collects what a provider will want to see of its own answer again (`ProviderTrace`), from its stream parts. No I/O.
 *
 * Nothing is kept when the provider put nothing of its own into the answer, but for reasoning that led to calls: models
 * that think between calls are told their thoughts together with the results.
 */

import type { LanguageModelV3, LanguageModelV3StreamPart } from '@ai-sdk/provider';
import type { ProviderMetadata, ProviderTrace, TracePart } from './model-call.js';

type Part = LanguageModelV3StreamPart;
type Given = Extract<Part, { type: 'text-start' }>['providerMetadata'];

/** How traces name a model. */
export const modelKey = ({ provider, modelId }: Pick<LanguageModelV3, 'provider' | 'modelId'>): string =>
  `${provider}/${modelId}`;

export class TraceRecorder {
  readonly #parts: TracePart[] = [];
  /** Blocks by the provider's id; ids come again once their block has ended. */
  readonly #open = new Map<string, TracePart & { type: 'text' | 'reasoning' }>();

  /** Takes any part; calls come by `call`, since their ids are ours. */
  take(part: Part): void {
    switch (part.type) {
      case 'reasoning-start':
        return this.#begin(part.id, { type: 'reasoning', text: '' }, part.providerMetadata);
      case 'text-start':
        return this.#begin(part.id, { type: 'text', length: 0 }, part.providerMetadata);
      case 'reasoning-delta':
      case 'text-delta': {
        const block = this.#block(part);
        if (block.type === 'text') block.length += part.delta.length;
        else block.text += part.delta;
        return annotate(block, part.providerMetadata);
      }
      case 'reasoning-end':
      case 'text-end': {
        const block = this.#open.get(part.id);
        if (block) annotate(block, part.providerMetadata);
        this.#open.delete(part.id);
        return;
      }
    }
  }

  /** The call of our `id`, made just now. */
  call(id: string, metadata: Given): void {
    this.#add({ type: 'call', id }, metadata);
  }

  /** `model`: the `modelKey` of who answered. */
  result(model: string): ProviderTrace | undefined {
    const parts = this.#parts.filter((part) => part.metadata || part.type === 'call' || !isEmpty(part));
    const signed = parts.some((part) => part.metadata);
    const thoughtful = parts.some(({ type }) => type === 'reasoning') && parts.some(({ type }) => type === 'call');
    return signed || thoughtful ? { model, parts } : undefined;
  }

  #begin(id: string, block: TracePart & { type: 'text' | 'reasoning' }, metadata: Given): void {
    this.#add(block, metadata);
    this.#open.set(id, block);
  }

  /** The block a delta belongs to; one that was never begun is begun. */
  #block(part: Extract<Part, { type: 'text-delta' | 'reasoning-delta' }>): TracePart & { type: 'text' | 'reasoning' } {
    const type = part.type === 'text-delta' ? 'text' : 'reasoning';
    const open = this.#open.get(part.id);
    if (open?.type === type) return open;
    this.#begin(part.id, type === 'text' ? { type, length: 0 } : { type, text: '' }, undefined);
    return this.#open.get(part.id)!;
  }

  #add(part: TracePart, metadata: Given): void {
    annotate(part, metadata);
    this.#parts.push(part);
  }
}

/** The newest word of the provider on a part holds. */
function annotate(part: TracePart, metadata: Given): void {
  if (metadata && Object.keys(metadata).length > 0) part.metadata = metadata as ProviderMetadata;
}

const isEmpty = (part: TracePart): boolean =>
  (part.type === 'text' && part.length === 0) || (part.type === 'reasoning' && part.text === '');
