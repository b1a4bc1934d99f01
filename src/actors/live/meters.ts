/** Reads what the parts of a runtime have counted (`../meters.ts`). */

import type { Runtime } from '../host/runtime.js';
import type { EngineMeters } from '../meters.js';
import { Downtime } from './downtime.js';
import { gauges } from './pulse.js';

/** @param disk bytes of the data, as of some seconds ago. */
export function metersOf(runtime: Runtime, disk: () => number | null): () => EngineMeters {
  const { clock, journal } = runtime.parts;
  const downtime = new Downtime(journal, () => clock.now());
  return () => {
    const { commits, batches, failures, bytes, waiting, latency, batchSize } = journal.stats();
    const { hot_threads, queued_threads } = runtime.gauges;
    let inbox_bytes = 0;
    for (const { inbox } of runtime.threads.all()) inbox_bytes += inbox.bytes;
    return {
      ...runtime.live.tally.read(),
      now: { ...gauges(runtime.live.index), threads_in_memory: hot_threads },
      queues: { admission: queued_threads, inbox_bytes },
      commits: {
        total: commits,
        batches,
        failures,
        bytes,
        waiting_bytes: waiting.bytes,
        latency,
        batch_size: batchSize,
      },
      store: { status: journal.status, degraded_seconds: downtime.seconds, bytes: disk() },
    };
  };
}
