/**
 * The rows with the largest of many numbers, offered one after the other: what finds a page of the newest among a million
 * without room for a million. It takes twice the room of the rows wanted, more when many have the same number.
 */

import { nthLargest } from './nth.js';

export type Candidate = { number: number; row: number };

const ROOM = 1024;

export class Largest {
  #numbers: Float64Array;
  #rows: Uint32Array;
  #length = 0;
  #least = -Infinity;

  /** @param wanted how many rows, 1 at least @param offered how many are going to be offered at most */
  constructor(
    private readonly wanted: number,
    offered: number,
  ) {
    const room = Math.min(offered, Math.max(ROOM, 2 * wanted));
    this.#numbers = new Float64Array(room);
    this.#rows = new Uint32Array(room);
  }

  /** A row whose number is smaller need not be offered. */
  get least(): number {
    return this.#least;
  }

  offer(number: number, row: number): void {
    if (this.#length === this.#numbers.length) this.#makeRoom();
    this.#numbers[this.#length] = number;
    this.#rows[this.#length++] = row;
  }

  /** The wanted rows from the `n`-th largest on (from 0), and all with the same numbers as these; how many are in front. */
  from(n: number): { before: number; near: Candidate[] } {
    this.#cut();
    const most = nthLargest(this.#numbers.slice(0, this.#length), n);
    const near: Candidate[] = [];
    for (let i = 0; i < this.#length; i++)
      if (this.#numbers[i]! <= most) near.push({ number: this.#numbers[i]!, row: this.#rows[i]! });
    return { before: this.#length - near.length, near };
  }

  #makeRoom(): void {
    this.#cut();
    if (this.#length <= this.#numbers.length / 2) return;
    const [numbers, rows] = [new Float64Array(2 * this.#length), new Uint32Array(2 * this.#length)];
    numbers.set(this.#numbers.subarray(0, this.#length));
    rows.set(this.#rows.subarray(0, this.#length));
    [this.#numbers, this.#rows] = [numbers, rows];
  }

  /** Lets go of the rows that cannot be wanted any more. */
  #cut(): void {
    if (this.#length <= this.wanted) return;
    this.#least = nthLargest(this.#numbers.slice(0, this.#length), this.wanted - 1);
    let kept = 0;
    for (let i = 0; i < this.#length; i++) {
      if (this.#numbers[i]! < this.#least) continue;
      this.#numbers[kept] = this.#numbers[i]!;
      this.#rows[kept++] = this.#rows[i]!;
    }
    this.#length = kept;
  }
}
