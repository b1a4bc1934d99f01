/**
 * Numbers for threads and runs. One that became durable is never given again, also not after a crash.
 *
 * A number is to be used in a commit that carries the `ops` it came with. Those reserve the block of numbers it is from:
 * one row per block, so the order in which commits land does not matter. Every number of a block comes with the
 * reservation until `landed` has said that one of those commits is durable; a commit that fails or is never made thus
 * harms nobody. At the next opening counting begins after the last reserved block.
 *
 * Why not one row with the highest number: two commits may land in the other order, and the older row would win.
 */

import { MAX_ORDINAL, meta, metas } from './keys.js';
import type { Op, Store } from './port.js';

const BLOCK = 1024;

export interface Ordinal {
  value: number;
  /** Go into the commit that first uses `value`; empty when its block is known to be reserved. */
  ops: Op[];
}

export class Ordinals {
  /** The block whose reservation is known to be durable. */
  #reserved = -1;

  private constructor(
    private readonly name: string,
    private following: number,
    private readonly block: number,
  ) {}

  /** Reads how far the numbers of that name (`thread`, `run`) have been reserved. `block` may change between openings. */
  static async open(store: Store, name: string, block = BLOCK): Promise<Ordinals> {
    let following = 0;
    for await (const [, end] of store.range({ ...metas(prefixOf(name)), reverse: true, limit: 1 })) {
      following = Math.ceil(Number(end) / block) * block;
    }
    return new Ordinals(name, following, block);
  }

  /** The next number. */
  next(): Ordinal {
    if (this.following > MAX_ORDINAL) throw new RangeError(`there are no more ordinals for ${this.name}`);
    const value = this.following++;
    const block = Math.floor(value / this.block);
    if (block === this.#reserved) return { value, ops: [] };
    const end = (block + 1) * this.block;
    return { value, ops: [{ type: 'put', key: meta(prefixOf(this.name) + padded(end)), value: String(end) }] };
  }

  /** The commit that carried the `ops` of this number is durable. Saves later ones from carrying them; may be left out. */
  landed(value: number): void {
    this.#reserved = Math.max(this.#reserved, Math.floor(value / this.block));
  }
}

const prefixOf = (name: string): string => `ordinals/${name}/`;
/** Fixed width: rows sort by number. */
const padded = (end: number): string => String(end).padStart(15, '0');
