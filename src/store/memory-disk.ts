/**
 * The contents of a disk that is no disk: what of a `MemoryStore` survives its crash.
 *
 * A store may be opened on it, crash, and another be opened on it, which sees what a process would see that starts
 * after the crash. One store at a time, as with a directory.
 *
 * Keys are kept as latin1 strings: they compare as bytes do, and a sorted array of them finds a range in O(log n).
 */

import type { Key, Op, Range } from './port.js';

const text = (key: Key): string => key.toString('latin1');

export class Disk {
  /** Batches ever begun on this disk, whatever became of them. */
  batches = 0;
  /** The store that has it open. */
  holder: object | null = null;

  readonly #values = new Map<string, string>();
  readonly #keys: string[] = [];
  #unseen: Op[][] = [];

  get size(): number {
    return this.#keys.length;
  }

  get(key: Key): string | undefined {
    return this.#values.get(text(key));
  }

  rows({ gte, lt, reverse = false, limit = Infinity }: Range): [Key, string][] {
    const from = this.#indexOf(text(gte));
    const to = Math.max(from, this.#indexOf(text(lt)));
    const keys = reverse
      ? this.#keys.slice(Math.max(from, to - limit), to).reverse()
      : this.#keys.slice(from, Math.min(to, from + limit));
    return keys.map((key) => [Buffer.from(key, 'latin1'), this.#values.get(key)!]);
  }

  apply(ops: Op[]): void {
    for (const op of ops) {
      const key = text(op.key);
      const there = this.#values.has(key);
      if (op.type === 'put') {
        this.#values.set(key, op.value);
        if (!there) this.#keys.splice(this.#indexOf(key), 0, key);
      } else if (there) {
        this.#values.delete(key);
        this.#keys.splice(this.#indexOf(key), 1);
      }
    }
  }

  /** Writes what only the next opening will find: a batch that was reported as failed and landed all the same. */
  applyUnseen(ops: Op[]): void {
    this.#unseen.push(ops);
  }

  /** What every opening does: the log is replayed, and what landed unseen is there. */
  replay(): void {
    for (const ops of this.#unseen) this.apply(ops);
    this.#unseen = [];
  }

  #indexOf(key: string): number {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#keys[middle]! < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
