/**
 * Keeps the columns in the store, page by page, so that a start need not read every record (DESIGN, X and Y blocks).
 *
 * A block is there exactly as long as no row of its page has changed since it was written: a commit that changes a run's
 * or a thread's row takes the block of its page away with it. So a block that is found at start is right, whatever
 * happened, and only the pages without one are read row by row.
 *
 * A page is written when it has been quiet for a while and no commit that touches it is under way. Most pages of a
 * server that has run for long are quiet for ever: their runs have ended.
 */

import type { Journal } from '../../store/journal.js';
import * as keys from '../../store/keys.js';
import type { Op, Store } from '../../store/port.js';
import { pause, type Clock } from '../host/clock.js';
import type { Logger } from '../host/logger.js';
import type { RunColumns } from './run-columns.js';
import { pageOf } from './table.js';
import type { ThreadColumns } from './thread-columns.js';

export type BlocksPort = {
  journal: Pick<Journal, 'commit'>;
  runs: RunColumns;
  threads: ThreadColumns;
  clock: Clock;
  logger: Logger;
};

/** A page is written when nothing has changed in it for this long. */
export const QUIET_MS = 5 * 60_000;
const LOOK_MS = 30_000;
/** Between two blocks: they are large, and runs go first. */
const PAUSE_MS = 100;

type Page = {
  /** Of its block. */
  key: Buffer;
  /** Operations under way that change rows of the page: the columns do not show them yet. */
  busy: number;
  changedAt: number;
  /** The store has, or may have, a block of the page. */
  kept: boolean;
};
type Pages = Map<number, Page>;
/** Numbers of pages, in order. */
export type KeptPages = { runs: number[]; threads: number[] };

export class ColumnBlocks {
  readonly #runs: Pages = new Map();
  readonly #threads: Pages = new Map();

  constructor(private readonly port: BlocksPort) {}

  /** Commits operations, and with them the end of the blocks that they make wrong. */
  commit(ops: readonly Op[]): Promise<void> {
    const touched = this.#touched(ops);
    if (touched.length === 0) return this.port.journal.commit(ops);
    const outdated = touched.filter(({ kept }) => kept).map(({ key }): Op => ({ type: 'del', key }));
    return this.port.journal.commit(outdated.length === 0 ? ops : [...ops, ...outdated]).then(
      () => this.#settle(touched, true),
      (error: unknown) => {
        this.#settle(touched, false);
        throw error;
      },
    );
  }

  /** Fills the columns from the blocks there are; gives the pages they hold. Blocks that cannot be read are removed. */
  async load(store: Pick<Store, 'range'>): Promise<KeptPages> {
    const useless: Op[] = [];
    for (const [columns, pages, blocks] of [
      [this.port.runs, this.#runs, keys.runBlocks()],
      [this.port.threads, this.#threads, keys.threadBlocks()],
    ] as const)
      for await (const [key, value] of store.range(blocks)) {
        const number = keys.ordinalOf(key);
        if (columns.restore(number, value)) pages.set(number, { key, busy: 0, changedAt: 0, kept: true });
        else useless.push({ type: 'del', key });
      }
    if (useless.length > 0) await this.port.journal.commit(useless);
    return { runs: [...this.#runs.keys()], threads: [...this.#threads.keys()] };
  }

  /** Writes the pages that have come to rest, again and again, until the signal. The columns must be whole. */
  async run(signal: AbortSignal): Promise<void> {
    const { runs, threads, clock, logger } = this.port;
    for (const number of runs.pages()) this.#page(this.#runs, number, keys.runBlock);
    for (const number of threads.pages()) this.#page(this.#threads, number, keys.threadBlock);
    while (!signal.aborted) {
      await pause(clock, LOOK_MS, signal);
      await this.#writeQuiet(signal).catch((error: unknown) => {
        logger.warn({ err: error }, 'the columns of the lists could not be written yet');
      });
    }
  }

  async #writeQuiet(signal: AbortSignal): Promise<void> {
    for (const [columns, pages] of [
      [this.port.runs, this.#runs],
      [this.port.threads, this.#threads],
    ] as const)
      for (const [number, page] of pages) {
        if (signal.aborted) return;
        if (!this.#isDue(page)) continue;
        await this.#write(page, columns.encode(number));
        await pause(this.port.clock, PAUSE_MS, signal);
      }
  }

  #isDue({ busy, kept, changedAt }: Page): boolean {
    return busy === 0 && !kept && changedAt <= this.port.clock.now() - QUIET_MS;
  }

  /** From here on a change of the page takes the block away, in a later commit than this one. */
  async #write(page: Page, value: string | undefined): Promise<void> {
    if (value === undefined) return;
    page.kept = true;
    try {
      await this.port.journal.commit([{ type: 'put', key: page.key, value }]);
    } catch (error) {
      page.kept = false;
      throw error;
    }
  }

  /** The pages whose rows the operations change, once for each operation. */
  #touched(ops: readonly Op[]): Page[] {
    const touched: Page[] = [];
    for (const { key } of ops) {
      if (keys.isRun(key)) touched.push(this.#page(this.#runs, pageOf(keys.ordinalOf(key)), keys.runBlock));
      else if (keys.isThread(key))
        touched.push(this.#page(this.#threads, pageOf(keys.ordinalOf(key)), keys.threadBlock));
    }
    for (const page of touched) page.busy += 1;
    return touched;
  }

  #settle(touched: Page[], landed: boolean): void {
    const now = this.port.clock.now();
    for (const page of touched) {
      page.busy -= 1;
      page.changedAt = now;
      if (landed) page.kept = false;
    }
  }

  #page(pages: Pages, number: number, keyOf: (page: number) => Buffer): Page {
    let page = pages.get(number);
    if (!page)
      pages.set(number, (page = { key: keyOf(number), busy: 0, changedAt: this.port.clock.now(), kept: false }));
    return page;
  }
}
