/**
 * A bounded buffer between a loop that reads one item at a time and a loop that writes many at once.
 *
 * `next()` gives everything that arrived in one turn of the event loop, in order: a provider's network packet that holds
 * five deltas becomes one write of five, without any timer and without delaying a single delta beyond its own turn.
 * A full buffer, the end and a failure are handed over at once. The reader must await `room()` when it returns a promise:
 * that is how back-pressure reaches the provider's socket.
 */

type End = { kind: 'closed' } | { kind: 'failed'; error: unknown };

export class Batches<T> {
  #items: T[] = [];
  #end: End | undefined;
  #turn: NodeJS.Immediate | undefined;
  #wakeWriter: (() => void) | undefined;
  #wakeReader: (() => void) | undefined;

  constructor(private readonly limit: number) {}

  put(item: T): void {
    this.#items.push(item);
    if (this.#items.length >= this.limit) this.#hand();
    else this.#turn ??= setImmediate(() => this.#hand());
  }

  /** A promise to await before the next `put`, or undefined when there is room. */
  room(): Promise<void> | undefined {
    if (this.#items.length < this.limit) return undefined;
    return new Promise((resolve) => (this.#wakeReader = resolve));
  }

  /** No more items. */
  close(): void {
    this.#end ??= { kind: 'closed' };
    this.#hand();
  }

  /** No more items, and `next()` throws `error` once it has handed over what was put before. */
  fail(error: unknown): void {
    this.#end ??= { kind: 'failed', error };
    this.#hand();
  }

  /** The next batch, never empty; undefined after the last one. For one caller at a time. */
  async next(): Promise<T[] | undefined> {
    const ready = this.#end || this.#items.length >= this.limit || (this.#items.length > 0 && !this.#turn);
    if (!ready) await new Promise<void>((resolve) => (this.#wakeWriter = resolve));
    if (this.#items.length > 0) {
      const batch = this.#items;
      this.#items = [];
      this.#wakeReader?.();
      this.#wakeReader = undefined;
      return batch;
    }
    if (this.#end?.kind === 'failed') throw this.#end.error;
    return undefined;
  }

  /** What is here may go now. */
  #hand(): void {
    if (this.#turn) clearImmediate(this.#turn);
    this.#turn = undefined;
    this.#wakeWriter?.();
    this.#wakeWriter = undefined;
  }
}
