/**
 * Absolute deadlines on one native timer: a binary heap, with cancelled ones dropped when they come up.
 *
 * Each fires once, never before its time (QUALITY promise 7). Deadlines are not rows of their own: they stand in the
 * effects of the actor rows that want them, which recovery reads anyway.
 */

import type { Clock } from './clock.js';

type Deadline = { at: number; fire: (() => void) | null };

export class Deadlines {
  #heap: Deadline[] = [];
  #armed: { at: number; cancel: () => void } | null = null;

  constructor(private readonly clock: Clock) {}

  get size(): number {
    return this.#heap.length;
  }

  /** Calls `fire` at or after `at` (unix milliseconds); the answer cancels it. */
  set(at: number, fire: () => void): () => void {
    const deadline: Deadline = { at, fire };
    this.#push(deadline);
    this.#arm();
    return () => {
      deadline.fire = null;
    };
  }

  /** Forgets all of them. */
  clear(): void {
    this.#armed?.cancel();
    this.#armed = null;
    this.#heap = [];
  }

  #arm(): void {
    while (this.#heap[0] && this.#heap[0].fire === null) this.#pop();
    const next = this.#heap[0];
    if (!next || (this.#armed && this.#armed.at <= next.at)) return;
    this.#armed?.cancel();
    this.#armed = { at: next.at, cancel: this.clock.at(next.at, () => this.#due()) };
  }

  #due(): void {
    this.#armed = null;
    const now = this.clock.now();
    while (this.#heap[0] && (this.#heap[0].fire === null || this.#heap[0].at <= now)) this.#pop().fire?.();
    this.#arm();
  }

  #push(item: Deadline): void {
    const heap = this.#heap;
    let i = heap.push(item) - 1;
    while (i > 0) {
      const up = (i - 1) >> 1;
      if (heap[up]!.at <= item.at) break;
      heap[i] = heap[up]!;
      i = up;
    }
    heap[i] = item;
  }

  #pop(): Deadline {
    const heap = this.#heap;
    const top = heap[0]!;
    const last = heap.pop()!;
    if (heap.length === 0) return top;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && heap[child + 1]!.at < heap[child]!.at) child++;
      if (heap[child]!.at >= last.at) break;
      heap[i] = heap[child]!;
      i = child;
    }
    heap[i] = last;
    return top;
  }
}
