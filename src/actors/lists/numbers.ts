/**
 * A column of a page: a whole number for each slot, in as few bytes as their range needs. A million runs have nine of
 * them each: times that lie weeks apart at most take four bytes instead of eight, the codes of short dictionaries one. A
 * slot that none was set for has the base's.
 *
 * Numbers are kept as their distances from `base`. A column whose numbers are all its base has no array of its own. One
 * that does not fit moves the base or makes the column wider, which happens twice at most: numbers that lie further apart than four bytes can say are kept as they are, from 0, in eight. Two bytes are left
 * out: a loop over columns is a tenth slower for every kind of array that it meets.
 */

export type Distances = Uint8Array | Uint32Array | Float64Array;

const widths = [Uint8Array, Uint32Array] as const;

/** What columns of one number share. Nothing is ever written there. */
let zeros = new Uint8Array(0);
const zerosOf = (slots: number): Uint8Array => (zeros.length === slots ? zeros : (zeros = new Uint8Array(slots)));

export class Numbers {
  #values: Distances;
  #isShared = true;
  #base: number;

  /** @param base a number near which the others are going to be */
  constructor(slots: number, base = 0) {
    this.#values = zerosOf(slots);
    this.#base = base;
  }

  /** Takes over distances from a base, one a slot. */
  static of(values: Distances, base: number): Numbers {
    const numbers = new Numbers(0, base);
    numbers.#values = values;
    numbers.#isShared = false;
    return numbers;
  }

  /** What to add to a distance. */
  get base(): number {
    return this.#base;
  }

  /** To be read at once: another array takes its place when the column becomes wider. */
  get values(): Distances {
    return this.#values;
  }

  get(slot: number): number {
    return this.#values[slot]! + this.#base;
  }

  set(slot: number, value: number): void {
    const distance = value - this.#base;
    if (distance < 0 || distance >= rangeOf(this.#values)) return this.#widen(slot, value);
    if (this.#isShared) {
      if (distance === 0) return;
      this.#values = new Uint8Array(this.#values.length);
      this.#isShared = false;
    }
    this.#values[slot] = distance;
  }

  #widen(slot: number, value: number): void {
    const [values, from] = [this.#values, this.#base];
    let to = value;
    for (const distance of values) to = Math.max(to, distance + from);
    const fits = widths.find((width) => {
      if (width.BYTES_PER_ELEMENT < values.BYTES_PER_ELEMENT) return false;
      return to - roomBelow(Math.min(value, from), width) < 256 ** width.BYTES_PER_ELEMENT;
    });
    const base = fits ? roomBelow(Math.min(value, from), fits) : 0;
    const wider = new (fits ?? Float64Array)(values.length);
    for (let at = 0; at < values.length; at++) wider[at] = values[at]! + from - base;
    wider[slot] = value - base;
    [this.#values, this.#base, this.#isShared] = [wider, base, false];
  }
}

/** The narrowest array for distances up to `most`. */
export const arrayFor = (slots: number, most: number): Distances =>
  new (widths.find((width) => most < 256 ** width.BYTES_PER_ELEMENT) ?? Float64Array)(slots);

/** Distances lie below. */
const rangeOf = (values: Distances): number =>
  values instanceof Float64Array ? Infinity : 256 ** values.BYTES_PER_ELEMENT;

/** A base for numbers from `least` on. The next one may be smaller, if two clocks disagree: a quarter is for those. */
const roomBelow = (least: number, { BYTES_PER_ELEMENT }: (typeof widths)[number]): number =>
  Math.max(0, least - 256 ** BYTES_PER_ELEMENT / 4);
