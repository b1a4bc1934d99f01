/**
 * Ordinals in the order of their rows. New rows nearly always belong at the end, which costs one comparison; one that
 * does not (two starts whose commits crossed, a wall clock that was set back between two runs of the server) finds its
 * place by bisection.
 */

export class SortedOrdinals {
  #values = new Uint32Array(256);
  #length = 0;

  /** @param precedes whether the row of the first ordinal stands before that of the second. */
  constructor(private readonly precedes: (a: number, b: number) => boolean) {}

  get length(): number {
    return this.#length;
  }

  /** The ordinals as they are now; to be read at once and not kept. */
  view(): Uint32Array {
    return this.#values.subarray(0, this.#length);
  }

  insert(ordinal: number): void {
    if (this.#length === this.#values.length) {
      const larger = new Uint32Array(this.#length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    const at = this.#placeOf(ordinal);
    this.#values.copyWithin(at + 1, at, this.#length++);
    this.#values[at] = ordinal;
  }

  /** Keeps the ordinals that pass; their order stays. */
  retain(passes: (ordinal: number) => boolean): void {
    let kept = 0;
    for (let i = 0; i < this.#length; i++) {
      const ordinal = this.#values[i]!;
      if (passes(ordinal)) this.#values[kept++] = ordinal;
    }
    this.#length = kept;
  }

  #placeOf(ordinal: number): number {
    let low = 0;
    let high = this.#length;
    if (high === 0 || this.precedes(this.#values[high - 1]!, ordinal)) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.precedes(this.#values[middle]!, ordinal)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
