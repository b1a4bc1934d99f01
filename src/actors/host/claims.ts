/**
 * Run ids are unique in the whole engine. A claim reserves an id while its start is on the way, so that two starts with
 * one id at the same instant become one run; the name row that the start commits keeps it for ever (CONTRACT 1.10).
 */

import * as keys from '../../store/keys.js';
import type { Store } from '../../store/port.js';
import type { RunName } from '../thread/rows.js';

/**
 * `hash` is null when the id is kept from everybody rather than claimed for a start. `taken`: the start it was claimed for
 * is under way; no other may use it.
 */
type Claim = { hash: string | null; taken: boolean; settled: Promise<void>; release: () => void };

export class Claims {
  #held = new Map<string, Claim>();

  /** @param isBuried whether the thread is deleted: the ids of its runs are free. */
  constructor(
    private readonly store: Store,
    private readonly isBuried: (tno: number) => boolean = () => false,
  ) {}

  /** A start has claimed the id. */
  isHeld(run_id: string): boolean {
    return typeof this.#held.get(run_id)?.hash === 'string';
  }

  /** Uses the claim of an id for one start; false when there is none, or another start has it. */
  take(run_id: string): boolean {
    const held = this.#held.get(run_id);
    if (!held || held.hash === null || held.taken) return false;
    return (held.taken = true);
  }

  /** The body hash the id was claimed with. */
  hashOf(run_id: string): string | null {
    return this.#held.get(run_id)?.hash ?? null;
  }

  /**
   * Reserves the id, or gives the name of the run that has it. Waits for a start under way with the same id. `taken`: for
   * a start that the caller makes itself.
   */
  async claim(run_id: string, hash: string, taken = false): Promise<RunName | undefined> {
    await this.#hold(run_id, hash, taken);
    try {
      const stored = await this.store.get(keys.runName(run_id));
      const name = stored === undefined ? undefined : (JSON.parse(stored) as RunName);
      if (!name || this.isBuried(name.tno)) return undefined;
      this.release(run_id);
      return name;
    } catch (error) {
      this.release(run_id);
      throw error;
    }
  }

  /** Keeps the id from everybody, whatever it names; the answer frees it. */
  async reserve(run_id: string): Promise<() => void> {
    await this.#hold(run_id, null, true);
    return () => this.release(run_id);
  }

  async #hold(run_id: string, hash: string | null, taken: boolean): Promise<void> {
    for (let held = this.#held.get(run_id); held; held = this.#held.get(run_id)) await held.settled;
    let release = () => {};
    const settled = new Promise<void>((resolve) => (release = resolve));
    this.#held.set(run_id, { hash, taken, settled, release });
  }

  /** The start has been committed or refused. */
  release(run_id: string): void {
    const held = this.#held.get(run_id);
    this.#held.delete(run_id);
    held?.release();
  }
}
