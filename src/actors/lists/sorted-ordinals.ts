/**
 * Ordinals by the creation time of their rows, then by id. Four bytes each, and the only place that knows how rows of the
 * same millisecond follow each other: ids are read again when such a row is added, and not kept for it.
 *
 * New rows nearly always belong at the end, which costs one comparison. Those that do not (two of the same millisecond,
 * two starts whose commits crossed, a wall clock that was set back) wait beside until there are many or somebody looks,
 * and are then merged in all at once: a place for each of them in turn would move megabytes, some thousand times.
 */

import { storageUnavailable } from '../../errors.js';
import type { StoredId } from './ids.js';

/** Rows that may wait beside. */
const MANY = 512;

export class SortedOrdinals {
  #values = new Uint32Array(256);
  #length = 0;
  /** Ordinals that stand before the last one of `#values` or among those of its time, with their ids. */
  readonly #late = new Map<number, string>();

  /** @param timeOf the creation time of a row that is among the ordinals or about to be */
  constructor(
    private readonly timeOf: (ordinal: number) => number,
    private readonly idOf: StoredId,
  ) {}

  get length(): number {
    return this.#length + this.#late.size;
  }

  /** The ordinals as they are now; to be read at once and not kept. Throws `storage_unavailable` when an id is needed. */
  view(): Uint32Array {
    if (!this.#mergeLate()) throw storageUnavailable();
    return this.#values.subarray(0, this.#length);
  }

  /** The ordinals of rows that were created from one time to another, and perhaps at them; like `view`. */
  between(from: number, to: number): Uint32Array {
    const all = this.view();
    return all.subarray(this.#firstFrom(from), this.#firstFrom(to + 1));
  }

  /** Makes room for so many ordinals in all: growing step by step leaves holes of several times their size. */
  reserve(ordinals: number): void {
    if (ordinals > this.#values.length) this.#growTo(ordinals);
  }

  insert(ordinal: number, id: string): void {
    if (this.#isBehind(ordinal)) {
      this.#makeRoom(1);
      this.#values[this.#length++] = ordinal;
      return;
    }
    this.#late.set(ordinal, id);
    if (this.#late.size >= MANY) this.#mergeLate();
  }

  /** Takes in ordinals that are in order among themselves. Throws `storage_unavailable`, with nothing done, like `view`. */
  insertSorted(ordinals: Uint32Array): void {
    if (!this.#merge(ordinals, this.idOf)) throw storageUnavailable();
  }

  /** Keeps the ordinals that pass; their order stays. */
  retain(passes: (ordinal: number) => boolean): void {
    let kept = 0;
    for (let i = 0; i < this.#length; i++) {
      const ordinal = this.#values[i]!;
      if (passes(ordinal)) this.#values[kept++] = ordinal;
    }
    this.#length = kept;
    for (const ordinal of this.#late.keys()) if (!passes(ordinal)) this.#late.delete(ordinal);
  }

  /** Whether a row was created behind all of the values. */
  #isBehind(ordinal: number): boolean {
    return this.#length === 0 || this.timeOf(this.#values[this.#length - 1]!) < this.timeOf(ordinal);
  }

  /** False: an id that is needed cannot be read now, and nothing was done. */
  #mergeLate(): boolean {
    if (this.#late.size === 0) return true;
    const late = [...this.#late].sort(
      ([a, idA], [b, idB]) => this.timeOf(a) - this.timeOf(b) || (idA < idB ? -1 : idA > idB ? 1 : 0),
    );
    const ordinals = Uint32Array.from(late, ([ordinal]) => ordinal);
    if (!this.#merge(ordinals, (ordinal) => this.#late.get(ordinal))) return false;
    this.#late.clear();
    return true;
  }

  /** Most often all of the ordinals belong behind the values, or all but a few. */
  #merge(ordinals: Uint32Array, idOf: StoredId): boolean {
    let among = 0;
    while (among < ordinals.length && !this.#isBehind(ordinals[among]!)) among++;
    const places = this.#placesOf(ordinals.subarray(0, among), idOf);
    if (!places) return false;
    this.#makeRoom(ordinals.length);
    const values = this.#values;
    values.set(ordinals.subarray(among), this.#length + among);
    let end = this.#length;
    for (let i = among - 1; i >= 0; i--) {
      const place = places[i]!;
      if (place < end) values.copyWithin(place + i + 1, place, end);
      values[place + i] = ordinals[i]!;
      end = place;
    }
    this.#length += ordinals.length;
    return true;
  }

  /** In front of which of the values each row belongs. From the end backwards, no further than the first row's place. */
  #placesOf(ordinals: Uint32Array, idOf: StoredId): Uint32Array | undefined {
    const places = new Uint32Array(ordinals.length);
    let place = this.#length;
    for (let n = ordinals.length - 1; n >= 0; n--) {
      const ordinal = ordinals[n]!;
      const time = this.timeOf(ordinal);
      for (let i = place; i > 0; i--) {
        const other = this.#values[i - 1]!;
        const apart = this.timeOf(other) - time;
        if (apart < 0) break;
        if (apart === 0) {
          const [id, otherId] = [idOf(ordinal), this.idOf(other)];
          if (id === null || otherId === null) return undefined;
          // A row that is gone stands anywhere among those of its time, and says nothing about the others.
          if (id === undefined) break;
          if (otherId === undefined) continue;
          if (otherId <= id) break;
        }
        place = i - 1;
      }
      places[n] = place;
    }
    return places;
  }

  /** The first place of the values whose row was created at that time or later. */
  #firstFrom(time: number): number {
    let [low, high] = [0, this.#length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.timeOf(this.#values[middle]!) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #makeRoom(more: number): void {
    const needed = this.#length + more;
    if (needed > this.#values.length) this.#growTo(Math.max(needed, Math.ceil(this.#length * 1.25)));
  }

  #growTo(room: number): void {
    const larger = new Uint32Array(room);
    larger.set(this.#values.subarray(0, this.#length));
    this.#values = larger;
  }
}
