/**
 * What the lists of this process know: the columns of runs and threads, and the calls that wait for a decision.
 *
 * They follow the commits: after each step of a thread the host says which records changed, and the next list shows it.
 * At start they come from their blocks (`blocks.ts`), and what those do not have is read from the store, all in the
 * background; a commit that comes in between wins over what is read. `ready` resolves when they are whole: a list waits for it, so a
 * total is exact from the first answer on.
 */

import { notInitialised } from '../../errors.js';
import * as keys from '../../store/keys.js';
import type { Store } from '../../store/port.js';
import type { ActorCell, Cells } from '../thread/cells.js';
import type { RunRow, ThreadRow } from '../thread/rows.js';
import type { RunRecord } from '../records.js';
import type { RestoredPages } from './blocks.js';
import { Dictionary } from './dictionary.js';
import { storedIds } from './ids.js';
import { PendingCalls } from './pending-calls.js';
import { RunColumns } from './run-columns.js';
import { PAGE_ROWS } from './table.js';
import { factsOf, ThreadColumns, type ThreadFacts } from './thread-columns.js';

export class Lists {
  readonly #resources = new Dictionary();
  readonly runs: RunColumns;
  readonly threads: ThreadColumns;
  readonly calls = new PendingCalls();
  /** Threads deleted until the columns are whole: the reading may still meet their rows. Null from then on. */
  #deleted: Set<number> | null = new Set();
  #whole: () => void = () => {};
  #giveUp: (error: Error) => void = () => {};
  readonly ready = new Promise<void>((resolve, reject) => {
    this.#whole = resolve;
    this.#giveUp = reject;
  });

  /** @param store for ids, which the columns do not keep */
  constructor(store: Pick<Store, 'getNow'>) {
    const runId = storedIds(store, keys.run, (row: RunRow) => row.run_id);
    const threadId = storedIds(store, keys.thread, (row: ThreadRow) => row.thread_id);
    this.runs = new RunColumns(runId, this.#resources);
    this.threads = new ThreadColumns(threadId, this.#resources);
    this.ready.catch(() => {}); // Whoever asks for a list hears of it.
  }

  /** A step of a thread is durable: `changed` are the cells it changed, `cells` all of them as they are now. */
  committed(tno: number, changed: ReadonlyMap<string, unknown>, cells: Cells): void {
    let thread = false;
    for (const [key, value] of changed) {
      if (key === 'thread' || key === 'a') thread = true;
      else if (key[0] === 'r') this.runs.put(Number(key.slice(1)), tno, value as RunRecord);
      else if (key[0] === 'a' && key.includes('/')) this.#putCall(tno, key.slice(1), value as ActorCell | undefined);
    }
    if (thread) this.threads.put(tno, factsOf(cells.get('thread')!, cells.get('a')!.snapshot.value));
  }

  /** A thread came into being without a step of its own (a fork). */
  added(tno: number, thread: ThreadFacts): void {
    this.threads.put(tno, thread);
  }

  /** The thread and all its runs are gone. */
  deleted(tno: number): void {
    this.calls.removeThread(tno);
    if (this.#deleted) return void this.#deleted.add(tno);
    this.threads.remove(tno);
    this.runs.removeThreads(new Set([tno]));
  }

  /**
   * Reads what the blocks did not have from the store, unless `isWanted` says no on the way.
   * @param restored the pages that are there already.
   */
  async read(store: Pick<Store, 'range'>, restored: RestoredPages, isWanted: () => boolean): Promise<void> {
    for (const [columns, pages, rows] of [
      [this.threads, restored.threads, keys.allThreads],
      [this.runs, restored.runs, keys.allRuns],
    ] as const)
      for (const [from, to] of gaps(pages))
        for await (const [key, row] of store.range(rows(from, to))) {
          if (!isWanted()) return;
          const ordinal = keys.ordinalOf(key);
          if (!columns.has(ordinal)) columns.take(ordinal, row);
        }
    const deleted = this.#deleted!;
    this.#deleted = null;
    for (const tno of deleted) this.threads.remove(tno);
    if (deleted.size > 0) this.runs.removeThreads(deleted);
    this.#whole();
  }

  /** The server is closing: whoever still waits for a list is refused. */
  abandon(): void {
    this.#giveUp(notInitialised());
  }

  #putCall(tno: number, path: string, cell: ActorCell | undefined): void {
    this.calls.put(tno, path, cell?.snapshot.value, cell?.since ?? 0);
  }
}

/** The ordinals outside of these pages, which are in order: `[from, to)`, the last one without an end. */
function gaps(pages: readonly number[]): [from: number, to?: number][] {
  const found: [number, number?][] = [];
  let from = 0;
  for (const page of pages) {
    if (page * PAGE_ROWS > from) found.push([from, page * PAGE_ROWS]);
    from = (page + 1) * PAGE_ROWS;
  }
  return [...found, [from]];
}
