/**
 * The stream parts of a model, said shortly. What a script or a test yields.
 */

import type { LanguageModelV3FinishReason, LanguageModelV3StreamPart } from '@ai-sdk/provider';

export type Part = LanguageModelV3StreamPart;

/** One text block of these deltas. */
export function* text(deltas: Iterable<string>, id = 'text'): Generator<Part> {
  yield { type: 'text-start', id };
  for (const delta of deltas) yield { type: 'text-delta', id, delta };
  yield { type: 'text-end', id };
}

/** One reasoning block of these deltas. */
export function* reasoning(deltas: Iterable<string>, id = 'reasoning'): Generator<Part> {
  yield { type: 'reasoning-start', id };
  for (const delta of deltas) yield { type: 'reasoning-delta', id, delta };
  yield { type: 'reasoning-end', id };
}

/** One tool call, its arguments streamed in two pieces as providers do. `input` is JSON text, or a value. */
export function* toolCall(id: string, toolName: string, input: unknown = {}): Generator<Part> {
  const args = typeof input === 'string' ? input : JSON.stringify(input);
  const half = Math.ceil(args.length / 2);
  yield { type: 'tool-input-start', id, toolName };
  for (const delta of [args.slice(0, half), args.slice(half)]) {
    if (delta !== '') yield { type: 'tool-input-delta', id, delta };
  }
  yield { type: 'tool-input-end', id };
  yield { type: 'tool-call', toolCallId: id, toolName, input: args };
}

/** The last part of every answer. */
export function finish(
  unified: LanguageModelV3FinishReason['unified'] = 'stop',
  { input = 1, output = 1 }: { input?: number; output?: number } = {},
): Part {
  return {
    type: 'finish',
    finishReason: { unified, raw: unified },
    usage: {
      inputTokens: { total: input, noCache: input, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: output, text: output, reasoning: undefined },
    },
  };
}

/** A whole answer of plain text. */
export function* say(...deltas: string[]): Generator<Part> {
  yield* text(deltas);
  yield finish('stop', { output: deltas.length });
}
