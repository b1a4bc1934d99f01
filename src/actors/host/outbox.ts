/**
 * Delivers what threads have for the world outside: each row of a thread's outbox is an errand (`errands.ts`), repeated
 * until it is done or given up, then deleted. No commit ever spans two threads, nor a thread and anything beyond it.
 *
 * Notifications for one receiver go one after the other; everything else at once. A thread may leave memory meanwhile:
 * it is looked for again when there is something to write down.
 */

import { pause, type Clock } from '../time/clock.js';
import type { OutboxCell } from '../thread/cells.js';
import type { Draft } from '../thread/draft.js';
import type { Errands } from './errands.js';
import type { Logger } from '../logger.js';
import type { ThreadHost } from '../thread/thread-host.js';

export type OutboxPort = {
  errands: Errands;
  clock: Clock;
  logger: Logger;
  /** Changes the thread of this ordinal, wherever it is; undefined when it is gone. Rejects when nothing was changed. */
  change(tno: number, change: (draft: Draft) => void): Promise<ThreadHost | undefined>;
};

type RowKey = `o${number}`;

const RETRY_MS = 1_000;

export class Outbox {
  /** Rows on their way, by thread and row, with the line they stand in, if any. */
  readonly #underWay = new Map<string, string | null>();
  readonly #stop = new AbortController();

  constructor(private readonly port: OutboxPort) {}

  /** Sends what the thread has to say and is not on its way yet. */
  dispatch(host: ThreadHost): void {
    for (const [key, value] of host.cells.values) {
      if (key[0] !== 'o') continue;
      const id = `${host.tno} ${key}`;
      const line = lineOf(value as OutboxCell);
      if (this.#underWay.has(id) || (line !== null && this.#isBusy(line))) continue;
      this.#underWay.set(id, line);
      void this.#deliver(host, key as RowKey, value as OutboxCell, id);
    }
  }

  close(): void {
    this.#stop.abort();
  }

  #isBusy(line: string): boolean {
    for (const busy of this.#underWay.values()) if (busy === line) return true;
    return false;
  }

  async #deliver({ tno, thread_id }: ThreadHost, key: RowKey, cell: OutboxCell, id: string): Promise<void> {
    const bury = await this.#run(tno, key, cell, thread_id);
    const host = await this.#write(tno, (draft) => {
      draft.set(key, undefined);
      bury?.(draft, tno, Number(key.slice(1)));
    });
    this.#underWay.delete(id);
    if (host) this.dispatch(host);
  }

  /** Resolves when the row may go, with what is left of it; never when the server stops first. */
  async #run(tno: number, key: RowKey, row: OutboxCell, thread_id: string) {
    const { errands, clock, logger } = this.port;
    const { signal } = this.#stop;
    let cell = row;
    if ('push' in cell) await this.#pause(cell.push.due - clock.now());
    for (let failures = 1; ; failures++) {
      try {
        await errands.run(cell);
        return undefined;
      } catch (error) {
        if (signal.aborted) return never();
        const verdict = await errands.failed(cell, error, failures, clock.now());
        const about = { err: error, errand: Object.keys(cell)[0], thread_id };
        if (verdict.is === 'over') {
          logger.error(about, 'an errand of a thread was given up');
          return verdict.bury;
        }
        logger.warn(about, 'an errand of a thread waits');
        if (verdict.row) await this.#write(tno, (draft) => draft.set(key, (cell = verdict.row!)));
        await this.#pause(verdict.in_ms);
      }
    }
  }

  /** Writes something down, for as long as the store refuses. */
  async #write(tno: number, change: (draft: Draft) => void): Promise<ThreadHost | undefined> {
    for (;;) {
      try {
        return await this.port.change(tno, change);
      } catch {
        await this.#pause(RETRY_MS);
      }
    }
  }

  async #pause(ms: number): Promise<void> {
    if (ms > 0) await pause(this.port.clock, ms, this.#stop.signal);
    if (this.#stop.signal.aborted) await never();
  }
}

/** What waits for what: notifications of one run for one receiver. */
const lineOf = (cell: OutboxCell): string | null => ('push' in cell ? `${cell.push.rno} ${cell.push.config_id}` : null);

/** The server is stopping: the row stays, and is delivered after the next start. */
const never = (): Promise<never> => new Promise(() => {});
