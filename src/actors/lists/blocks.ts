/**
 * Keeps the columns in the store, page by page, so that a start need not read every record (DESIGN, X and Y blocks).
 *
 * A block is never wrong, whatever happens: a commit that changes the row of a run or a thread carries a mark for it,
 * unless there is one since the block was written. A start takes the pages from their blocks and reads the marked rows;
 * pages without a block are read row by row.
 *
 * A page is written when it has been quiet for a while and no commit that touches it is under way, as most pages of a
 * server that has run for long are for ever: their runs have ended. One that never rests is written now and then, so
 * that a start has no more to read than what has changed in some minutes.
 *
 * What it costs: a commit one small row for the first change of a row after its page was written; a page of 8,192 runs
 * about 350 kB, at most once in `QUIET_MS`.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Journal } from '../../store/journal.js';
import * as keys from '../../store/keys.js';
import type { Op, Store } from '../../store/port.js';
import { pause, type Clock } from '../time/clock.js';
import type { Logger } from '../logger.js';
import { KeptPages, type Page } from './kept-pages.js';
import type { RunColumns } from './run-columns.js';
import type { ThreadColumns } from './thread-columns.js';

export type BlocksPort = {
  journal: Pick<Journal, 'commit'>;
  runs: RunColumns;
  threads: ThreadColumns;
  clock: Clock;
  logger: Logger;
};

const LOOK_MS = 30_000;
/** Between two blocks: they are large, and runs go first. */
const PAUSE_MS = 100;

/** Numbers of the pages that came from their blocks, in order. */
export type RestoredPages = { runs: number[]; threads: number[] };
type Touch = { page: Page; ordinal: number; mark: Op | undefined };

export class ColumnBlocks {
  readonly #runs: KeptPages;
  readonly #threads: KeptPages;

  constructor(private readonly port: BlocksPort) {
    const now = () => port.clock.now();
    const { runBlocks, runBlock, changedRun, run, threadBlocks, threadBlock, changedThread, thread } = keys;
    this.#runs = new KeptPages(
      { columns: port.runs, blocks: runBlocks, block: runBlock, mark: changedRun, row: run },
      now,
    );
    this.#threads = new KeptPages(
      { columns: port.threads, blocks: threadBlocks, block: threadBlock, mark: changedThread, row: thread },
      now,
    );
  }

  /** Commits operations, and with them the marks of the rows they change. */
  commit(ops: readonly Op[]): Promise<void> {
    const touched = this.#touched(ops);
    if (touched.length === 0) return this.port.journal.commit(ops);
    const marks = touched.flatMap(({ mark }) => mark ?? []);
    return this.port.journal.commit(marks.length === 0 ? ops : [...ops, ...marks]).then(
      () => this.#settle(touched, true),
      (error: unknown) => {
        this.#settle(touched, false);
        throw error;
      },
    );
  }

  /** Fills the columns from their blocks, unless `isWanted` says no on the way; while commits go on. */
  async load(store: Pick<Store, 'range' | 'getMany'>, isWanted: () => boolean): Promise<RestoredPages> {
    return { threads: await this.#threads.load(store, isWanted), runs: await this.#runs.load(store, isWanted) };
  }

  /** Writes the pages that are due, again and again, until the signal. The columns must be whole. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.port;
    while (!signal.aborted) {
      await pause(clock, LOOK_MS, signal);
      await this.#writeDue(signal).catch((error: unknown) => {
        logger.warn({ err: error }, 'the columns of the lists could not be written yet');
      });
    }
  }

  async #writeDue(signal: AbortSignal): Promise<void> {
    for (const pages of [this.#runs, this.#threads])
      for (const page of [...pages.due()]) {
        // What has become durable in this turn is in the columns at its end.
        await nextTurn();
        if (signal.aborted) return;
        if (!pages.isDue(page)) continue;
        const { ops, undo } = pages.rewrite(page);
        await this.port.journal.commit(ops).catch((error: unknown) => {
          undo();
          throw error;
        });
        await pause(this.port.clock, PAUSE_MS, signal);
      }
  }

  /** The rows that the operations change. */
  #touched(ops: readonly Op[]): Touch[] {
    const touched: Touch[] = [];
    for (const { key } of ops) {
      const pages = keys.isRun(key) ? this.#runs : keys.isThread(key) ? this.#threads : undefined;
      if (!pages) continue;
      const ordinal = keys.ordinalOf(key);
      const page = pages.pageOf(ordinal);
      page.busy += 1;
      touched.push({ page, ordinal, mark: pages.markFor(page, ordinal) });
    }
    return touched;
  }

  #settle(touched: Touch[], landed: boolean): void {
    const now = this.port.clock.now();
    for (const { page, ordinal, mark } of touched) {
      page.busy -= 1;
      page.changedAt = now;
      if (landed && mark) page.marked.add(ordinal);
    }
  }
}
