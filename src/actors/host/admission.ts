/**
 * How many runs may be running at once in this process (CONTRACT 1.16 `max_running`). A thread whose turn it is but for
 * which there is no slot waits here, in order of arrival, and is called when one is free. A waiting run holds no slot;
 * when it is resumed it runs at once, over the limit if need be: the person who decided is not made to wait.
 */

export interface Candidate {
  /** A slot may be free: try again to take a turn. */
  turn(): void;
}

export class Admission<T extends Candidate> {
  #running = new Set<T>();
  #queue = new Set<T>();
  #awaiting: (() => void)[] = [];

  constructor(private readonly max: number) {}

  get running(): number {
    return this.#running.size;
  }

  get queued(): number {
    return this.#queue.size;
  }

  /** Takes a slot for this thread's next run, or lines the thread up. */
  reserve(thread: T): boolean {
    if (this.#running.has(thread)) return true;
    if (this.#running.size >= this.max) {
      this.#queue.add(thread);
      return false;
    }
    this.#queue.delete(thread);
    this.#running.add(thread);
    return true;
  }

  /** Resolves when a slot is free; for recovery, which must not start more than the limit. */
  room(): Promise<void> | undefined {
    if (this.#running.size < this.max) return undefined;
    return new Promise((resolve) => this.#awaiting.push(resolve));
  }

  /** What the committed state says: this thread has a running run, or it has none. */
  settle(thread: T, running: boolean): void {
    if (running) {
      this.#running.add(thread);
      return;
    }
    if (!this.#running.delete(thread)) return;
    this.#awaiting.shift()?.();
    this.#call();
  }

  /** The thread is gone (passivated or closed). */
  forget(thread: T): void {
    this.#queue.delete(thread);
    this.settle(thread, false);
  }

  #call(): void {
    const free = this.max - this.#running.size;
    let called = 0;
    for (const thread of this.#queue) {
      if (called++ >= free) break;
      this.#queue.delete(thread);
      thread.turn();
    }
  }
}
