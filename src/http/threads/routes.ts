/** The thread surface: `/v1/threads` (spec, Threads; CONTRACT 2 to 4). */

import Router from 'koa-router';
import { jsonBody } from '../body.js';
import type { Middleware, RequestState, Services } from '../context.js';
import { deleteThread, forkThread, interruptThread, patchMetadata } from './commands.js';
import { getThread } from './get.js';
import { listSummaries, listThreads } from './list.js';
import { cancelEntry, listMailbox, patchEntry, retryEntry } from './mailbox.js';
import { getMessages } from './messages.js';

export function threadRoutes(services: Services, json: Middleware): Router<RequestState> {
  const open: Middleware = (_ctx, next) => {
    services.engine();
    return next() as Promise<void>;
  };
  return new Router<RequestState>({ prefix: '/v1/threads' })
    .get('/', open, listThreads(services))
    .get('/summaries', open, listSummaries(services))
    .get('/:id', open, getThread(services))
    .delete('/:id', open, deleteThread(services))
    .get('/:id/messages', open, getMessages(services))
    .post('/:id/interrupt', open, interruptThread(services))
    .post('/:id/fork', open, json, forkThread(services))
    .patch('/:id/metadata', open, jsonBody('64kb'), patchMetadata(services))
    .get('/:id/mailbox', open, listMailbox(services))
    .delete('/:id/mailbox/:entry_id', open, cancelEntry(services))
    .patch('/:id/mailbox/:entry_id', open, json, patchEntry(services))
    .post('/:id/mailbox/:entry_id/retry', open, retryEntry(services));
}
