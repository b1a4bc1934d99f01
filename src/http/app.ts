/**
 * The Koa application: the order of the middleware, and the surfaces.
 *
 * counting → request id and errors → who may come in → which pages may read → who asks, and how often → 404/405 → routes.
 * Each surface is one list of routes in one folder and knows nothing of the others.
 */

import Koa from 'koa';
import Router from 'koa-router';
import { METHODS } from 'node:http';
import type { Logger } from 'pino';
import type { AgentRegistry } from '../agents/types.js';
import { authenticate } from './auth.js';
import type { RequestState } from './context.js';
import type { Services } from './services.js';
import { crossOrigin } from './cors.js';
import { loopbackGate } from './gate.js';
import { Metrics } from './metrics/metrics.js';
import { mount } from './mount.js';
import { limitRate, RateLimiter, type RateLimit } from './rate-limit.js';
import { requestLog } from './request-log.js';
import { allRoutes } from './routes.js';
import type { Service } from './service-state.js';
import type { TargetRules } from './push/target.js';
import type { SseHub } from './sse.js';
import { engineFor } from './tenant.js';
import type { Token } from './tokens.js';

export type AppOptions = {
  service: Service;
  agents: AgentRegistry;
  sse: SseHub;
  logger: Logger;
  /** Bytes, or a text such as `2mb`. */
  body_limit: string | number;
  /** Null: nobody is asked for a token. */
  tokens: readonly Token[] | null;
  /** Who may be told by push notifications; null: nobody. */
  push: TargetRules | null;
  /** Serve only requests that name this machine (CONTRACT 0.10). */
  loopback_only: boolean;
  cors_origins: readonly string[];
  rate_limit: RateLimit | null;
};

export function createApp(options: AppOptions): Koa<RequestState> {
  const { service, agents, sse, logger } = options;
  const metrics = new Metrics({
    sse,
    meters: () => (service.is === 'ready' ? service.engine().meters() : undefined),
  });
  const services: Services = {
    engine: (principal) => engineFor(principal, service.engine()),
    agents,
    authenticated: options.tokens !== null,
    push: options.push,
    sse,
    metrics,
    logger,
  };
  const app = new Koa<RequestState>();
  const router = new Router<RequestState>({ methods: [...METHODS] });
  mount(router, allRoutes(services, service), { service, logger, body_limit: options.body_limit });

  app.use(metrics.count as Koa.Middleware<RequestState>);
  app.use(requestLog(logger) as Koa.Middleware<RequestState>);
  if (options.loopback_only) app.use(loopbackGate(options.cors_origins) as Koa.Middleware<RequestState>);
  app.use(crossOrigin(options.cors_origins, { local: options.loopback_only }) as Koa.Middleware<RequestState>);
  app.use(authenticate(options.tokens) as Koa.Middleware<RequestState>);
  if (options.rate_limit) app.use(limitRate(new RateLimiter(options.rate_limit)) as Koa.Middleware<RequestState>);
  app.use(router.allowedMethods());
  app.use(router.routes());
  app.on('error', (error: Error) => logUnlessGone(error, logger));
  return app;
}

/** Errors that reach Koa itself. A client that went away is none. */
function logUnlessGone(error: Error & { code?: string }, logger: Logger): void {
  if (error.code === 'ERR_STREAM_PREMATURE_CLOSE' || error.code === 'ECONNRESET' || error.code === 'EPIPE') return;
  logger.error({ err: error }, 'request failed');
}
