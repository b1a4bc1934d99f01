/** The AG-UI surface: `/v1/ag-ui` (spec, AG-UI; CONTRACT-PROTOCOLS 6). */

import Router from 'koa-router';
import type { Middleware, RequestState, Services } from '../context.js';
import { threadHistory } from './history.js';
import { joinThread } from './reattach.js';
import { startRun } from './start.js';

export function agUiRoutes(services: Services, json: Middleware): Router<RequestState> {
  const open: Middleware = (_ctx, next) => {
    services.engine();
    return next() as Promise<void>;
  };
  return new Router<RequestState>({ prefix: '/v1/ag-ui' })
    .post('/agents/:agent_id/runs', open, json, startRun(services))
    .get('/agents/:agent_id/threads/:id/stream', open, joinThread(services))
    .get('/threads/:id/messages', open, threadHistory(services));
}
