/** The newest values of something that is measured again and again, and their percentiles. Bounded, without I/O. */

export class RecentSamples {
  readonly #ring: Float64Array;
  #count = 0;

  /** @param size how many are kept. */
  constructor(size: number) {
    this.#ring = new Float64Array(size);
  }

  add(value: number): void {
    this.#ring[this.#count++ % this.#ring.length] = value;
  }

  /** The value that `p` percent of the samples do not exceed; null when there is none. */
  percentile(p: number): number | null {
    const size = Math.min(this.#count, this.#ring.length);
    if (size === 0) return null;
    const sorted = this.#ring.slice(0, size).sort();
    return sorted[Math.max(0, Math.ceil((p / 100) * size) - 1)]!;
  }
}
