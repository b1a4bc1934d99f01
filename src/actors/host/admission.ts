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
  #running = new Map<T, readonly Slot[]>();
  #queue = new Map<T, readonly Slot[]>();
  #used = new Map<string, number>();
  /** Called, and have not said yet whether they take their slots. */
  #called = new Set<T>();
  #awaiting: (() => void)[] = [];

  constructor(private readonly max: number) {}

  get running(): number {
    return this.#running.size;
  }

  get queued(): number {
    return this.#queue.size;
  }

  /** Takes the slots for this thread's next run, or lines the thread up. */
  reserve(thread: T, slots: readonly Slot[]): boolean {
    if (this.#running.has(thread)) return true;
    if (!this.#fits(slots, this.#running.size, this.#used)) {
      this.#queue.set(thread, slots);
      return false;
    }
    this.#queue.delete(thread);
    this.#take(thread, slots);
    return true;
  }

  /** The thread has looked whose turn it is. If it was called and needed no slot any more, the next one is. */
  answered(thread: T): void {
    if (this.#called.delete(thread) && !this.#running.has(thread)) this.#call();
  }

  /** Resolves when the process has a slot; for recovery, which must not start more than the limit. */
  room(): Promise<void> | undefined {
    if (this.#running.size < this.max) return undefined;
    return new Promise((resolve) => this.#awaiting.push(resolve));
  }

  /** What the committed state says: this thread has a running run (`slots`: what it counts against), or it has none. */
  settle(thread: T, running: boolean, slots: () => readonly Slot[]): void {
    const held = this.#running.get(thread);
    if (running) {
      if (!held) this.#take(thread, slots());
      return;
    }
    if (!held) return;
    this.#running.delete(thread);
    for (const { key } of held) this.#count(key, -1);
    this.#awaiting.shift()?.();
    this.#call();
  }

  #take(thread: T, slots: readonly Slot[]): void {
    this.#running.set(thread, slots);
    for (const { key } of slots) this.#count(key, 1);
  }

  #count(key: string, by: 1 | -1): void {
    const used = (this.#used.get(key) ?? 0) + by;
    if (used > 0) this.#used.set(key, used);
    else this.#used.delete(key);
  }

  #fits(slots: readonly Slot[], running: number, used: ReadonlyMap<string, number>): boolean {
    return running < this.max && slots.every(({ key, max }) => (used.get(key) ?? 0) < max);
  }

  /** Calls those that fit together, in order. They take their slots themselves, when their turn has come. */
  #call(): void {
    if (this.#queue.size === 0) return;
    let running = this.#running.size;
    const used = new Map(this.#used);
    for (const [thread, slots] of this.#queue) {
      if (running >= this.max) return;
      if (!this.#fits(slots, running, used)) continue;
      running++;
      for (const { key } of slots) used.set(key, (used.get(key) ?? 0) + 1);
      this.#queue.delete(thread);
      this.#called.add(thread);
      thread.turn();
    }
  }
}
