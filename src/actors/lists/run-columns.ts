/** The columns of all runs, by run ordinal: what `GET /v1/runs` filters by (CONTRACT 1.12). */

import type { RunFilter } from '../engine.js';
import type { RunRow } from '../thread/rows.js';
import { runCodes, runOrigins, runStatuses, type RunRecord } from '../records.js';
import { Dictionary } from './dictionary.js';
import type { StoredId } from './ids.js';
import { encodePage, restorePage, type Texts } from './page-block.js';
import { Table, type Between, type Found, type Selection, type TimeBounds, type Where } from './table.js';
import type { Cut } from '../page.js';
import { Words } from './words.js';

const [THREAD, STATUS, ORIGIN, CODE, AGENT, PARENT, RESOURCE] = [0, 1, 2, 3, 4, 5, 6] as const;

const statuses = new Words(runStatuses);
const origins = new Words(runOrigins);
const codes = new Words(runCodes);

export class RunColumns {
  readonly #agents = new Dictionary();
  readonly #parents = new Dictionary();
  readonly #texts: readonly Texts[];
  readonly #table: Table;

  /** @param resources shared with the columns of threads, which have the same ones */
  constructor(
    storedId: StoredId,
    private readonly resources = new Dictionary(),
  ) {
    this.#texts = [null, statuses, origins, codes, this.#agents, this.#parents, this.resources];
    this.#table = new Table(this.#texts.length, storedId);
  }

  get size(): number {
    return this.#table.size;
  }

  has(rno: number): boolean {
    return this.#table.has(rno);
  }

  /** A run is new or has changed. Its id, its thread, its origin, its parent and its resource stay what they were. */
  put(rno: number, tno: number, run: RunRecord): void {
    const table = this.#table;
    if (!table.has(rno)) {
      table.add(rno, { id: run.run_id, created_at: run.created_at, updated_at: run.updated_at });
      table.set(rno, THREAD, tno);
      table.set(rno, ORIGIN, origins.code(run.origin));
      table.set(rno, AGENT, this.#agents.acquire(run.agent_id));
      table.set(rno, PARENT, this.#parents.acquire(run.parent_run_id));
      table.set(rno, RESOURCE, this.resources.acquire(run.resource_id));
    } else {
      table.touch(rno, run.updated_at);
      this.#setAgent(rno, run.agent_id);
    }
    table.set(rno, STATUS, statuses.code(run.status));
    table.set(rno, CODE, codes.code(run.termination_code));
  }

  /** These threads are deleted, and their runs with them. */
  removeThreads(tnos: ReadonlySet<number>): void {
    this.#remove(this.#table.matching(THREAD, tnos));
  }

  /** Takes in a run as it is stored; undefined: it is not. */
  take(rno: number, row: string | undefined): void {
    if (row === undefined) return this.#table.has(rno) ? this.#remove([rno]) : undefined;
    const { tno, ...run } = JSON.parse(row) as RunRow;
    this.put(rno, tno, run);
  }

  #remove(runs: readonly number[]): void {
    for (const rno of runs) {
      this.#agents.release(this.#table.value(rno, AGENT));
      this.#parents.release(this.#table.value(rno, PARENT));
      this.resources.release(this.#table.value(rno, RESOURCE));
    }
    this.#table.remove(runs);
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

  /** @param tno the thread that `filter.thread_id` names, when it names one. */
  select(filter: RunFilter, cut: Cut, order?: 'asc' | 'desc', tno?: number): Found {
    const selection = this.#selection(filter, tno);
    return selection ? this.#table.select(selection, cut, order) : { total: 0, ordinals: [] };
  }

  /** Undefined: no row can match, because nobody has such a text. */
  #selection(filter: RunFilter, tno: number | undefined): Selection | undefined {
    // What few rows have comes first: each condition looks at those that the ones before have left.
    const where: Where[] = [];
    for (const [column, text, find] of [
      [THREAD, filter.thread_id, () => tno],
      [PARENT, filter.parent_run_id, (text: string) => this.#parents.find(text)],
      [RESOURCE, filter.resource_id, (text: string) => this.resources.find(text)],
      [AGENT, filter.agent_id, (text: string) => this.#agents.find(text)],
    ] as const) {
      if (text === undefined) continue;
      const is = find(text);
      if (is === undefined) return undefined;
      where.push({ column, is });
    }
    if (filter.status !== undefined) where.push({ column: STATUS, is: statuses.code(filter.status) });
    if (filter.origin !== undefined) where.push({ column: ORIGIN, is: origins.code(filter.origin) });
    if (filter.termination_code !== undefined) where.push({ column: CODE, is: codes.code(filter.termination_code) });
    const created = { from: filter.created_at_from, to: filter.created_at_to };
    const updated = { from: filter.updated_at_from, to: filter.updated_at_to };
    return { where, between: { ...bound('created', created), ...bound('updated', updated) } };
  }

  /** A run goes on as another agent after a hand-off. */
  #setAgent(rno: number, agent_id: string): void {
    const before = this.#table.value(rno, AGENT);
    if (this.#agents.find(agent_id) === before) return;
    this.#table.set(rno, AGENT, this.#agents.acquire(agent_id));
    this.#agents.release(before);
  }
}

const bound = (name: 'created' | 'updated', bounds: TimeBounds): Between =>
  bounds.from === undefined && bounds.to === undefined ? {} : { [name]: bounds };
