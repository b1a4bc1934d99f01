/**
 * Ordinals in the order of their rows. New rows nearly always belong at the end, which costs one comparison. Those that
 * do not (two starts whose commits crossed, a wall clock that was set back, pages that are read at start behind later
 * ones) wait beside until somebody looks, and are then merged in all at once: a place for each of them in turn would
 * move megabytes, some thousand times.
 */

export class SortedOrdinals {
  #values = new Uint32Array(256);
  #length = 0;
  /** Ordinals that stand before the last one of `#values`, as they came. */
  #late: number[] = [];

  /** @param precedes whether the row of the first ordinal stands before that of the second. */
  constructor(private readonly precedes: (a: number, b: number) => boolean) {}

  get length(): number {
    return this.#length + this.#late.length;
  }

  /** The ordinals as they are now; to be read at once and not kept. */
  view(): Uint32Array {
    if (this.#late.length > 0) this.#merge();
    return this.#values.subarray(0, this.#length);
  }

  insert(ordinal: number): void {
    if (this.#length > 0 && !this.precedes(this.#values[this.#length - 1]!, ordinal)) {
      this.#late.push(ordinal);
      return;
    }
    this.#reserve(1);
    this.#values[this.#length++] = ordinal;
  }

  /** Keeps the ordinals that pass; their order stays. */
  retain(passes: (ordinal: number) => boolean): void {
    let kept = 0;
    for (let i = 0; i < this.#length; i++) {
      const ordinal = this.#values[i]!;
      if (passes(ordinal)) this.#values[kept++] = ordinal;
    }
    this.#length = kept;
    this.#late = this.#late.filter(passes);
  }

  /** From the end backwards, no further than the first of those that are late. */
  #merge(): void {
    const late = this.#late.sort((a, b) => (this.precedes(a, b) ? -1 : 1));
    this.#late = [];
    this.#reserve(late.length);
    const values = this.#values;
    let [to, from] = [this.#length + late.length - 1, this.#length - 1];
    this.#length += late.length;
    for (let next = late.pop(); next !== undefined;) {
      if (from >= 0 && this.precedes(next, values[from]!)) values[to--] = values[from--]!;
      else {
        values[to--] = next;
        next = late.pop();
      }
    }
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#values.length) return;
    const larger = new Uint32Array(Math.max(needed, Math.ceil(this.#length * 1.5)));
    larger.set(this.#values.subarray(0, this.#length));
    this.#values = larger;
  }
}
