/** The last `size` of many things, each with its number: 0 for the first that ever came. */

export class Ring<T> {
  #items: T[] = [];
  #dropped = 0;

  constructor(private readonly size: number) {}

  push(item: T): void {
    this.#items.push(item);
    // Cut seldom and in large pieces: a shift per push would move the whole list each time.
    if (this.#items.length < this.size * 2) return;
    this.#dropped += this.#items.length - this.size;
    this.#items = this.#items.slice(-this.size);
  }

  clear(): void {
    this.#dropped += this.#items.length;
    this.#items = [];
  }

  get items(): readonly T[] {
    return this.#items.length > this.size ? this.#items.slice(-this.size) : this.#items;
  }

  get last(): T | undefined {
    return this.#items.at(-1);
  }

  /** Number of the first that is kept. */
  get first(): number {
    return this.#dropped + Math.max(0, this.#items.length - this.size);
  }

  /** Number the next one will have. */
  get next(): number {
    return this.#dropped + this.#items.length;
  }

  /** Undefined when it is gone, or has not come. */
  at(n: number): T | undefined {
    return n < this.first ? undefined : this.#items[n - this.#dropped];
  }
}
