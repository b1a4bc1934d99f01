/** `GET /v1/stats`: the pulse of the server, of the engine and of the process around it (CONTRACT 9.1). */

import { z } from 'zod';
import type { EngineStats } from '../../actors/inspection.js';
import type { Handler } from '../context.js';
import type { Services } from '../services.js';
import { version } from '../health.js';
import type { SseHub } from '../sse.js';
import { loopLag } from './loop-lag.js';

const count = z.int().min(0);
const ms = z.number().nullable();

export const statsShape = {
  runs_per_s: z.number().describe('runs that ended, mean of the last seconds'),
  events_per_s: z.number(),
  first_event_p50_ms: ms.describe('from acceptance to the first durable event, of the newest 1,024 runs'),
  first_event_p99_ms: ms,
  commit_p99_ms: ms.describe('of the newest 1,024 commits'),
  running: count,
  waiting: count.describe('runs that wait for a decision'),
  queued: count,
  dead_letters: count,
  threads: count,
  runs: count,
  heap_bytes: count,
  rss_bytes: count,
  loop_lag_ms: z.number(),
  db_bytes: count.nullable().describe('as of some seconds ago; null in memory'),
  sse_readers: count,
  uptime_ms: count,
  version: z.string(),
};
export const statsRecord = z.object(statsShape).meta({ id: 'Stats' });
export type Stats = z.output<typeof statsRecord>;

const began = performance.now();

export function statsOf(engine: EngineStats, sse: Pick<SseHub, 'size'>): Stats {
  const { heapUsed, rss } = process.memoryUsage();
  return {
    ...engine,
    heap_bytes: heapUsed,
    rss_bytes: rss,
    loop_lag_ms: loopLag(),
    sse_readers: sse.size,
    uptime_ms: Math.floor(performance.now() - began),
    version,
  };
}

export function getStats({ engine, sse }: Services): Handler {
  return function getServerStats(ctx) {
    ctx.body = statsOf(engine(ctx.state.principal).inspect().stats(), sse);
  };
}
