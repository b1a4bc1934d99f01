/**
 * The server's clock, as far as its frames tell: ages and what is due are the server's, whatever the time is on the machine
 * of whoever looks. Pure.
 *
 * A frame may be read long after it was written (a held picture, a slow line), and never before: so the frame that puts the
 * clock furthest ahead is nearest to the truth.
 */

/** Clocks that differ by less are the same: nobody sees it, and frames take their time. */
const SAME_MS = 2_000;

export class ServerClock {
  #ahead = 0;
  #isKnown = false;

  /** A frame that was written at `at` is read at `now`, by our own clock. */
  heard(at: number, now: number): void {
    this.#ahead = this.#isKnown ? Math.max(this.#ahead, at - now) : at - now;
    this.#isKnown = true;
  }

  /** What is known holds until the next frame: another connection, maybe after somebody has set a clock. */
  doubt(): void {
    this.#isKnown = false;
  }

  /** The server's time when ours is `now`; ours, as long as nothing is known. */
  at(now: number): number {
    return Math.abs(this.#ahead) >= SAME_MS ? now + this.#ahead : now;
  }
}
