/**
 * Records as columns in memory: what the lists filter, count and page (DESIGN "Lists and exact totals").
 *
 * - A row stands under its ordinal. It has an id, two times (created, updated) and numbers, one per column.
 * - `select` gives the exact total of the rows that match and one page of their ordinals, sorted by creation time, then
 *   id. It looks at every row, a few nanoseconds each; without a filter it looks at the page alone.
 * - The creation time and the id of a row never change.
 *
 * Rows live in pages of 8,192 consecutive ordinals: memory grows by a page, never by copying, and goes when a page is
 * empty. Nothing here is durable: the columns follow what was committed.
 */

import { storageUnavailable } from '../../errors.js';
import { Ids, type StoredId } from './ids.js';
import { Largest } from './largest.js';
import { Numbers, type Distances } from './numbers.js';
import { SortedOrdinals } from './sorted-ordinals.js';
import type { Cut } from '../page.js';

export const PAGE_ROWS = 8192;
const PAGE_BITS = 13;
/** The page that the row of an ordinal stands in. */
export const pageOf = (ordinal: number): number => Math.floor(ordinal / PAGE_ROWS);
const MAX_ORDINAL = 2 ** 32 - 1;

/** A condition on one column. */
export type Where = { column: number; is: number };
/** Unix milliseconds, inclusive; an absent bound does not bind. */
export type Between = { created?: TimeBounds; updated?: TimeBounds };
export type TimeBounds = { from?: number | undefined; to?: number | undefined };
export type Selection = { where?: readonly Where[]; between?: Between };
export type Found = { total: number; ordinals: number[] };

/** What a selection reads of a column. */
type Column = Pick<Numbers, 'values' | 'base'>;

/** Rows of consecutive ordinals, one slot each. */
export type Slots = {
  /** 1 where there is a row. */
  readonly present: Uint8Array;
  readonly created: Numbers;
  readonly updated: Numbers;
  readonly columns: readonly Numbers[];
};

type PageOfRows = Slots & { rows: number };

/** A page for rows that are created at about that time. */
const pageAt = (time: number, columns: number): PageOfRows => ({
  rows: 0,
  present: new Uint8Array(PAGE_ROWS),
  created: new Numbers(PAGE_ROWS, time),
  updated: new Numbers(PAGE_ROWS, time),
  columns: Array.from({ length: columns }, () => new Numbers(PAGE_ROWS)),
});

export type Row = { id: string; created_at: number; updated_at: number };

export class Table {
  /** By page number; empty ones are left out. */
  readonly #pages: (PageOfRows | undefined)[] = [];
  readonly #ids: Ids;
  readonly #order: SortedOrdinals;
  #size = 0;

