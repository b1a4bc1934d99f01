/**
 * Text as a given number of deltas, at once or over a given time.
 */

import { delay } from '../timer.js';

/**
 * Exactly `count` non-empty pieces of whole words. A text of fewer words goes on by counting; lazily, so that a million
 * deltas need no memory.
 */
export function* inDeltas(text: string, count: number): Generator<string> {
  const words = text.match(/\s*\S+\s*/g) ?? [];
  for (let i = 0; i < count; i++) {
    if (words.length < count) yield words[i] ?? ` ${i + 1}`;
    else yield words.slice(at(i, count, words.length), at(i + 1, count, words.length)).join('');
  }
}

/** Where piece `i` of `count` begins among `total` words. */
const at = (i: number, count: number, total: number): number => Math.floor((i * total) / count);

/** The same items spread evenly over `duration_ms`; stops with its reason as soon as the signal fires. */
export async function* over<T>(
  items: Iterable<T>,
  count: number,
  duration_ms: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<T> {
  const began = Date.now();
  let i = 0;
  for (const item of items) {
    const wait = began + (i++ * duration_ms) / count - Date.now();
    if (wait >= 1) await delay(wait, signal);
    yield item;
  }
}
