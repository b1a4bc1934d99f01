/**
 * Delivers what threads have for one another: each row of a thread's outbox is a start on another thread, repeated until
 * it is known to have been accepted, then deleted. The start's run id makes the repetition harmless. No commit ever spans
 * two threads.
 */

import { AgentServerError, ErrorCode } from '../../errors.js';
import type { Clock } from './clock.js';
import type { CellKey, OutboxCell } from './draft.js';
import type { Logger } from './logger.js';
import type { ThreadHost } from './thread-host.js';

export type OutboxPort = {
  /** Starts the run; resolves false when its thread is gone. */
  start(start: OutboxCell['start']): Promise<boolean>;
  clock: Clock;
  logger: Logger;
};

const RETRY_MS = 1_000;

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

  async #send(host: ThreadHost, key: `o${number}`, { start }: OutboxCell, id: string): Promise<void> {
    for (;;) {
      try {
        const there = await this.port.start(start);
        if (!there) this.port.logger.warn({ to: start.thread_id }, 'a message to a thread that is gone was dropped');
        break;
      } catch (error) {
        if (error instanceof AgentServerError && error.code === ErrorCode.conflict) break;
        if (this.#closed) return;
        this.port.logger.warn({ err: error, to: start.thread_id }, 'a message to another thread waits');
        await new Promise<void>((resolve) => this.port.clock.at(this.port.clock.now() + RETRY_MS, resolve));
        if (this.#closed) return;
      }
    }
    this.#underWay.delete(id);
    host.push({ kind: 'chore', run: (draft) => draft.set(key, undefined) });
  }
}
