/**
 * Removes the logs of runs that ended longer ago than they are to be kept (CONTRACT 1.7, `retention.events_days`).
 *
 * Only events go: records, messages and histories stay. The row that says when the run ended goes last, so a sweep that
 * was broken off goes on where it was. A log that has lost its first event is expired, whatever is left of it.
 */

import type { Journal } from '../../store/journal.js';
import * as keys from '../../store/keys.js';
import type { Op, Store } from '../../store/port.js';
import type { Clock } from '../time/clock.js';
import { delRow } from '../thread/rows.js';

export type ExpiryPort = {
  store: Pick<Store, 'range'>;
  journal: Pick<Journal, 'commit'>;
  clock: Clock;
  /** Milliseconds that events are kept after the end of their run. */
  kept_ms: number;
  /** Nobody finds the events of this run any more. */
  expired(rno: number): void;
};

/** Runs whose logs one piece removes, and rows removed by one commit. */
const PIECE = 64;
const MAX_OPS = 256;

export class Expiry {
  constructor(private readonly port: ExpiryPort) {}

  /** Removes some logs. Whether there are more to be removed now. */
  async piece(signal: AbortSignal): Promise<boolean> {
    const { store, clock, kept_ms } = this.port;
    let looked = 0;
    let ops: Op[] = [];
    const until = Math.floor(clock.now() - kept_ms);
    if (until <= 0) return false;
    for await (const [key] of store.range({ ...keys.endedBefore(until), limit: PIECE })) {
      const [, rno] = keys.parsePair(key);
      for await (const [row] of store.range(keys.logOf(rno)))
        if (ops.push(delRow(row)) >= MAX_OPS) {
          if (signal.aborted) return false;
          ops = await this.#commit(ops);
        }
      ops.push(delRow(key));
      this.port.expired(rno);
      looked += 1;
    }
    await this.#commit(ops);
    return looked === PIECE;
  }

  /** From the first event on: what is left while the commits are being made is a log without its beginning. */
  async #commit(ops: Op[]): Promise<Op[]> {
    if (ops.length > 0) await this.port.journal.commit(ops);
    return [];
  }
}
