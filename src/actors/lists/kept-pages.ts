/**
 * What the store has of the pages of one table: the block of a page, and a mark for each row that has changed since.
 * Block and marked rows together are the page; without a block it is all of its rows.
 */

import * as keys from '../../store/keys.js';
import type { Key, Op, Range, Store } from '../../store/port.js';
import { pageOf } from './table.js';

/** The columns of a table as their blocks see them. */
export type KeptColumns = {
  /** Pages that have rows. */
  pages(): number[];
  hasPage(page: number): boolean;
  /** Rows of that many pages are about to come. */
  reserve(pages: number): void;
  encode(page: number): string | undefined;
  restore(page: number, block: string): boolean;
  /** Takes in the stored row of an ordinal; undefined: there is none. */
  take(ordinal: number, row: string | undefined): void;
};

/** Where a table stands in the store. */
export type Family = {
  columns: KeptColumns;
  blocks: () => Range;
  block: (page: number) => Key;
  mark: (page: number, ordinal: number) => Key;
  row: (ordinal: number) => Key;
};

/** A page is written when nothing has changed in it for this long; one that never rests, once in that time at most. */
export const QUIET_MS = 5 * 60_000;
/** Marks from which on a page that never rests is written again: an eighth of its rows. */
const MANY = 1024;
/** Rows read at once. */
const PIECE = 1000;

export type Page = {
  readonly number: number;
  /** Commits under way that change rows of the page: the columns do not show them yet. */
  busy: number;
  changedAt: number;
  writtenAt: number;
  /** Whether the store has a block of the page, or may have one; `foreign`: one that only another build can read. */
  block: 'none' | 'good' | 'foreign';
  /** Ordinals that have marks in the store. */
  marked: Set<number>;
};

type Found = { number: number; block: string; marks: number[] };

export class KeptPages {
  readonly #pages = new Map<number, Page>();
  readonly #restored = new Set<number>();
  /** Until all blocks have been met, any page may have one. */
  #allMet = false;

  constructor(
    readonly family: Family,
    private readonly now: () => number,
  ) {}

  /** The page in which a row is about to change. */
  pageOf(ordinal: number): Page {
    return this.#page(pageOf(ordinal));
  }

  /** What makes the change of a row known to the next start; undefined when it is known, or the page has no block. */
  markFor(page: Page, ordinal: number): Op | undefined {
    if (page.block === 'none' || page.marked.has(ordinal)) return undefined;
    return { type: 'put', key: this.family.mark(page.number, ordinal), value: '0' };
  }

  /**
   * Fills the columns from the blocks and what has changed since, unless `isWanted` says no on the way. Gives the pages
   * that are whole, in order. One in which something was committed meanwhile is left to be read row by row: what was
   * committed wins over what was kept. May be called again when the store refused.
   */
  async load(store: Pick<Store, 'range' | 'getMany'>, isWanted: () => boolean): Promise<number[]> {
    for await (const [key] of store.range({ ...this.family.blocks(), reverse: true, limit: 1 }))
      this.family.columns.reserve(keys.ordinalOf(key) + 1);
    const met = new Set<number>();
    let found: Found | undefined;
    for await (const [key, value] of store.range(this.family.blocks())) {
      if (!isWanted()) return [];
      if (keys.isBlock(key)) {
        if (found) await this.#restore(found, store);
        found = { number: keys.ordinalOf(key), block: value, marks: [] };
        met.add(found.number);
      } else {
        const [number, ordinal] = keys.parsePair(key);
        this.#page(number).marked.add(ordinal);
        if (found?.number === number) found.marks.push(ordinal);
      }
    }
    if (found) await this.#restore(found, store);
    for (const page of this.#pages.values()) if (!met.has(page.number)) page.block = 'none';
    this.#allMet = true;
    return [...this.#restored].sort((a, b) => a - b);
  }

  /** Rows are read first, so that nothing can be committed between the block and them. */
  async #restore({ number, block, marks }: Found, store: Pick<Store, 'getMany'>): Promise<void> {
    if (this.#restored.has(number)) return;
    const { columns, row } = this.family;
    const rows: (string | undefined)[] = [];
    for (let i = 0; i < marks.length; i += PIECE)
      rows.push(...(await store.getMany(marks.slice(i, i + PIECE).map(row))));
    const page = this.#page(number);
    if (columns.hasPage(number)) return;
    if (!columns.restore(number, block)) return void (page.block = 'foreign');
    for (const [i, ordinal] of marks.entries()) columns.take(ordinal, rows[i]);
    this.#restored.add(number);
  }

  /** Pages that are worth writing now. The columns must be whole. */
  *due(): Generator<Page> {
    for (const number of this.family.columns.pages()) this.#page(number);
    for (const page of this.#pages.values()) if (this.isDue(page)) yield page;
  }

  isDue({ number, busy, block, marked, changedAt, writtenAt }: Page): boolean {
    if (busy > 0 || (block === 'good' && marked.size === 0)) return false;
    if (block === 'none' && !this.family.columns.hasPage(number)) return false;
    const before = this.now() - QUIET_MS;
    return changedAt <= before || (writtenAt <= before && (block !== 'good' || marked.size >= MANY));
  }

  /**
   * The operations that make the page's block that of the columns as they are now, to be committed at once: a change of
   * the page from here on leaves its mark in a later commit. `undo` when they have not become durable.
   */
  rewrite(page: Page): { ops: Op[]; undo: () => void } {
    const { columns, block, mark } = this.family;
    const value = columns.encode(page.number);
    const key = block(page.number);
    const ops: Op[] = [value === undefined ? { type: 'del', key } : { type: 'put', key, value }];
    for (const ordinal of page.marked) ops.push({ type: 'del', key: mark(page.number, ordinal) });
    const { block: had, marked } = page;
    page.block = value === undefined ? 'none' : 'good';
    page.marked = new Set();
    page.writtenAt = this.now();
    const undo = (): void => {
      page.block = had;
      for (const ordinal of marked) page.marked.add(ordinal);
    };
    return { ops, undo };
  }

  #page(number: number): Page {
    let page = this.#pages.get(number);
    if (!page) {
      const now = this.now();
      page = {
        number,
        busy: 0,
        changedAt: now,
        writtenAt: now,
        block: this.#allMet ? 'none' : 'good',
        marked: new Set(),
      };
      this.#pages.set(number, page);
    }
    return page;
  }
}
