/** The chat SDK surface: `/v1/ai-sdk` (spec, Chat-SDK v6; protocols 7). */

import Router from 'koa-router';
import type { Middleware, RequestState, Services } from '../context.js';
import { threadHistory } from './history.js';
import { resumeStream } from './resume.js';
import { postRun } from './run.js';

export function aiSdkRoutes(services: Services, json: Middleware): Router<RequestState> {
  const open: Middleware = (_ctx, next) => {
    services.engine();
    return next() as Promise<void>;
  };
  const resume = resumeStream(services);
  return new Router<RequestState>({ prefix: '/v1/ai-sdk' })
    .post('/agents/:agent_id/runs', open, json, postRun(services))
    .get('/agents/:agent_id/chats/:chat_id/stream', open, resume)
    .get('/agents/:agent_id/runs/:chat_id/stream', open, resume)
    .get('/threads/:id/messages', open, threadHistory(services));
}
