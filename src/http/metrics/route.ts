/** `GET /metrics`: what Prometheus asks for (CONTRACT 9.2). Of the whole process, so no tenant may see it. */

import { plain, route, type Route } from '../openapi/route.js';
import { Scope } from '../scopes.js';
import { METRICS_TYPE, type Metrics } from './metrics.js';

export const metricsRoute = (metrics: Pick<Metrics, 'text'>): Route =>
  route({
    method: 'get',
    path: '/metrics',
    id: 'getMetrics',
    tag: 'server',
    summary: 'Metrics in the text format of Prometheus',
    scopes: [Scope.read],
    reach: 'process',
    engine: 'not needed',
    answers: { 200: plain('text/plain', 'metrics') },
    async handle(ctx) {
      ctx.set('content-type', METRICS_TYPE);
      ctx.body = await metrics.text();
    },
  });
