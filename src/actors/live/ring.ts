/**
 * The feed of what happens, as far back as a ring reaches.
 *
 * Entries are numbered densely from 1 for the life of the process; the oldest go when there are too many. Readers pull by
 * number, so nothing is ever kept per reader. Events of runs come in only while somebody tails them, and for a while
 * after, so that a tail that was cut can be resumed: the rest of the time they cost nothing.
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
  /** Milliseconds for which a tail that was cut may come back. */
  linger_ms: number;
};
export const defaultRingLimits: RingLimits = { entries: 8192, chars: 8 * 1024 * 1024, linger_ms: 60_000 };

type Tailing =
  | { is: 'off' }
  /** Every event behind number `since` is in. `until`: nobody tails, and from then on nobody will. */
  | { is: 'on'; since: number; readers: number; until: number };

export class FeedRing implements LiveFeed {
  readonly boot = randomBytes(6).toString('hex');
  readonly #entries: (FeedEntry | undefined)[] = [];
  #first = 1;
  #last = 0;
  #chars = 0;
  readonly #bells = new Set<() => void>();
  readonly #listeners = new Set<(progress: Progress) => void>();
  #tailing: Tailing = { is: 'off' };

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
    if (n < this.#first - 1 || n > this.#last) return false;
    return !tail || (this.#tailing.is === 'on' && n >= this.#tailing.since);
  }

  push(entry: FeedEntry): void {
    this.#last += 1;
    if (this.#last - this.#first >= this.limits.entries) this.#drop();
    this.#entries[this.#last % this.limits.entries] = entry;
    for (const bell of this.#bells) bell();
  }

  /** Whether events of runs are wanted now. */
  get isTailed(): boolean {
    const tailing = this.#tailing;
    if (tailing.is === 'off') return false;
    if (tailing.readers === 0 && this.now() > tailing.until) this.#tailing = { is: 'off' };
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

  tail(): () => void {
    if (!this.isTailed) this.#tailing = { is: 'on', since: this.#last, readers: 0, until: 0 };
    const tailing = this.#tailing as Extract<Tailing, { is: 'on' }>;
    tailing.readers += 1;
    let over = false;
    return () => {
      if (over) return;
      over = true;
      tailing.readers -= 1;
      tailing.until = this.now() + this.limits.linger_ms;
    };
  }

  #drop(): void {
    const slot = this.#first % this.limits.entries;
    const entry = this.#entries[slot]!;
    if (entry.type === 'event') this.#chars -= weigh(entry);
    this.#entries[slot] = undefined;
    this.#first += 1;
  }
}

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
