/** What the routes of all surfaces share: the request as the middleware leaves it, and the services of this process. */

import type Router from 'koa-router';
import type { Logger } from 'pino';
import type { Engine, Principal } from '../actors/engine.js';
import type { AgentRegistry } from '../agents/types.js';
import type { Metrics } from './metrics/metrics.js';
import type { TargetRules } from './push/target.js';
import type { SseHub } from './sse.js';

/** Set by middleware before a route runs. */
export type RequestState = {
  request_id: string;
  principal: Principal;
  /** Whom limits count: the token, or where there is none the address of the connection. */
  caller: string;
  /** The status of a refusal that the protocol of a surface answers with 200. */
  refused?: number;
  /** The path of the route that matched, as the document writes it. */
  route?: string;
};

export type Ctx = Router.RouterContext<RequestState>;
export type Handler = (ctx: Ctx) => Promise<void> | void;
export type Middleware = (ctx: Ctx, next: () => Promise<unknown>) => Promise<void> | void;

export type Services = {
  /**
   * The engine as this caller may use it: one that is bound to a resource finds and touches nothing else (`tenant.ts`).
   * Throws `not_initialised` before the runtime is open and after shutdown began (CONTRACT 0.8).
   */
  engine: (principal: Principal) => Engine;
  agents: AgentRegistry;
  /** Callers have to show a token. */
  authenticated: boolean;
  /** Who may be told of a run by push notifications; null: nobody. */
  push: TargetRules | null;
  sse: SseHub;
  metrics: Pick<Metrics, 'text'>;
  logger: Logger;
};
