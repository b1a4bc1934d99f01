/** What a journal has done and how long it took: counters and one histogram, cheap enough for every commit. */

import { createHistogram } from 'node:perf_hooks';
import { RecentSamples } from '../recent-samples.js';
import { Buckets, type BucketCounts } from './buckets.js';

export interface JournalStats {
  batches: number;
  /** Commits, operations and bytes (about) that became durable. */
  commits: number;
  ops: number;
  bytes: number;
  /** Batches that failed. */
  failures: number;
  /** Commits and bytes (about) not yet settled. */
  waiting: { commits: number; bytes: number };
  /** From `commit` to durable, in ms; zeros before the first. */
  commitMs: { p50: number; p99: number; max: number };
  /** The same of the newest thousand commits; null before the first. */
  recentP99Ms: number | null;
  /** Seconds from `commit` to durable, and commits in a batch. */
  latency: BucketCounts;
  batchSize: BucketCounts;
}

/** Seconds. */
const LATENCIES = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];
const SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000];

/** A commit as the meter sees it; `at` is when it was made, in ms. */
interface Measured {
  readonly ops: readonly unknown[];
  readonly bytes: number;
  readonly at: number;
}

export class Meter {
  readonly #total = { batches: 0, commits: 0, ops: 0, bytes: 0, failures: 0 };
  readonly #waiting = { commits: 0, bytes: 0 };
  /** Microseconds, within one percent. */
  readonly #latency = createHistogram({ figures: 2 });
  readonly #recent = new RecentSamples(1024);
  readonly #seconds = new Buckets(LATENCIES);
  readonly #sizes = new Buckets(SIZES);

  get waitingBytes(): number {
    return this.#waiting.bytes;
  }

  made({ bytes }: Measured): void {
    this.#waiting.commits += 1;
    this.#waiting.bytes += bytes;
  }

  /** The commit has been told its outcome. */
  settled({ bytes }: Measured): void {
    this.#waiting.commits -= 1;
    this.#waiting.bytes -= bytes;
  }

  landed(group: readonly Measured[], now: number): void {
    this.#total.batches += 1;
    this.#sizes.add(group.length);
    for (const { ops, bytes, at } of group) {
      this.#total.commits += 1;
      this.#total.ops += ops.length;
      this.#total.bytes += bytes;
      this.#latency.record(Math.max(1, Math.round((now - at) * 1000)));
      this.#recent.add(now - at);
      this.#seconds.add((now - at) / 1000);
    }
  }

  failed(): void {
    this.#total.failures += 1;
  }

  stats(): JournalStats {
    const ms = (microseconds: number): number => (this.#total.commits === 0 ? 0 : microseconds / 1000);
    const commitMs = {
      p50: ms(this.#latency.percentile(50)),
      p99: ms(this.#latency.percentile(99)),
      max: ms(this.#latency.max),
    };
    return {
      ...this.#total,
      waiting: { ...this.#waiting },
      commitMs,
      recentP99Ms: this.#recent.percentile(99),
      latency: this.#seconds.read(),
      batchSize: this.#sizes.read(),
    };
  }
}
