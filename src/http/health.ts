/** `GET /health`: whether runs can be started (CONTRACT 0.8, 0.9). Never needs a token. */

import { createRequire } from 'node:module';
import type { Handler } from './context.js';
import type { Service } from './service-state.js';

const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };

export function health(service: Pick<Service, 'is'>): Handler {
  const began = performance.now();
  return function answerHealth(ctx) {
    const ready = service.is === 'ready';
    ctx.status = ready ? 200 : 503;
    ctx.body = ready
      ? { status: 'ok', version, uptime_ms: Math.floor(performance.now() - began) }
      : { status: service.is };
  };
}
