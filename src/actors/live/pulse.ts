/** How fast the engine goes: rates and latencies of what was committed. Costs a few additions per commit. */

import { RecentSamples } from '../../recent-samples.js';
import type { LogChunk } from '../events.js';
import type { EngineStats } from '../inspection.js';
import type { RunRecord } from '../records.js';
import type { LiveIndex } from './live-index.js';
import { Rate } from './rate.js';

const SAMPLES = 1024;

export class Pulse {
  readonly #runs = new Rate();
  readonly #events = new Rate();
  readonly #firstEvent = new RecentSamples(SAMPLES);

  /** A chunk of a run's log is durable. */
  beat(chunk: LogChunk, { created_at }: RunRecord, now: number): void {
    this.#events.add(chunk.events.length, now);
    if (chunk.n === 0) this.#firstEvent.add(Math.max(0, now - created_at));
    if (chunk.events.at(-1)![0] === 'run_finish') this.#runs.add(1, now);
  }

  read(now: number): Pick<EngineStats, 'runs_per_s' | 'events_per_s' | 'first_event_p50_ms' | 'first_event_p99_ms'> {
    return {
      runs_per_s: round(this.#runs.perSecond(now)),
      events_per_s: round(this.#events.perSecond(now)),
      first_event_p50_ms: this.#firstEvent.percentile(50),
      first_event_p99_ms: this.#firstEvent.percentile(99),
    };
  }
}

const round = (n: number): number => Math.round(n * 10) / 10;

/** How many runs do something, how many wait for people or clients, and how many wait for their turn. */
export function gauges(index: LiveIndex): Pick<EngineStats, 'running' | 'waiting' | 'queued'> {
  const count = { running: 0, waiting: 0, queued: 0 };
  for (const { run, queued } of index.families()) {
    if (run) count[run.state[0] === 'waiting' ? 'waiting' : 'running'] += 1;
    count.queued += queued;
  }
  return count;
}
