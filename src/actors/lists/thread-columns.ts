/** The columns of all threads, by thread ordinal: what `GET /v1/threads` filters by (CONTRACT 2.1, 2.2). */

import type { ThreadFilter } from '../engine.js';
import type { ThreadCell } from '../thread/cells.js';
import type { ThreadRow } from '../thread/rows.js';
import { threadStatuses, type ThreadStatus } from '../records.js';
import { Dictionary } from './dictionary.js';
import type { StoredId } from './ids.js';
import { encodePage, restorePage, type Texts } from './page-block.js';
import { Table, type Found, type Selection, type Where } from './table.js';
import type { Cut } from '../page.js';
import { Words } from './words.js';

const [STATUS, PARENT, RESOURCE] = [0, 1, 2] as const;

const statuses = new Words(threadStatuses);

/** What the columns keep of a thread. */
export type ThreadFacts = {
  thread_id: string;
  status: ThreadStatus;
  parent_thread_id: string | null;
  resource_id: string | null;
  created_at: number;
  updated_at: number;
};

/** @param status the value of the thread's machine. */
export const factsOf = (thread: ThreadCell, status: unknown): ThreadFacts => ({
  thread_id: thread.thread_id,
  status: status as ThreadStatus,
  parent_thread_id: thread.parent_thread_id,
  resource_id: thread.resource_id,
  created_at: thread.created_at,
  updated_at: thread.updated_at,
});

export class ThreadColumns {
  readonly #parents = new Dictionary();
  readonly #texts: readonly Texts[];
  readonly #table: Table;

  /** @param resources shared with the columns of runs, which have the same ones */
  constructor(
    storedId: StoredId,
    private readonly resources = new Dictionary(),
  ) {
    this.#texts = [statuses, this.#parents, this.resources];
    this.#table = new Table(this.#texts.length, storedId);
  }

  get size(): number {
    return this.#table.size;
  }

  has(tno: number): boolean {
    return this.#table.has(tno);
  }

  /** A thread is new or has changed. Its id and its parent stay what they were; a resource may come once. */
  put(tno: number, thread: ThreadFacts): void {
    const table = this.#table;
    if (!table.has(tno)) {
      table.add(tno, { id: thread.thread_id, created_at: thread.created_at, updated_at: thread.updated_at });
      table.set(tno, PARENT, this.#parents.acquire(thread.parent_thread_id));
    } else table.touch(tno, thread.updated_at);
    table.set(tno, STATUS, statuses.code(thread.status));
    if (thread.resource_id !== null && table.value(tno, RESOURCE) === 0)
      table.set(tno, RESOURCE, this.resources.acquire(thread.resource_id));
  }

  /** Whether a thread is of this resource. */
  isOf(resource_id: string): (tno: number) => boolean {
    const is = this.resources.find(resource_id);
    return (tno) => is !== undefined && this.#table.has(tno) && this.#table.value(tno, RESOURCE) === is;
  }

  /** The thread is deleted. */
  remove(tno: number): void {
    if (!this.#table.has(tno)) return;
    this.#parents.release(this.#table.value(tno, PARENT));
    this.resources.release(this.#table.value(tno, RESOURCE));
    this.#table.remove([tno]);
  }

  /** Takes in a thread as it is stored; undefined: it is not. */
  take(tno: number, stored: string | undefined): void {
    if (stored === undefined) return this.remove(tno);
    const row = JSON.parse(stored) as ThreadRow;
    this.put(tno, factsOf(row, row.actor.value));
  }

  /** Rows of that many pages are about to come. */
  reserve(pages: number): void {
    this.#table.reserve(pages);
  }

  /** The pages that have rows. */
  pages(): number[] {
    return this.#table.pages();
  }

  hasPage(page: number): boolean {
    return this.#table.hasPage(page);
  }

  /** A page as text, to be kept; undefined when it has no rows. */
  encode(page: number): string | undefined {
    return encodePage(this.#table, page, this.#texts);
  }

  /** Takes in a page that has no rows yet. False: the text cannot be read. */
  restore(page: number, stored: string): boolean {
    return restorePage(this.#table, page, this.#texts, stored);
  }

  /** By creation time, then id. */
  select(filter: ThreadFilter, cut: Cut, order?: 'asc' | 'desc'): Found {
    const selection = this.#selection(filter);
    return selection ? this.#table.select(selection, cut, order) : nobody;
  }

  /** The last changed first. */
  selectNewest(filter: ThreadFilter, cut: Cut): Found {
    const selection = this.#selection(filter);
    return selection ? this.#table.selectNewest(selection, cut) : nobody;
  }

  /** Undefined: no row can match, because nobody has such a text. */
  #selection({ status, parent_thread_id, resource_id }: ThreadFilter): Selection | undefined {
    const where: Where[] = [];
    if (status !== undefined) where.push({ column: STATUS, is: statuses.code(status) });
    for (const [column, text, dictionary] of [
      [PARENT, parent_thread_id, this.#parents],
      [RESOURCE, resource_id, this.resources],
    ] as const) {
      if (text === undefined) continue;
      const is = text === null ? 0 : dictionary.find(text);
      if (is === undefined) return undefined;
      where.push({ column, is });
    }
    return { where };
  }
}

const nobody: Found = { total: 0, ordinals: [] };