  /** @param columns how many there are beside the times @param storedId of any row but those added a moment ago */
  constructor(
    private readonly columns: number,
    storedId: StoredId,
  ) {
    this.#ids = new Ids(storedId);
    this.#order = new SortedOrdinals(
      (ordinal) => this.#pageOf(ordinal).created.get(slotOf(ordinal)),
      (ordinal) => this.#ids.get(ordinal),
    );
  }

  /** Rows that are there. */
  get size(): number {
    return this.#size;
  }

  has(ordinal: number): boolean {
    return ordinal <= MAX_ORDINAL && this.#pages[ordinal >>> PAGE_BITS]?.present[slotOf(ordinal)] === 1;
  }

  /** What a row that is there has in a column. */
  value(ordinal: number, column: number): number {
    return this.#pageOf(ordinal).columns[column]!.get(slotOf(ordinal));
  }

  /** Adds a row, its columns 0. The caller has seen that it is not there. */
  add(ordinal: number, { id, created_at, updated_at }: Row): void {
    if (!(ordinal <= MAX_ORDINAL)) throw new RangeError(`the columns hold ordinals up to ${MAX_ORDINAL}`);
    const page = (this.#pages[ordinal >>> PAGE_BITS] ??= pageAt(created_at, this.columns));
    const slot = slotOf(ordinal);
    page.present[slot] = 1;
    page.created.set(slot, created_at);
    page.updated.set(slot, updated_at);
    page.rows += 1;
    this.#size += 1;
    this.#ids.add(ordinal, id);
    this.#order.insert(ordinal, id);
  }

  set(ordinal: number, column: number, value: number): void {
    this.#pageOf(ordinal).columns[column]!.set(slotOf(ordinal), value);
  }

  /** Notes when a row was last changed. */
  touch(ordinal: number, updated_at: number): void {
    this.#pageOf(ordinal).updated.set(slotOf(ordinal), updated_at);
  }

  /** Takes rows out; those that are not there are passed over. */
  remove(ordinals: readonly number[]): void {
    let emptied = false;
    for (const ordinal of ordinals) {
      if (!this.has(ordinal)) continue;
      const page = this.#pageOf(ordinal);
      const slot = slotOf(ordinal);
      page.present[slot] = 0;
      for (const column of page.columns) column.set(slot, 0);
      this.#size -= 1;
      if (--page.rows > 0) continue;
      this.#pages[ordinal >>> PAGE_BITS] = undefined;
      emptied = true;
    }
    // A row that is gone may stay in the order for a while, as long as its page is there: `select` passes over it.
    const wasted = this.#order.length - this.#size > this.#size + PAGE_ROWS;
    if (wasted || emptied) this.#order.retain((ordinal) => this.has(ordinal));
  }

  /** Rows of that many pages are about to come. */
  reserve(pages: number): void {
    this.#order.reserve(pages * PAGE_ROWS);
  }

  /** The pages that have rows. */
  pages(): number[] {
    return [...this.#pages.keys()].filter((page) => this.#pages[page] !== undefined);
  }

  hasPage(page: number): boolean {
    return this.#pages[page] !== undefined;
  }

  /** The slots of a page as they are; undefined when it has no rows. */
  slots(page: number): Slots | undefined {
    return this.#pages[page];
  }

  /** The ordinals of a page that has rows, in their order. Throws `storage_unavailable` like a list. */
  orderOf(page: number): Uint32Array {
    const { present, created } = this.#pages[page]!;
    let [from, to] = [Infinity, -Infinity];
    for (let slot = 0; slot < PAGE_ROWS; slot++) {
      if (present[slot] !== 1) continue;
      from = Math.min(from, created.get(slot));
      to = Math.max(to, created.get(slot));
    }
    return this.#order.between(from, to).filter((ordinal) => pageOf(ordinal) === page && this.has(ordinal));
  }

  /** Takes over the rows of a page that has none. Throws `storage_unavailable`, with nothing done. */
  fill(page: number, slots: Slots, order: Uint32Array): void {
    this.#pages[page] = { ...slots, rows: order.length };
    try {
      this.#order.insertSorted(order);
    } catch (error) {
      this.#pages[page] = undefined;
      throw error;
    }
    this.#size += order.length;
  }

  /** The ordinals of all rows whose value in a column is one of these. */
  matching(column: number, wanted: ReadonlySet<number>): number[] {
    const found: number[] = [];
    for (const [number, page] of this.#pages.entries()) {
      if (!page) continue;
      const values = page.columns[column]!;
      for (let slot = 0; slot < PAGE_ROWS; slot++)
        if (page.present[slot] === 1 && wanted.has(values.get(slot))) found.push(number * PAGE_ROWS + slot);
    }
    return found;
  }

  /** The rows that match, by creation time, then id; `desc` is the same list read from its end. */
  select(selection: Selection, { offset, limit }: Cut, order: 'asc' | 'desc' = 'asc'): Found {
    const matches = this.#matches(selection);
    const total = matches.length;
    const ordinals: number[] = [];
    for (let i = offset; i < total && ordinals.length < limit; i++)
      ordinals.push(matches[order === 'asc' ? i : total - 1 - i]!);
    return { total, ordinals };
  }

  /** The rows that match, the last changed first; among those changed in the same millisecond by id. */
  selectNewest(selection: Selection, { offset, limit }: Cut): Found {
    const matches = this.#matches(selection);
    const total = matches.length;
    if (offset >= total) return { total, ordinals: [] };
    const { before, near } = this.#newest(matches, Math.min(offset + limit, total)).from(offset);
    const idOf = memo((ordinal) => this.#readId(ordinal));
    near.sort((a, b) => b.number - a.number || (idOf(a.row) < idOf(b.row) ? -1 : 1));
    const ordinals = near.slice(offset - before, offset - before + limit).map(({ row }) => row);
    return { total, ordinals };
  }

  /** From the end: what was created last has most often changed last, and then few rows have to be looked at closely. */
  #newest(ordinals: Uint32Array, wanted: number): Largest {
    const largest = new Largest(wanted, ordinals.length);
    let pageNumber = -1;
    let values: Distances = ordinals;
    let [base, low] = [0, 0];
    for (let i = ordinals.length - 1; i >= 0; i--) {
      const ordinal = ordinals[i]!;
      if (ordinal >>> PAGE_BITS !== pageNumber) {
        pageNumber = ordinal >>> PAGE_BITS;
        ({ values, base } = this.#pages[pageNumber]!.updated);
        low = largest.least - base;
      }
      const value = values[slotOf(ordinal)]!;
      if (value < low) continue;
      largest.offer(value + base, ordinal);
      low = largest.least - base;
    }
    return largest;
  }

  /**
   * The ordinals of the rows that match, in order; to be read at once. Here a list spends its time: one tight loop per
   * condition over the rows that the ones before have left.
   */
  #matches({ where = [], between: { created, updated } = {} }: Selection): Uint32Array {
    const sorted = this.#order.view();
    let left = sorted;
    if (sorted.length > this.#size) left = this.#keep(left, ({ present }) => ({ values: present, base: 0 }), 1, 1);
    for (const { column, is } of where) left = this.#keep(left, (page) => page.columns[column]!, is, is);
    if (created) left = this.#keep(left, (page) => page.created, created.from, created.to);
    if (updated) left = this.#keep(left, (page) => page.updated, updated.from, updated.to);
    return left;
  }

  /** The ordinals whose rows have a number within the bounds, in `workRoom`: where `ordinals` may stand already. */
  #keep(ordinals: Uint32Array, columnOf: (page: PageOfRows) => Column, from = -Infinity, to = Infinity): Uint32Array {
    const found = workRoom(ordinals.length);
    let kept = 0;
    let pageNumber = -1;
    let values: Distances = ordinals;
    let [low, high] = [from, to];
    for (let i = 0; i < ordinals.length; i++) {
      const ordinal = ordinals[i]!;
      if (ordinal >>> PAGE_BITS !== pageNumber) {
        pageNumber = ordinal >>> PAGE_BITS;
        const column = columnOf(this.#pages[pageNumber]!);
        values = column.values;
        low = from - column.base;
        high = to - column.base;
      }
      const value = values[slotOf(ordinal)]!;
      // Without a branch: whether a row matches cannot be predicted, and guessing wrong costs three times the rest.
      found[kept] = ordinal;
      kept += Number(value >= low) & Number(value <= high);
    }
    return found.subarray(0, kept);
  }

  /** The empty text for a row that is gone. */
  #readId(ordinal: number): string {
    const id = this.#ids.get(ordinal);
    if (id === null) throw storageUnavailable();
    return id ?? '';
  }

  #pageOf(ordinal: number): PageOfRows {
    return this.#pages[ordinal >>> PAGE_BITS]!;
  }
}

/** Room for the ordinals of a selection, kept: megabytes that come and go with each list are as many for the collector. */
let room = new Uint32Array(0);
/** A selection is done before another one begins, so all tables have the same room. */
function workRoom(ordinals: number): Uint32Array {
  if (room.length < ordinals) room = new Uint32Array(ordinals + PAGE_ROWS);
  return room;
}

/** A function that is asked once for each ordinal. */
function memo(read: (ordinal: number) => string): (ordinal: number) => string {
  const known = new Map<number, string>();
  return (ordinal) => {
    let text = known.get(ordinal);
    if (text === undefined) known.set(ordinal, (text = read(ordinal)));
    return text;
  };
}

export const slotOf = (ordinal: number): number => ordinal & (PAGE_ROWS - 1);
