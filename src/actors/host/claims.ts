/**
 * Run ids are unique in the whole engine. A claim reserves an id while its start is on the way, so that two starts with
 * one id at the same instant become one run; the name row that the start commits keeps it for ever (CONTRACT 1.10).
 */

import * as keys from '../../store/keys.js';
import type { Store } from '../../store/port.js';
import type { RunName } from './rows.js';

type Claim = { hash: string; settled: Promise<void>; release: () => void };

export class Claims {
  #held = new Map<string, Claim>();

  constructor(private readonly store: Store) {}

  isHeld(run_id: string): boolean {
    return this.#held.has(run_id);
  }

  /** The body hash the id was claimed with. */
  hashOf(run_id: string): string | null {
    return this.#held.get(run_id)?.hash ?? null;
  }

  /** Reserves the id, or gives the name of the run that has it. Waits for a start under way with the same id. */
  async claim(run_id: string, hash: string): Promise<RunName | undefined> {
    for (let held = this.#held.get(run_id); held; held = this.#held.get(run_id)) await held.settled;
    let release = () => {};
    const settled = new Promise<void>((resolve) => (release = resolve));
    this.#held.set(run_id, { hash, settled, release });
    try {
      const stored = await this.store.get(keys.runName(run_id));
      if (stored === undefined) return undefined;
      this.release(run_id);
      return JSON.parse(stored) as RunName;
    } catch (error) {
      this.release(run_id);
      throw error;
    }
  }

  /** The start has been committed or refused. */
  release(run_id: string): void {
    const held = this.#held.get(run_id);
    this.#held.delete(run_id);
    held?.release();
  }
}
