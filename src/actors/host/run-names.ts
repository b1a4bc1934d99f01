/** What a run's id stands for: its ordinal and its thread's. The newest are at hand; what an id names never changes. */

import * as keys from '../../store/keys.js';
import type { Reads } from '../../store/reads.js';
import type { RunName } from '../thread/rows.js';

/** Ids kept in memory. */
const KEPT = 4096;

type Name = Pick<RunName, 'rno' | 'tno'>;

export class RunNames {
  readonly #newest = new Map<string, Name>();

  constructor(private readonly store: Reads) {}

  /** A run that was just accepted: whoever asks for it next need not read the store. */
  keep(run_id: string, name: Name): void {
    this.#newest.set(run_id, name);
    if (this.#newest.size > KEPT) this.#newest.delete(this.#newest.keys().next().value!);
  }

  async find(run_id: string): Promise<Name | undefined> {
    const kept = this.#newest.get(run_id);
    if (kept) return kept;
    const row = await this.store.get(keys.runName(run_id));
    return row === undefined ? undefined : (JSON.parse(row) as RunName);
  }

  /** The thread is deleted, and all runs on it. */
  forgetThread(tno: number): void {
    for (const [run_id, name] of this.#newest) if (name.tno === tno) this.#newest.delete(run_id);
  }
}
