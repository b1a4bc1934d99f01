/**
 * How often one caller may ask (CONTRACT 0.1, 429): a token bucket each.
 *
 * A caller has `burst` requests at once and gets `per_second` of them back; one that has none left is refused and told
 * after how many seconds to come again. Who is not heard of until its bucket is full again is forgotten, so memory is
 * bounded by the callers of the last `burst / per_second` seconds.
 */

import type { Middleware } from './context.js';
import { HttpRefusal } from './errors.js';

/** Requests per second, and how many may come at once. */
export type RateLimit = { per_second: number; burst: number };

type Bucket = { left: number; at: number };

/** Callers that are remembered before those with a full bucket are looked for. */
const SWEEP_AT = 1024;

export class RateLimiter {
  readonly #buckets = new Map<string, Bucket>();
  #sweepAt = SWEEP_AT;

  /** @param now milliseconds that only grow. */
  constructor(
    private readonly limit: RateLimit,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Callers that are remembered. */
  get size(): number {
    return this.#buckets.size;
  }

  /** Takes one request: 0, or the milliseconds until there is one for this caller. */
  take(caller: string): number {
    const { per_second, burst } = this.limit;
    const now = this.now();
    const bucket = this.#buckets.get(caller) ?? { left: burst, at: now };
    bucket.left = this.#left(bucket, now);
    bucket.at = now;
    this.#buckets.set(caller, bucket);
    if (this.#buckets.size > this.#sweepAt) this.#sweep(now);
    if (bucket.left < 1) return ((1 - bucket.left) / per_second) * 1000;
    bucket.left -= 1;
    return 0;
  }

  #left({ left, at }: Bucket, now: number): number {
    return Math.min(this.limit.burst, left + ((now - at) / 1000) * this.limit.per_second);
  }

  #sweep(now: number): void {
    for (const [caller, bucket] of this.#buckets)
      if (this.#left(bucket, now) >= this.limit.burst) this.#buckets.delete(caller);
    this.#sweepAt = Math.max(SWEEP_AT, this.#buckets.size * 2);
  }
}

/** Refuses a caller that asks too often: 429 with `retry-after`. `/health` is for those who watch the server. */
export function limitRate(limiter: RateLimiter): Middleware {
  return function checkRate(ctx, next) {
    const wait = ctx.path === '/health' ? 0 : limiter.take(ctx.state.caller);
    if (wait > 0) throw new HttpRefusal(429, 'too many requests', { 'retry-after': String(Math.ceil(wait / 1000)) });
    return next() as Promise<void>;
  };
}
