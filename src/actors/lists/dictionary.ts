/**
 * Texts as small numbers, so that a column of them is a typed array. 0 is "none".
 *
 * A text keeps its number while it is in use; when its last user releases it, it is forgotten and its number is given to
 * another one: a dictionary is never larger than what stands in the columns.
 *
 * Found by hashing, with linear probing: `#table` has the number of a text at the place its hash says or behind it, with
 * no gap between. No text is a JavaScript object here, for there may be as many as threads.
 */

import { randomInt } from 'node:crypto';
import { grown, PackedTexts } from './packed-texts.js';

/** Nobody outside can choose texts that all stand at one place. */
const SEED = randomInt(2 ** 32);

export class Dictionary {
  readonly #texts = new PackedTexts();
  #uses = new Uint32Array(16);
  #hashes = new Uint32Array(16);
  /** A power of two, twice as many as texts at least. 0: nothing. */
  #table = new Uint32Array(16);
  /** Numbers are below; of those the free ones. */
  #end = 1;
  readonly #free: number[] = [];

  /** Texts in use. */
  get size(): number {
    return this.#end - 1 - this.#free.length;
  }

  /** The number of a text that is in use; undefined: no row has it. */
  find(text: string): number | undefined {
    return this.#table[this.#placeOf(text, hashOf(text))] || undefined;
  }

  /** The text of a number in use; null for "none". */
  text(code: number): string | null {
    return code === 0 || !this.#uses[code] ? null : this.#texts.get(code);
  }

  /** The number of a text, which has one more user now, or as many as `uses` says. */
  acquire(text: string | null, uses = 1): number {
    if (text === null || uses === 0) return 0;
    const hash = hashOf(text);
    const place = this.#placeOf(text, hash);
    const known = this.#table[place]!;
    if (known !== 0) {
      this.#uses[known]! += uses;
      return known;
    }
    const code = this.#free.pop() ?? this.#end++;
    if (code >= this.#uses.length) {
      const room = Math.ceil(code * 1.25) + 16;
      this.#uses = grown(this.#uses, room);
      this.#hashes = grown(this.#hashes, room);
    }
    this.#texts.set(code, text);
    this.#uses[code] = uses;
    this.#hashes[code] = hash;
    this.#table[place] = code;
    if (2 * this.size > this.#table.length) this.#growTable();
    return code;
  }

  /** A user of the text has gone. */
  release(code: number): void {
    if (code === 0 || --this.#uses[code]! > 0) return;
    this.#takeOut(code);
    this.#texts.delete(code);
    this.#free.push(code);
  }

  /** Where the text stands, or would stand. */
  #placeOf(text: string, hash: number): number {
    const mask = this.#table.length - 1;
    for (let place = hash & mask; ; place = (place + 1) & mask) {
      const code = this.#table[place]!;
      if (code === 0 || (this.#hashes[code] === hash && this.#texts.is(code, text))) return place;
    }
  }

  /** Closes the gap with those behind it that may stand there. */
  #takeOut(code: number): void {
    const [table, mask] = [this.#table, this.#table.length - 1];
    let gap = this.#hashes[code]! & mask;
    while (table[gap] !== code) gap = (gap + 1) & mask;
    table[gap] = 0;
    for (let place = (gap + 1) & mask; table[place] !== 0; place = (place + 1) & mask) {
      const wanted = this.#hashes[table[place]!]! & mask;
      if (((place - wanted) & mask) < ((place - gap) & mask)) continue;
      table[gap] = table[place]!;
      table[place] = 0;
      gap = place;
    }
  }

  #growTable(): void {
    const before = this.#table;
    const [table, mask] = [new Uint32Array(2 * before.length), 2 * before.length - 1];
    for (const code of before) {
      if (code === 0) continue;
      let place = this.#hashes[code]! & mask;
      while (table[place] !== 0) place = (place + 1) & mask;
      table[place] = code;
    }
    this.#table = table;
  }
}

/** 32 bits, of which each depends on the whole text (FNV-1a, with the last steps of MurmurHash3). */
function hashOf(text: string): number {
  let hash = SEED;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
