/**
 * The live end of a run's log: the last chunks, shared by all its readers, and a bell that rings when one is added.
 *
 * Readers pull by sequence number. A reader that has fallen behind the ring reads the store (`reader.ts`); nothing is
 * ever buffered per reader.
 */

import type { LogChunk } from '../events.js';

export class Feed {
  #ring: LogChunk[] = [];
  #bells = new Set<() => void>();
  /** Sequence number the next chunk will begin with. */
  next: number;
  /** Nothing will follow: `run_finish` is in, or the engine is closing. */
  ended = false;
  readers = 0;

  constructor(
    next: number,
    private readonly size: number,
  ) {
    this.next = next;
  }

  /** A durable chunk. */
  push(chunk: LogChunk): void {
    this.#ring.push(chunk);
    if (this.#ring.length > this.size) this.#ring.shift();
    this.next = chunk.n + chunk.events.length;
    this.#wake();
  }

  end(): void {
    this.ended = true;
    this.#wake();
  }

  /** The chunk that holds event `seq`, if it is still in the ring. */
  find(seq: number): LogChunk | undefined {
    const ring = this.#ring;
    const last = ring.at(-1);
    if (!last || seq < ring[0]!.n || seq >= this.next) return undefined;
    if (seq >= last.n) return last;
    let low = 0;
    let high = ring.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (ring[middle]!.n <= seq) low = middle;
      else high = middle - 1;
    }
    return ring[low];
  }

  /** Calls once when something is added or the feed ends; the answer takes the call back. */
  onNext(bell: () => void): () => void {
    this.#bells.add(bell);
    return () => void this.#bells.delete(bell);
  }

  #wake(): void {
    const bells = this.#bells;
    if (bells.size === 0) return;
    this.#bells = new Set();
    for (const bell of bells) bell();
  }
}
