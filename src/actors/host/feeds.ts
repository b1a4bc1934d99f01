/** The live ends of the logs of all open runs in memory (`feed.ts` is one of them). */

import type { LogChunk } from '../events.js';
import type { RunRecord } from '../records.js';
import { Feed } from '../log/feed.js';
import type { ThreadHost } from '../thread/thread-host.js';

/** Ended runs whose last chunks stay at hand: most clients open their stream while, or just after, a short run is over. */
const RECENT = 512;

export class Feeds {
  #feeds = new Map<number, Feed>();
  #recent = new Map<number, { feed: Feed; record: RunRecord }>();

  constructor(private readonly chunks: number) {}

  get size(): number {
    return this.#feeds.size;
  }

  /** The live end of an open run of this thread; a run that is over has none. */
  of(rno: number, host: ThreadHost): Feed | undefined {
    const known = this.#feeds.get(rno);
    if (known) return known;
    const record = host.cells.get(`r${rno}`);
    if (!record || record.status === 'done') return undefined;
    return this.#create(rno, host.cells.get(`l${rno}`)?.seq ?? 0);
  }

  /** A run that ended not long ago, with the end of its log. */
  recent(rno: number): { feed: Feed; record: RunRecord } | undefined {
    return this.#recent.get(rno);
  }

  /** The events of a run that ended are removed. */
  forgetEnded(rno: number): void {
    this.#recent.delete(rno);
  }

  /** The thread is deleted. */
  forgetRecent(thread_id: string): void {
    for (const [rno, { record }] of this.#recent) if (record.thread_id === thread_id) this.#recent.delete(rno);
  }

  /** A chunk is durable. Says whether it was the run's last. */
  publish(rno: number, chunk: LogChunk, record: RunRecord): boolean {
    const feed = this.#feeds.get(rno) ?? this.#create(rno, chunk.n);
    feed.push(chunk);
    if (chunk.events.at(-1)![0] !== 'run_finish') return false;
    feed.end();
    this.#feeds.delete(rno);
    this.#recent.set(rno, { feed, record });
    if (this.#recent.size > RECENT) this.#recent.delete(this.#recent.keys().next().value!);
    return true;
  }

  /** Somebody reads a run of this thread: it stays in memory. */
  isWatched(host: ThreadHost): boolean {
    for (const key of host.cells.values.keys())
      if (key[0] === 'r' && (this.#feeds.get(Number(key.slice(1)))?.readers ?? 0) > 0) return true;
    return false;
  }

  /** The thread has left memory: its runs have no live end here. */
  forget(host: ThreadHost): void {
    for (const key of host.cells.values.keys()) if (key[0] === 'r') this.#feeds.delete(Number(key.slice(1)));
  }

  /** Readers are told that nothing more comes from this process. */
  endAll(): void {
    for (const feed of this.#feeds.values()) feed.end();
  }

  #create(rno: number, next: number): Feed {
    const feed = new Feed(next, this.chunks);
    this.#feeds.set(rno, feed);
    return feed;
  }
}
