/**
 * The metrics of one server, in a registry of its own: two servers in a process never mix their figures. What concerns the
 * process (CPU, memory, event loop) is measured once, from the first time somebody asks.
 *
 * Labels come from closed lists (routes of the document, statuses, termination codes): what a client sends never becomes
 * a label, so the number of series is bounded.
 */

import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';
import type { EngineMeters } from '../../actors/meters.js';
import type { Middleware } from '../context.js';
import type { SseHub } from '../sse.js';
import { addGauge } from './collected.js';
import { addEngineMetrics } from './engine-metrics.js';

/** A request that no route matched. */
const NO_ROUTE = 'none';
/** Seconds until an answer began. A stream counts when it opens, not when it ends. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

let processRegistry: Registry | undefined;

function processMetrics(): Registry {
  if (!processRegistry) collectDefaultMetrics({ register: (processRegistry = new Registry()) });
  return processRegistry;
}

export type MetricsSources = {
  sse: Pick<SseHub, 'size'>;
  /** Undefined while the engine is not open. */
  meters: () => EngineMeters | undefined;
};

export class Metrics {
  readonly #registry = new Registry();
  readonly #requests: Counter<'method' | 'route' | 'status'>;
  readonly #seconds: Histogram<'method' | 'route'>;

  constructor({ sse, meters }: MetricsSources) {
    const registers = [this.#registry];
    this.#requests = new Counter({
      name: 'agent_server_http_requests_total',
      help: 'Requests, by route and status',
      labelNames: ['method', 'route', 'status'],
      registers,
    });
    this.#seconds = new Histogram({
      name: 'agent_server_http_answer_seconds',
      help: 'Until the answer began, by route',
      labelNames: ['method', 'route'],
      buckets: BUCKETS,
      registers,
    });
    addGauge(this.#registry, {
      name: 'agent_server_sse_readers',
      help: 'Event streams that are open',
      read: () => sse.size,
    });
    addEngineMetrics(this.#registry, meters);
  }

  /** The text format of Prometheus, version 0.0.4. */
  async text(): Promise<string> {
    return `${await this.#registry.metrics()}\n${await processMetrics().metrics()}`;
  }

  /** Counts every request, whoever answers it. Stands in front of all other middleware. */
  readonly count: Middleware = async (ctx, next) => {
    const began = performance.now();
    await next();
    const [method, route] = ctx.state.route ? [ctx.method, ctx.state.route] : ['other', NO_ROUTE];
    this.#requests.inc({ method, route, status: ctx.status });
    this.#seconds.observe({ method, route }, (performance.now() - began) / 1000);
  };
}

export const METRICS_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;
