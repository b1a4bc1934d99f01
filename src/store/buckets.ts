/** Counts of values by size, in fixed buckets: what a histogram of metrics is made of. Without I/O. */

export interface BucketCounts {
  /** Upper bounds, ascending, and how many values each bucket has that the one in front of it has not. */
  readonly bounds: readonly number[];
  readonly counts: readonly number[];
  /** All values, those beyond the last bound too. */
  readonly count: number;
  readonly sum: number;
}

export class Buckets {
  readonly #counts: number[];
  #count = 0;
  #sum = 0;

  /** @param bounds ascending; a value counts in the first bucket whose bound it does not exceed. */
  constructor(private readonly bounds: readonly number[]) {
    this.#counts = bounds.map(() => 0);
  }

  add(value: number): void {
    this.#count += 1;
    this.#sum += value;
    const at = this.bounds.findIndex((bound) => value <= bound);
    if (at >= 0) this.#counts[at]! += 1;
  }

  read(): BucketCounts {
    return { bounds: this.bounds, counts: [...this.#counts], count: this.#count, sum: this.#sum };
  }
}
