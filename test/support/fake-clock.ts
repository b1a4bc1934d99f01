/** Time that moves only when a test says so. */

import type { Clock } from '../../src/actors/time/clock.js';

export class FakeClock implements Clock {
  #now: number;
  #timers = new Set<{ at: number; fire: () => void }>();

  constructor(start = 1_700_000_000_000) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  at(at: number, fire: () => void): () => void {
    const timer = { at, fire };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** Moves on by `ms` and fires what has become due, earliest first. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const [next] = [...this.#timers].filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at);
      if (!next) break;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.fire();
    }
    this.#now = end;
  }
}
