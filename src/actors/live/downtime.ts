/** How long the store has refused writes, in all. */

import type { Journal } from '../../store/journal.js';

export class Downtime {
  #before = 0;
  #since: number | null = null;

  constructor(
    journal: Pick<Journal, 'onStatus'>,
    private readonly now: () => number,
  ) {
    journal.onStatus((status) => {
      if (status === 'degraded') this.#since ??= now();
      else if (this.#since !== null) {
        this.#before += now() - this.#since;
        this.#since = null;
      }
    });
  }

  get seconds(): number {
    return (this.#before + (this.#since === null ? 0 : this.now() - this.#since)) / 1000;
  }
}
