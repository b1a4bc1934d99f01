/**
 * What the lists of this process know: the columns of runs and threads, and the calls that wait for a decision.
 *
 * They follow the commits: after each step of a thread the host says which records changed, and the next list shows it.
 * At start they come from their blocks (`blocks.ts`), and what those do not have is read from the store in the background;
 * a commit that comes in between wins over what is read. `ready` resolves when they are whole: a list waits for it, so a
 * total is exact from the first answer on.
 */

import { AgentServerError, ErrorCode } from '../../errors.js';
import * as keys from '../../store/keys.js';
import type { Store } from '../../store/port.js';
import type { ActorCell, Cells, ThreadCell } from '../host/draft.js';
import type { RunRow, ThreadRow } from '../host/rows.js';
import type { RunRecord, ThreadStatus } from '../records.js';
import type { KeptPages } from './blocks.js';
import { PendingCalls } from './pending-calls.js';
import { RunColumns } from './run-columns.js';
import { PAGE_ROWS } from './table.js';
import { ThreadColumns, type ThreadFacts } from './thread-columns.js';

export class Lists {
  readonly runs = new RunColumns();
  readonly threads = new ThreadColumns();
  readonly calls = new PendingCalls();
  /** Threads deleted while the columns are read, whose rows the reading may still meet; null when it is done. */
  #deleted: Set<number> | null = new Set();
  #whole: () => void = () => {};
  #giveUp: (error: Error) => void = () => {};
  readonly ready = new Promise<void>((resolve, reject) => {
    this.#whole = resolve;
    this.#giveUp = reject;
  });

  constructor() {
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
    this.#deleted?.add(tno);
    this.threads.remove(tno);
    this.runs.removeThread(tno);
    this.calls.removeThread(tno);
  }

  /**
   * Reads what the blocks do not have from the store, unless `isWanted` says no on the way.
   * @param kept the pages that are there already.
   */
  async read(store: Pick<Store, 'range'>, kept: KeptPages, isWanted: () => boolean): Promise<void> {
    for (const [from, to] of gaps(kept.threads))
      for await (const [key, value] of store.range(keys.allThreads(from, to))) {
        if (!isWanted()) return;
        const tno = keys.ordinalOf(key);
        if (this.threads.has(tno) || this.#deleted!.has(tno)) continue;
        const row = JSON.parse(value) as ThreadRow;
        this.threads.put(tno, factsOf(row, row.actor.value));
      }
    for (const [from, to] of gaps(kept.runs))
      for await (const [key, value] of store.range(keys.allRuns(from, to))) {
        if (!isWanted()) return;
        const rno = keys.ordinalOf(key);
        if (this.runs.has(rno)) continue;
        const { tno, ...run } = JSON.parse(value) as RunRow;
        if (!this.#deleted!.has(tno)) this.runs.put(rno, tno, run);
      }
    this.#deleted = null;
    this.#whole();
  }

  /** The server is closing: whoever still waits for a list is refused. */
  abandon(): void {
    this.#giveUp(new AgentServerError(ErrorCode.notInitialised, 'run service is not initialised'));
  }

  #putCall(tno: number, path: string, cell: ActorCell | undefined): void {
    this.calls.put(tno, path, cell?.snapshot.value, cell?.since ?? 0);
  }
}

const factsOf = (thread: ThreadCell, status: unknown): ThreadFacts => ({
  thread_id: thread.thread_id,
  status: status as ThreadStatus,
  parent_thread_id: thread.parent_thread_id,
  resource_id: thread.resource_id,
  created_at: thread.created_at,
  updated_at: thread.updated_at,
});

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
