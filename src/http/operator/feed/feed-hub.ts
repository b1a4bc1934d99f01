/**
 * The readers of the feed: wakes them when something is new, tells them the figures once a second and progress at most
 * five times a second an actor. While nobody reads there is no timer and no bell.
 */

import type { Inspection, Progress } from '../../../actors/inspection.js';
import type { SseHub } from '../../sse.js';
import { statsOf, type Stats } from '../stats.js';
import type { FeedSource, FeedStream } from './feed-stream.js';
import { pictureOf, type Wish } from './wish.js';

const STATS_MS = 1000;
const PROGRESS_MS = 200;
/** Actors of a picture. */
const SHOWN = 1000;

export class FeedHub {
  readonly #readers = new Set<FeedStream>();
  readonly #watches = new Map<FeedStream, () => void>();
  readonly #reports = new Map<string, Progress>();
  #unlisten: (() => void)[] = [];
  #turn: NodeJS.Immediate | null = null;
  #reporting: NodeJS.Timeout | null = null;

  constructor(private readonly sse: SseHub) {}

  /** What a stream needs of the engine and of the other readers. */
  source(inspection: Inspection): FeedSource {
    return {
      feed: inspection.feed,
      picture: (wish: Wish) => inspection.picture(pictureOf(wish), SHOWN),
      stats: () => this.#stats(inspection),
      again: () => this.#wakeSoon(),
      join: (stream) => this.#join(stream, inspection),
      leave: (stream) => this.#leave(stream),
    };
  }

  #stats(inspection: Inspection): Stats {
    return statsOf(inspection.stats(), this.sse);
  }

  #join(stream: FeedStream, inspection: Inspection): void {
    this.#readers.add(stream);
    this.#watches.set(stream, inspection.feed.watch({ tail: stream.wish.parts.has('events') }));
    if (this.#readers.size === 1) this.#listen(inspection);
  }

  #leave(stream: FeedStream): void {
    this.#watches.get(stream)?.();
    this.#watches.delete(stream);
    if (!this.#readers.delete(stream) || this.#readers.size > 0) return;
    for (const stop of this.#unlisten.splice(0)) stop();
  }

  #listen(inspection: Inspection): void {
    const { feed } = inspection;
    const ticking = setInterval(() => this.#tellStats(inspection), STATS_MS).unref();
    this.#unlisten = [
      () => clearInterval(ticking),
      feed.onNext(() => this.#wakeSoon()),
      feed.onProgress((report) => this.#report(report)),
      () => clearTimeout(this.#reporting ?? undefined),
      () => (this.#reporting = null),
      () => this.#reports.clear(),
    ];
  }

  /** At the end of the turn: often more is there by then, and it is one write a reader. */
  #wakeSoon(): void {
    if (this.#turn) return;
    this.#turn = setImmediate(() => {
      this.#turn = null;
      for (const reader of this.#readers) reader.wake();
    });
  }

  #tellStats(inspection: Inspection): void {
    const stats = this.#stats(inspection);
    const now = Date.now();
    for (const reader of this.#readers) reader.tellStats(stats, now);
  }

  #report(report: Progress): void {
    this.#reports.set(report.id, report);
    this.#reporting ??= setTimeout(() => {
      this.#reporting = null;
      const reports = [...this.#reports.values()];
      this.#reports.clear();
      for (const reader of this.#readers) reader.tellProgress(reports);
    }, PROGRESS_MS).unref();
  }
}
