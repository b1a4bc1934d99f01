/** The figures of the engine as metrics (docs/api.md "Metrics"). While there is no engine they are left out. */

import type { Registry } from 'prom-client';
import type { EngineMeters } from '../../actors/meters.js';
import { addCounter, addGauge, addHistogram } from './collected.js';

const STATUSES = ['open', 'degraded', 'closed'] as const;

/** @param meters undefined while the engine is not open. */
export function addEngineMetrics(registry: Registry, meters: () => EngineMeters | undefined): void {
  const prefix = 'agent_server_';
  const counter = (name: string, help: string, read: (m: EngineMeters) => number): void =>
    addCounter(registry, { name: prefix + name, help, read: () => withMeters(read) });
  const gauge = (name: string, help: string, read: (m: EngineMeters) => number | null): void =>
    addGauge(registry, { name: prefix + name, help, read: () => withMeters(read) });
  const withMeters = <T>(read: (m: EngineMeters) => T): T | undefined => {
    const now = meters();
    return now && read(now);
  };

  counter('runs_started_total', 'Runs that have begun', ({ runs }) => runs.started);
  addCounter(registry, {
    name: `${prefix}runs_ended_total`,
    help: 'Runs that have ended, by termination code',
    label: 'code',
    read: () => meters()?.runs.ended,
  });
  addGauge(registry, {
    name: `${prefix}runs`,
    help: 'Runs that are running, that wait for a decision, that wait for their turn',
    label: 'state',
    read: () => withMeters(({ now: { running, waiting, queued } }) => ({ running, waiting, queued })),
  });
  counter('events_total', 'Events that became durable', ({ events }) => events);

  counter('commits_total', 'Commits that became durable', ({ commits }) => commits.total);
  counter('commit_batches_total', 'Batches written to the store', ({ commits }) => commits.batches);
  counter('commit_failures_total', 'Batches that failed', ({ commits }) => commits.failures);
  counter('commit_bytes_total', 'Bytes (about) that became durable', ({ commits }) => commits.bytes);
  addHistogram(registry, {
    name: `${prefix}commit_seconds`,
    help: 'From a commit until it was durable',
    read: () => meters()?.commits.latency,
  });
  addHistogram(registry, {
    name: `${prefix}commit_batch_size`,
    help: 'Commits in a batch',
    read: () => meters()?.commits.batch_size,
  });

  gauge('uncommitted_bytes', 'Bytes that wait to be written', ({ commits }) => commits.waiting_bytes);
  gauge('mailbox_entries', 'Mailbox entries that wait for their turn', ({ now }) => now.queued);
  gauge('inbox_bytes', 'Bytes of deltas that are not committed, of all threads', ({ queues }) => queues.inbox_bytes);
  gauge('admission_queue', 'Threads whose turn it is but for which no slot is free', ({ queues }) => queues.admission);
  gauge('threads_in_memory', 'Threads in memory', ({ now }) => now.threads_in_memory);

  addGauge(registry, {
    name: `${prefix}store_status`,
    help: '1 for the state the store is in',
    label: 'status',
    read: () =>
      withMeters(({ store }) =>
        Object.fromEntries(STATUSES.map((status) => [status, Number(store.status === status)])),
      ),
  });
  counter(
    'store_degraded_seconds_total',
    'Time in which nothing could be written',
    ({ store }) => store.degraded_seconds,
  );
  gauge('store_bytes', 'Bytes of the data on disk, as of some seconds ago', ({ store }) => store.bytes);
}
