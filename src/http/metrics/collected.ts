/** Metrics whose values somebody else counts: read when they are asked for, never kept twice. */

import { Counter, Gauge, type Metric, type Registry } from 'prom-client';
import type { BucketCounts } from '../../actors/meters.js';

/** One value, or one for each value of a label; undefined: nothing can be said now. */
export type Reading = number | Readonly<Record<string, number>> | null | undefined;

export type Collected = { name: string; help: string; label?: string; read: () => Reading };

const valuesOf = (reading: Reading): [value: string, count: number][] =>
  typeof reading === 'number' ? [['', reading]] : Object.entries(reading ?? {});

/** A number that goes up and down. */
export function addGauge(registry: Registry, { name, help, label, read }: Collected): void {
  new Gauge({
    name,
    help,
    labelNames: label === undefined ? [] : [label],
    registers: [registry],
    collect() {
      const reading = read();
      this.reset();
      if (label === undefined && typeof reading !== 'number') this.remove();
      for (const [value, count] of valuesOf(reading)) this.set(label === undefined ? {} : { [label]: value }, count);
    },
  });
}

/** A total since the process began. */
export function addCounter(registry: Registry, { name, help, label, read }: Collected): void {
  new Counter({
    name,
    help,
    labelNames: label === undefined ? [] : [label],
    registers: [registry],
    collect() {
      const reading = read();
      this.reset();
      if (label === undefined && typeof reading !== 'number') this.remove();
      for (const [value, count] of valuesOf(reading)) this.inc(label === undefined ? {} : { [label]: value }, count);
    },
  });
}

/** A histogram that was counted elsewhere. */
export function addHistogram(
  registry: Registry,
  { name, help, read }: { name: string; help: string; read: () => BucketCounts | undefined },
): void {
  const metric = {
    name,
    get: () => Promise.resolve({ name, help, type: 'histogram', values: samplesOf(name, read()) }),
  };
  registry.registerMetric(metric as unknown as Metric);
}

function samplesOf(name: string, given: BucketCounts | undefined): object[] {
  if (!given) return [];
  const { bounds, counts, count, sum } = given;
  let upTo = 0;
  const buckets = bounds.map((le, i) => ({
    metricName: `${name}_bucket`,
    labels: { le },
    value: (upTo += counts[i]!),
  }));
  return [
    ...buckets,
    { metricName: `${name}_bucket`, labels: { le: '+Inf' }, value: count },
    { metricName: `${name}_sum`, labels: {}, value: sum },
    { metricName: `${name}_count`, labels: {}, value: count },
  ];
}
