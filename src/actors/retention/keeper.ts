/**
 * What happens to the logs of runs that have ended: they are folded, and removed when their time has come.
 *
 * One job after the other and in small pieces, with rests between them as long as several pieces take: under load that
 * lasts the jobs fall behind, never the runs. What they have to do stands in the store, so they may stop anywhere.
 */

import { pause, type Clock } from '../time/clock.js';
import type { Logger } from '../logger.js';
import { Compaction, type CompactionPort } from './compaction.js';
import { Expiry, type ExpiryPort } from './expiry.js';

export type KeeperPort = CompactionPort &
  Omit<ExpiryPort, 'kept_ms'> & {
    clock: Clock;
    logger: Logger;
    /** Milliseconds that events are kept after the end of their run; null: for ever. */
    events_ms: number | null;
  };

/** Between two looks at whether there is something to do. */
export const EVERY_MS = 30_000;
/** A piece is followed by a rest of at least this, and of so many times as long as it took. */
const REST_MS = 20;
const REST = 4;

export class LogKeeper {
  readonly #stop = new AbortController();
  readonly #jobs: readonly { piece(signal: AbortSignal): Promise<boolean> }[];
  #work: Promise<void> = Promise.resolve();

  constructor(private readonly port: KeeperPort) {
    const { events_ms } = port;
    const expiry = events_ms === null ? [] : [new Expiry({ ...port, kept_ms: events_ms })];
    this.#jobs = [...expiry, new Compaction(port)];
  }

  /** Begins at once. */
  start(): void {
    this.#work = this.#run();
  }

  /** Stops behind the piece under way. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#work;
  }

  async #run(): Promise<void> {
    const { clock } = this.port;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const began = clock.now();
      const more = await this.#pieces();
      await pause(clock, more ? Math.max(REST_MS, REST * (clock.now() - began)) : EVERY_MS, signal);
    }
  }

  /** A piece of each job. Whether one of them has more to do. */
  async #pieces(): Promise<boolean> {
    let more = false;
    for (const job of this.#jobs) {
      if (this.#stop.signal.aborted) return false;
      try {
        more = (await job.piece(this.#stop.signal)) || more;
      } catch (error) {
        this.port.logger.warn({ err: error }, 'logs of ended runs could not be folded or removed yet');
      }
    }
    return more;
  }
}
