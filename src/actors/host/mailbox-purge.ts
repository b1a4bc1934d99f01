/**
 * Forgets mailbox entries a day after they have ended (CONTRACT 4.2).
 *
 * A pass looks at every ended entry, in small pieces with pauses between them, so that it never stands in the way of
 * runs; the next one begins ten minutes after the last. There is no index by time to keep: it would cost each run a row.
 */

import type { Journal } from '../../store/journal.js';
import * as keys from '../../store/keys.js';
import type { Store } from '../../store/port.js';
import type { MailboxEntry } from '../records.js';
import { pause, type Clock } from '../time/clock.js';
import type { Logger } from '../logger.js';
import { delRow } from '../thread/rows.js';

export type MailboxPurgePort = {
  store: Pick<Store, 'range'>;
  journal: Pick<Journal, 'commit'>;
  clock: Clock;
  logger: Logger;
};

/** Entries are kept this long after they have ended. */
export const KEPT_MS = 24 * 60 * 60 * 1000;
const EVERY_MS = 10 * 60 * 1000;
const PIECE = 512;
const PAUSE_MS = 100;

export class MailboxPurge {
  readonly #stop = new AbortController();
  #work: Promise<void> = Promise.resolve();

  constructor(private readonly port: MailboxPurgePort) {}

  /** Begins with the first pass. */
  start(): void {
    this.#work = this.#run();
  }

  /** Stops behind the piece under way. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#work;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await this.pass().catch((error: unknown) => {
        this.port.logger.warn({ err: error }, 'ended mailbox entries could not be removed yet');
      });
      await pause(this.port.clock, EVERY_MS, signal);
    }
  }

  /** Looks at every ended entry once. */
  async pass(): Promise<void> {
    const { signal } = this.#stop;
    for (let from: [number, number] | null = [0, 0]; from && !signal.aborted;) {
      from = await this.#piece(...from);
      if (from) await pause(this.port.clock, PAUSE_MS, signal);
    }
  }

  /** Looks at some entries; gives the place of the next one. */
  async #piece(tno: number, n: number): Promise<[number, number] | null> {
    const { store, journal, clock } = this.port;
    const endedBy = clock.now() - KEPT_MS;
    const expired = [];
    let seen = 0;
    let next: [number, number] | null = null;
    for await (const [key, value] of store.range({ ...keys.allHistory(tno, n), limit: PIECE + 1 })) {
      if (seen++ === PIECE) next = keys.parsePair(key);
      else {
        const { updated_at, status } = JSON.parse(value) as MailboxEntry;
        if (updated_at > endedBy) continue;
        expired.push(delRow(key));
        if (status === 'dead_letter') expired.push(delRow(keys.deadLetter(...keys.parsePair(key))));
      }
    }
    if (expired.length > 0) await journal.commit(expired);
    return next;
  }
}
