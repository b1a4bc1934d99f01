/**
 * Pulls one run's log in order: from the store while behind, from the feed when at the live end (engine port). A log that
 * is removed under its reader has no end: `next` throws `events_expired`, so that nobody takes a piece for the whole.
 */

import { eventsExpired } from '../../errors.js';
import { hasLog } from '../../store/log.js';
import type { Reads } from '../../store/reads.js';
import type { EventReader, LogSlice } from '../engine.js';
import type { LogChunk } from '../events.js';
import type { RunRecord } from '../records.js';
import { loadChunks } from './chunks.js';
import type { Feed } from './feed.js';

/** Chunks read from the store at once. */
const READ_AHEAD = 64;

export class LogReader implements EventReader {
  #stored: LogChunk[] = [];
  #unring: (() => void) | null = null;
  #wake: (() => void) | null = null;
  /** Everything was handed out, or the reader was closed. */
  #over = false;

  constructor(
    readonly run: RunRecord,
    private readonly rno: number,
    /** Sequence number of the last event handed out. */
    private after: number,
    private readonly store: Reads,
    /** Absent when the run was over as the reader was opened. */
    private readonly feed: Feed | undefined,
  ) {
    if (feed) feed.readers++;
  }

  get caughtUp(): boolean {
    return !this.#over && this.feed !== undefined && !this.feed.ended && this.after + 1 >= this.feed.next;
  }

  next(): LogSlice | undefined | Promise<LogSlice | undefined> {
    if (this.#over) return undefined;
    const want = this.after + 1;
    const live = this.feed?.find(want);
    if (live) {
      // What was read ahead lies behind by the time the ring is left again.
      this.#stored = [];
      return this.#hand(live);
    }
    const stored = this.#stored.shift();
    if (stored) return this.#hand(stored);
    if (this.feed && want >= this.feed.next) {
      if (this.feed.ended) return this.#finish();
      return this.#wait();
    }
    return this.#readOn(want);
  }

  close(): void {
    if (!this.#over) this.#finish();
    this.#unring?.();
    this.#wake?.();
  }

  #finish(): undefined {
    this.#over = true;
    if (this.feed) this.feed.readers--;
    return undefined;
  }

  #hand(chunk: LogChunk): LogSlice {
    const from = this.after + 1 - chunk.n;
    this.after = chunk.n + chunk.events.length - 1;
    if (chunk.events.at(-1)![0] === 'run_finish') this.#finish();
    return { chunk, from };
  }

  async #wait(): Promise<LogSlice | undefined> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      this.#unring = this.feed!.onNext(resolve);
    });
    this.#wake = this.#unring = null;
    return this.next();
  }

  async #readOn(want: number): Promise<LogSlice | undefined> {
    const chunks = await loadChunks(this.store, this.rno, want - 1, {
      limit: READ_AHEAD,
    });
    if (this.#over) return undefined;
    if (chunks.length === 0) return this.#endOrGone();
    this.#stored = chunks;
    return this.next();
  }

  async #endOrGone(): Promise<undefined> {
    if (!(await hasLog(this.store, this.rno))) throw eventsExpired();
    if (!this.#over) this.#finish();
    return undefined;
  }
}
