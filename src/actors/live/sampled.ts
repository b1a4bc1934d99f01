/** A figure that takes a moment to find out: looked up when somebody asks, not too often; the answer is the last one known. */
export class Sampled<T> {
  #value: T | null = null;
  #asked = -Infinity;

  constructor(
    private readonly look: () => Promise<T>,
    private readonly options: { every_ms: number; now(): number },
  ) {}

  /** Null before the first look has succeeded. */
  get value(): T | null {
    const now = this.options.now();
    if (now - this.#asked >= this.options.every_ms) {
      this.#asked = now;
      this.look().then(
        (value) => (this.#value = value),
        () => {}, // The last one known stays.
      );
    }
    return this.#value;
  }
}
