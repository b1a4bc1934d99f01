/**
 * How many runs may be running at once: in the process, of one agent, on one provider (CONTRACT 1.16). A thread whose
 * turn it is but for which a slot is missing waits here, in order of arrival, and is called when it may have one; a thread
 * that waits for a busy agent does not hold up those behind it. A waiting run holds no slot; when it is resumed it runs at
 * once, over the limit if need be: the person who decided is not made to wait.
 */

export interface Candidate {
  /** A slot may be free: try again to take a turn. */
  turn(): void;
}

/** One limit that a run counts against. */
export type Slot = { key: string; max: number };

export class Admission<T extends Candidate> {
  /** What each thread counts against that is running, or that was called and has not answered yet. */
  #held = new Map<T, readonly Slot[]>();
  #called = new Set<T>();
  #queue = new Map<T, readonly Slot[]>();
  #used = new Map<string, number>();

  constructor(private readonly max: number) {}

  get running(): number {
    return this.#held.size - this.#called.size;
  }

  get queued(): number {
    return this.#queue.size;
  }

  /** Takes the slots for this thread's next run, or lines the thread up. */
  reserve(thread: T, slots: readonly Slot[]): boolean {
    const called = this.#called.delete(thread);
    // What it was called for may not be what it wants now.
    if (called) this.#give(thread);
    else if (this.#held.has(thread)) return true;
    if (!this.#fits(slots)) {
      this.#queue.set(thread, slots);
      if (called) this.#next();
      return false;
    }
    this.#queue.delete(thread);
    this.#take(thread, slots);
    return true;
  }

  /** The thread has looked whose turn it is. If it was called and wants no slot any more, the next one gets it. */
  answered(thread: T): void {
    if (this.#called.has(thread)) this.forget(thread);
  }

  /** What the committed state says: this thread has a running run (`slots`: what it counts against), or it has none. */
  settle(thread: T, running: boolean, slots: () => readonly Slot[]): void {
    if (running) {
      if (this.#called.delete(thread)) this.#give(thread);
      if (!this.#held.has(thread)) this.#take(thread, slots());
      this.#queue.delete(thread);
    } else if (this.#held.has(thread) && !this.#called.has(thread)) {
      this.#give(thread);
      this.#next();
    }
  }

  /** The thread has left memory or wants no slot any more. */
  forget(thread: T): void {
    this.#queue.delete(thread);
    this.#called.delete(thread);
    if (!this.#held.has(thread)) return;
    this.#give(thread);
    this.#next();
  }

  /** The runtime is closing: nobody is called any more. */
  close(): void {
    this.#queue.clear();
  }

  #take(thread: T, slots: readonly Slot[]): void {
    this.#held.set(thread, slots);
    for (const { key } of slots) this.#used.set(key, (this.#used.get(key) ?? 0) + 1);
  }

  #give(thread: T): void {
    for (const { key } of this.#held.get(thread) ?? []) {
      const used = this.#used.get(key)! - 1;
      if (used > 0) this.#used.set(key, used);
      else this.#used.delete(key);
    }
    this.#held.delete(thread);
  }

  #fits(slots: readonly Slot[]): boolean {
    return this.#held.size < this.max && slots.every(({ key, max }) => (this.#used.get(key) ?? 0) < max);
  }

  /** A slot is free: calls those that fit together, in order. It is theirs until they have answered. */
  #next(): void {
    for (const [thread, slots] of this.#queue) {
      if (this.#held.size >= this.max) return;
      if (!this.#fits(slots)) continue;
      this.#queue.delete(thread);
      this.#called.add(thread);
      this.#take(thread, slots);
      thread.turn();
    }
  }
}
