/** Numbers of the operator's ledger (family L): they rise with time, and no two rows have the same one. */

/** Rows one millisecond can have before numbers run ahead of the clock. */
const PER_MS = 64;

export class LedgerNumbers {
  #last = -1;

  /** A row of this number is there already. */
  taken(n: number): void {
    this.#last = Math.max(this.#last, n);
  }

  /** @param at unix milliseconds. */
  next(at: number): number {
    return (this.#last = Math.max(this.#last + 1, at * PER_MS));
  }
}
