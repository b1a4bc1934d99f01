/**
 * The feed of what happens, as far back as a ring reaches.
 *
 * Entries are numbered densely; the oldest go when there are too many. Readers pull by number, so nothing is ever kept per
 * reader. Entries come in only while somebody watches, and for a while after, so that a reader who was cut off can resume:
 * the rest of the time the feed costs nothing. Events of runs likewise, while somebody tails them. What was left out in
 * between has a number of its own, so nobody resumes across it.
 */

import { randomBytes } from 'node:crypto';
import { redact } from '../../redact.js';
import type { JsonValue } from '../../json.js';
import type { CanonicalEvent } from '../events.js';
import type { FeedEntry, LiveFeed, Progress } from '../inspection.js';

export type RingLimits = {
  entries: number;
  /** Characters of events of runs, about. */
  chars: number;
  /** Milliseconds for which a reader who was cut off may come back. */
  linger_ms: number;
};
const defaultRingLimits: RingLimits = { entries: 8192, chars: 8 * 1024 * 1024, linger_ms: 60_000 };

/** Whether something is let in. `on`: all of it behind number `since`; `until`: with no reader it ends then. */
type Gate = { is: 'off' } | { is: 'on'; since: number; readers: number; until: number };

export class FeedRing implements LiveFeed {
  readonly boot = randomBytes(6).toString('hex');
  readonly #entries: (FeedEntry | undefined)[] = [];
  #first = 1;
  #last = 0;
  #chars = 0;
  readonly #bells = new Set<() => void>();
  readonly #listeners = new Set<(progress: Progress) => void>();
  #watching: Gate = { is: 'off' };
  #tailing: Gate = { is: 'off' };

  constructor(
    private readonly now: () => number,
    private readonly limits: RingLimits = defaultRingLimits,
  ) {}

  get last(): number {
    return this.#last;
  }

  at(n: number): FeedEntry | undefined {
    return n >= this.#first && n <= this.#last ? this.#entries[n % this.limits.entries] : undefined;
  }

  reaches(n: number, tail: boolean): boolean {
    if (!isOpen(this.#watching, n) || n < this.#first - 1 || n > this.#last) return false;
    return !tail || isOpen(this.#tailing, n);
  }

  /** Whether entries are wanted now. */
  get isWatched(): boolean {
    if (this.#watching.is === 'off') return false;
    if (!this.#hasEnded(this.#watching)) return true;
    this.#watching = { is: 'off' };
    while (this.#first <= this.#last) this.#drop();
    return false;
  }

  push(entry: FeedEntry): void {
    this.#last += 1;
    if (this.#last - this.#first >= this.limits.entries) this.#drop();
    this.#entries[this.#last % this.limits.entries] = entry;
    for (const bell of this.#bells) bell();
  }

  /** Whether events of runs are wanted now. */
  get isTailed(): boolean {
    if (this.#tailing.is === 'on' && this.#hasEnded(this.#tailing)) this.#tailing = { is: 'off' };
    return this.#tailing.is === 'on';
  }

  /**
   * An event of a run, for those who tail. Pieces of arguments cannot be looked through for secrets and are left out: the
   * whole arguments follow.
   */
  pushEvent(agent_id: string, event: CanonicalEvent): void {
    const data = redact(event.type === 'tool_call_delta' ? { id: event.data.id, args_delta: '…' } : event.data);
    const entry: FeedEntry = { type: 'event', at: event.timestamp_ms, agent_id, event: { ...event, data } as never };
    this.#chars += weigh(entry);
    this.push(entry);
    while (this.#chars > this.limits.chars && this.#first < this.#last) this.#drop();
  }

  /** Whether anybody listens to progress. */
  get isFollowed(): boolean {
    return this.#listeners.size > 0;
  }

  progress(progress: Progress): void {
    for (const listener of this.#listeners) listener(progress);
  }

  onNext(bell: () => void): () => void {
    this.#bells.add(bell);
    return () => void this.#bells.delete(bell);
  }

  onProgress(listener: (progress: Progress) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  watch({ tail }: { tail: boolean }): () => void {
    if (!this.isWatched) {
      // What was not told: whoever had everything before it has not everything now.
      this.#first = ++this.#last + 1;
      this.#watching = { is: 'on', since: this.#last, readers: 0, until: 0 };
    }
    if (tail && !this.isTailed) this.#tailing = { is: 'on', since: this.#last, readers: 0, until: 0 };
    const gates = [this.#watching, ...(tail ? [this.#tailing] : [])].filter((gate) => gate.is === 'on');
    for (const gate of gates) gate.readers += 1;
    return () => {
      for (const gate of gates.splice(0)) {
        gate.readers -= 1;
        gate.until = this.now() + this.limits.linger_ms;
      }
    };
  }

  #hasEnded({ readers, until }: Extract<Gate, { is: 'on' }>): boolean {
    return readers === 0 && this.now() > until;
  }

  #drop(): void {
    const slot = this.#first % this.limits.entries;
    const entry = this.#entries[slot]!;
    if (entry.type === 'event') this.#chars -= weigh(entry);
    this.#entries[slot] = undefined;
    this.#first += 1;
  }
}

const isOpen = (gate: Gate, n: number): boolean => gate.is === 'on' && n >= gate.since;

/** About how many characters an entry has as JSON; the same each time it is asked. */
function weigh({ event }: Extract<FeedEntry, { type: 'event' }>): number {
  return 150 + sizeOf(event.data);
}

function sizeOf(value: JsonValue): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 5;
  let size = 2;
  for (const [key, inner] of Object.entries(value)) size += key.length + 4 + sizeOf(inner);
  return size;
}
