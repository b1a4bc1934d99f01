/** The canonical run surface: `/v1/runs`. */

import Router from 'koa-router';
import { runNotFound } from '../../errors.js';
import type { Handler, Middleware, RequestState, Services } from '../context.js';
import { runEvents, type EventFormats } from './events.js';
import { postInputs } from './inputs.js';
import { listRuns } from './list.js';
import { runIdOf } from './run-id.js';
import { startRun } from './start.js';

export function runRoutes(services: Services, json: Middleware, formats: EventFormats = {}): Router<RequestState> {
  const open: Middleware = (_ctx, next) => {
    services.engine();
    return next() as Promise<void>;
  };
  return new Router<RequestState>({ prefix: '/v1/runs' })
    .post('/', open, json, startRun(services))
    .get('/', open, listRuns(services))
    .get('/:id', open, getRun(services))
    .get('/:id/events', open, runEvents(services, formats))
    .post('/:id/inputs', open, json, postInputs(services))
    .post('/:id/cancel', open, cancelRun(services));
}

function getRun({ engine }: Services): Handler {
  return async function getRunRecord(ctx) {
    const run_id = runIdOf(ctx);
    const run = await engine().read({ kind: 'run', run_id });
    if (!run) throw runNotFound(run_id);
    ctx.body = run;
  };
}

/** 202 for every run that is not done; 400 `run is not active` for one that is (CONTRACT 1.13). */
function cancelRun({ engine }: Services): Handler {
  return async function postCancel(ctx) {
    const run_id = runIdOf(ctx);
    await engine().deliver({ type: 'cancel', run_id }, ctx.state.principal);
    ctx.status = 202;
    ctx.body = { status: 'cancel_requested', run_id };
  };
}
