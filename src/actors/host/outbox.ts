/**
 * Delivers what threads have for the world outside: each row of a thread's outbox is an errand (`errands.ts`), repeated
 * until it is done, then deleted. No commit ever spans two threads, nor a thread and anything beyond it.
 */

import type { Clock } from './clock.js';
import type { CellKey, OutboxCell } from './draft.js';
import type { Errands } from './errands.js';
import type { Logger } from './logger.js';
import type { ThreadHost } from './thread-host.js';

export type OutboxPort = {
  errands: Errands;
  clock: Clock;
  logger: Logger;
};

export class Outbox {
  /** Rows on their way, by thread and row. */
  #underWay = new Set<string>();
  #closed = false;

  constructor(private readonly port: OutboxPort) {}

  /** Sends what the thread has to say and is not on its way yet. */
  dispatch(host: ThreadHost): void {
    for (const [key, value] of host.cells.values) {
      if (key[0] !== 'o') continue;
      const id = `${host.tno} ${key}`;
      if (this.#underWay.has(id)) continue;
      this.#underWay.add(id);
      void this.#send(host, key as CellKey & `o${number}`, value as OutboxCell, id);
    }
  }

  close(): void {
    this.#closed = true;
  }

  async #send(host: ThreadHost, key: `o${number}`, cell: OutboxCell, id: string): Promise<void> {
    const { errands, clock, logger } = this.port;
    for (let failures = 1; ; failures++) {
      try {
        await errands.run(cell);
        break;
      } catch (error) {
        if (this.#closed) return;
        const pause = errands.pauseAfter(cell, failures);
        const errand = { err: error, errand: Object.keys(cell)[0], thread_id: host.thread_id };
        if (pause === null) {
          logger.error(errand, 'an errand of a thread was given up');
          break;
        }
        logger.warn(errand, 'an errand of a thread waits');
        await new Promise<void>((resolve) => clock.at(clock.now() + pause, resolve));
        if (this.#closed) return;
      }
    }
    this.#underWay.delete(id);
    host.push({ kind: 'chore', run: (draft) => draft.set(key, undefined) });
  }
}
