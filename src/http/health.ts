/** `GET /health`: whether runs can be started (CONTRACT 0.8, 0.9). Never needs a token. */

import { createRequire } from 'node:module';
import { z } from 'zod';
import type { Handler } from './context.js';
import { json, route, type Route } from './openapi/route.js';
import type { Service } from './service-state.js';

export const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };

const ready = z.object({ status: z.literal('ok'), version: z.string(), uptime_ms: z.int().min(0) });
const notReady = z.object({ status: z.enum(['starting', 'stopping']) });

export const healthRoute = (service: Pick<Service, 'is'>): Route =>
  route({
    method: 'get',
    path: '/health',
    id: 'getHealth',
    tag: 'server',
    summary: 'Whether runs can be started',
    scopes: null,
    engine: 'not needed',
    answers: { 200: json(ready, 'they can'), 503: json(notReady, 'the server starts or stops') },
    handle: health(service),
  });

function health(service: Pick<Service, 'is'>): Handler {
  const began = performance.now();
  return function answerHealth(ctx) {
    const ready = service.is === 'ready';
    ctx.status = ready ? 200 : 503;
    ctx.body = ready
      ? { status: 'ok', version, uptime_ms: Math.floor(performance.now() - began) }
      : { status: service.is };
  };
}
