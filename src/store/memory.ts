/**
 * The store in memory, with faults on demand: the same port, the same promises, and a disk that outlives it.
 *
 * - `ok`: the batch is written. `slow`: it is written (or fails, or crashes) when the gate opens.
 * - `crash-before`, `crash-after`: the process dies before or after the batch is on the disk. Its promise never settles,
 *   nor does any later call: a dead process answers nobody. Open a new store on the same `Disk` to start again.
 * - `fail-lost`, `fail-landed`: the batch rejects and the store is broken, as LevelDB's is. What landed is seen only
 *   after `reopen` (or by the next store): a broken handle reads what was resolved before.
 */

import { storageUnavailable } from '../errors.js';
import { StoreLocked } from './errors.js';
import { Disk } from './memory-disk.js';
import { type Key, type Op, type Range, type Store, StoreBroken } from './port.js';

export type Fate = 'ok' | 'crash-before' | 'crash-after' | 'fail-lost' | 'fail-landed';
/** What becomes of a batch; `slow` waits for the gate first, then (`ok` when absent) meets its fate. */
export type Outcome = Fate | { slow: Promise<unknown>; then?: Fate };

export interface Faults {
  /** Asked for each batch; `number` counts all batches of the disk from 0, across crashes. */
  batch?: (number: number, ops: Op[]) => Outcome;
  /** Asked at each reopen, counted from 0 in the life of the store; true makes it reject. */
  reopenFails?: (attempt: number) => boolean;
}

type Condition =
  | { is: 'open' }
  | { is: 'broken'; cause: unknown }
  /** A reopen failed: no handle, not even for reads. */
  | { is: 'missing'; cause: unknown }
  | { is: 'closed' }
  | { is: 'dead' };

const nothing = (): void => {};
const never = (): Promise<never> => new Promise(nothing);
const diskFull = (): Error => Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });

export class MemoryStore implements Store {
  /** Resolves when a fault or `crash` has killed the process this store plays. */
  readonly crashed: Promise<void>;
  #die: () => void = nothing;
  #condition: Condition = { is: 'open' };
  #writes: Promise<unknown> = Promise.resolve();
  #reopens = 0;

  /** Throws `StoreLocked` when another store has the disk open. */
  constructor(
    readonly disk: Disk = new Disk(),
    private readonly faults: Faults = {},
  ) {
    if (disk.holder !== null) throw new StoreLocked('the disk in memory');
    disk.holder = this;
    disk.replay();
    this.crashed = new Promise((resolve) => {
      this.#die = resolve;
    });
  }

  /** `kill -9`: a batch under way is not written, and nothing settles any more. */
  crash(): void {
    if (this.#condition.is === 'dead') return;
    this.#condition = { is: 'dead' };
    this.#release();
    this.#die();
  }

  get(key: Key): Promise<string | undefined> {
    return this.#read(() => this.disk.get(key));
  }

  getNow(key: Key): { value: string | undefined } | null {
    const { is } = this.#condition;
    return is === 'open' || is === 'broken' ? { value: this.disk.get(key) } : null;
  }

  getMany(keys: Key[]): Promise<(string | undefined)[]> {
    return this.#read(() => keys.map((key) => this.disk.get(key)));
  }

  async *range(range: Range): AsyncGenerator<[Key, string]> {
    for (const row of await this.#read(() => this.disk.rows(range))) {
      if (this.#condition.is === 'dead') await never();
      yield row;
    }
  }

  batch(ops: Op[]): Promise<void> {
    return this.#inTurn(() => this.#write(ops));
  }

  reopen(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#condition.is === 'closed') throw new StoreBroken('the store is closed');
      if (this.faults.reopenFails?.(this.#reopens++) === true) {
        const cause = diskFull();
        this.#condition = { is: 'missing', cause };
        throw cause;
      }
      this.disk.replay();
      this.#condition = { is: 'open' };
    });
  }

  usedBytes(): Promise<null> {
    return this.#settle(() => null);
  }

  freeBytes(): Promise<number> {
    return this.#settle(() => Infinity);
  }

  close(): Promise<void> {
    return this.#inTurn(async () => {
      this.#condition = { is: 'closed' };
      this.#release();
    });
  }

  async #write(ops: Op[]): Promise<void> {
    const at = this.#condition;
    if (at.is !== 'open') throw new StoreBroken(`the store is ${at.is}`, 'cause' in at ? { cause: at.cause } : {});
    const outcome = this.faults.batch?.(this.disk.batches++, ops) ?? 'ok';
    if (typeof outcome === 'string') return this.#meet(outcome, ops);
    await outcome.slow;
    return this.#dead() ? never() : this.#meet(outcome.then ?? 'ok', ops);
  }

  #meet(fate: Fate, ops: Op[]): Promise<void> | void {
    switch (fate) {
      case 'ok':
        return this.disk.apply(ops);
      case 'crash-after':
        this.disk.apply(ops);
        this.crash();
        return never();
      case 'crash-before':
        this.crash();
        return never();
      case 'fail-landed':
        this.disk.applyUnseen(ops);
        return this.#break();
      case 'fail-lost':
        return this.#break();
    }
  }

  #break(): never {
    const cause = diskFull();
    this.#condition = { is: 'broken', cause };
    throw cause;
  }

  #read<T>(read: () => T): Promise<T> {
    return this.#settle(() => {
      const at = this.#condition;
      if (at.is === 'open' || at.is === 'broken') return read();
      throw storageUnavailable('cause' in at ? at.cause : undefined);
    });
  }

  /** An answer comes a turn later, as from a disk, and never from the dead. */
  async #settle<T>(work: () => T): Promise<T> {
    await Promise.resolve();
    return this.#dead() ? never() : work();
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#writes.then(() => (this.#dead() ? never() : work()));
    this.#writes = done.catch(nothing);
    return done;
  }

  #dead(): boolean {
    return this.#condition.is === 'dead';
  }

  #release(): void {
    if (this.disk.holder === this) this.disk.holder = null;
  }
}
