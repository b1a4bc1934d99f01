/**
 * Absolute deadlines on one native timer: a binary heap. Cancelled ones are dropped when they come up, or when there are
 * more of them than of the others: almost every tool call sets a deadline of minutes and cancels it within milliseconds.
 *
 * Each fires once, never before its time (QUALITY promise 7). Deadlines are not rows of their own: they stand in the
 * effects of the actor rows that want them, which recovery reads anyway.
 */

import type { Clock } from './clock.js';

/** `fire` is null when it has fired or was cancelled. */
type Deadline = { at: number; fire: (() => void) | null };

/** Fewer cancelled ones than this are left where they are. */
const FEW = 64;

export class Deadlines {
  #heap: Deadline[] = [];
  #cancelled = 0;
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
    return () => this.#cancel(deadline);
  }

  /** Forgets all of them. */
  clear(): void {
    this.#armed?.cancel();
    this.#armed = null;
    for (const deadline of this.#heap) deadline.fire = null;
    this.#heap = [];
    this.#cancelled = 0;
  }

  #cancel(deadline: Deadline): void {
    if (deadline.fire === null) return;
    deadline.fire = null;
    this.#cancelled++;
    if (this.#cancelled < FEW || this.#cancelled * 2 < this.#heap.length) return;
    // A sorted array is a heap.
    this.#heap = this.#heap.filter(({ fire }) => fire !== null).sort((a, b) => a.at - b.at);
    this.#cancelled = 0;
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
    while (this.#heap[0] && (this.#heap[0].fire === null || this.#heap[0].at <= now)) this.#pop()?.();
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

  /** Takes the earliest out; answers what it is to call, if it was not cancelled. */
  #pop(): (() => void) | null {
    const top = this.#take();
    const { fire } = top;
    if (fire === null) this.#cancelled--;
    top.fire = null;
    return fire;
  }

  #take(): Deadline {
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
