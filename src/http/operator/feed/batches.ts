/**
 * The feed for a reader who asked for a pace (`every`): what has gathered meanwhile is merged and comes as one frame.
 *
 * Callers may rely on: a batch has the id of the last entry it covers, so a reader goes on behind it as behind any other
 * frame; reading the entries of all batches leads where reading every entry leads; what happens after a rest is told at
 * once, and nothing waits once `MOST` entries have gathered.
 */

import type { FeedEntry, LiveFeed, Progress } from '../../../actors/inspection.js';
import { batchFrame } from './frames.js';
import { merged } from './merge.js';
import { Pace } from './pace.js';
import { wants, type Wish } from './wish.js';

/** Entries that one batch covers. */
const MOST = 2_000;

export class Batches {
  readonly #pace: Pace;
  /** The newest of each actor since the last batch. */
  readonly #reports = new Map<string, Progress>();

  /** @param wake called when it is time to ask for the next batch. */
  constructor(
    private readonly feed: LiveFeed,
    private readonly wish: Wish,
    every_ms: number,
    wake: () => void,
  ) {
    this.#pace = new Pace(every_ms, wake);
  }

  report(report: Progress): void {
    this.#reports.set(report.id, report);
  }

  /**
   * What is to be written to a reader that has everything up to `position`, and how far it is then; undefined when
   * nothing is new or it is not yet time. The text is empty when nothing of it was asked for.
   */
  next(position: number): { position: number; text: string } | undefined {
    const { feed } = this;
    const isFull = feed.last - position >= MOST;
    if (feed.last === position && this.#reports.size === 0) return undefined;
    if (!isFull && !this.#pace.take()) return undefined;
    const end = Math.min(feed.last, position + MOST);
    const wanted: FeedEntry[] = [];
    for (let n = position + 1; n <= end; n++) if (wants(this.wish, feed.at(n)!)) wanted.push(feed.at(n)!);
    const entries = merged(wanted);
    const reports = this.#takeReports(entries);
    if (entries.length + reports.length === 0) return { position: end, text: '' };
    const left_out = wanted.length - entries.length;
    return { position: end, text: batchFrame(feed.boot, end, { at: Date.now(), left_out, entries, reports }) };
  }

  stop(): void {
    this.#pace.stop();
  }

  /** Without those of calls that are over. */
  #takeReports(entries: readonly FeedEntry[]): Progress[] {
    for (const entry of entries) if (entry.type === 'ended') this.#reports.delete(entry.id);
    const reports = [...this.#reports.values()];
    this.#reports.clear();
    return reports;
  }
}
