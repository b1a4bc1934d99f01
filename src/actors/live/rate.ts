/** How often something happens: a count per second over the last seconds. Bounded, without a timer. */

const SLOT_MS = 250;
const SLOTS = 12;

export class Rate {
  readonly #counts = new Float64Array(SLOTS);
  /** Number of the newest slot since the beginning of time. */
  #newest = 0;

  /** @param now unix milliseconds, never far behind an earlier call's. */
  add(n: number, now: number): void {
    this.#moveTo(now);
    this.#counts[this.#newest % SLOTS]! += n;
  }

  /** The mean of the last 2.75 seconds, without the quarter second under way. */
  perSecond(now: number): number {
    this.#moveTo(now);
    let sum = 0;
    for (let i = 0; i < SLOTS; i++) if (i !== this.#newest % SLOTS) sum += this.#counts[i]!;
    return (sum * 1000) / (SLOT_MS * (SLOTS - 1));
  }

  #moveTo(now: number): void {
    const slot = Math.floor(now / SLOT_MS);
    if (slot <= this.#newest) return;
    for (let passed = Math.min(slot - this.#newest, SLOTS); passed > 0; passed--)
      this.#counts[(slot - passed + 1) % SLOTS] = 0;
    this.#newest = slot;
  }
}
