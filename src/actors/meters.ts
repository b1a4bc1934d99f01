/**
 * What the engine counts for metrics: totals since the process began, and how much there is of what at this moment. Reading
 * it costs one pass over what is in memory; counting, a few additions per commit.
 */

import type { BucketCounts } from '../store/buckets.js';
import type { TerminationCode } from './events.js';

export type { BucketCounts };

export type EngineMeters = {
  /** Runs since the process began. Those that it found open count where they end, not where they started. */
  runs: { started: number; ended: Readonly<Partial<Record<TerminationCode, number>>> };
  /** Events that became durable. */
  events: number;
  /** At this moment: runs that do something, runs that wait for a decision, mailbox entries that wait for their turn. */
  now: { running: number; waiting: number; queued: number; threads_in_memory: number };
  /** Runs whose turn it is but for which no slot is free; bytes of deltas that are not committed yet, of all threads. */
  queues: { admission: number; inbox_bytes: number };
  commits: {
    /** How many became durable, in how many batches, and how many batches failed. */
    total: number;
    batches: number;
    failures: number;
    /** Bytes (about) that became durable, and those that wait to be written. */
    bytes: number;
    waiting_bytes: number;
    /** Seconds from the commit until it was durable; commits in a batch. */
    latency: BucketCounts;
    batch_size: BucketCounts;
  };
  store: {
    status: 'open' | 'degraded' | 'closed';
    /** Seconds since the process began in which nothing could be written. */
    degraded_seconds: number;
    /** On disk, as of some seconds ago; null in memory. */
    bytes: number | null;
  };
};
