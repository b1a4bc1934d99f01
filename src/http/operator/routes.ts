/** The operator surface (CONTRACT 9). */

import Router from 'koa-router';
import type { Middleware, RequestState, Services } from '../context.js';
import { listAgents } from './agents.js';
import { listApprovals } from './approvals.js';
import { operatorsOnly } from './scope.js';

export function operatorRoutes(services: Services): Router<RequestState> {
  const open: Middleware = (_ctx, next) => {
    services.engine();
    return next() as Promise<void>;
  };
  return new Router<RequestState>({ prefix: '/v1' })
    .get('/agents', operatorsOnly, listAgents(services))
    .get('/approvals', operatorsOnly, open, listApprovals(services));
}
