/** The canonical run surface: `/v1/runs` (spec, Canonical runs; CONTRACT 1). */

import { runNotFound } from '../../errors.js';
import { AuditAction } from '../../actors/audit/action.js';
import { decides, does } from '../audit/reading.js';
import type { Handler } from '../context.js';
import type { Services } from '../services.js';
import { events, json, route, type Route } from '../openapi/route.js';
import { Scope } from '../scopes.js';
import { eventsQuery, runEvents, type EventFormats } from './events.js';
import { postInputs } from './inputs.js';
import { listRuns, runsQuery } from './list.js';
import { positionQuery } from './position.js';
import { runIdOf } from './run-id.js';
import {
  cancelRequested,
  canonicalEvent,
  eventPage,
  inputsAccepted,
  runOutcome,
  runPage,
  runRecord,
} from './schemas.js';
import { startSchema } from './start-payload.js';
import { startRun } from './start.js';

/** What the headers of a stream say, on every surface. */
export const streamHeaders = { 'x-run-id': 'the run', 'x-thread-id': 'its thread' };
export const resumable = { 'last-event-id': 'id of the last frame the client has: the stream goes on behind it' };
/** A request that can be repeated under a key. */
export const keyed = { 'idempotency-key': 'names what the request leaves unnamed, so that it can be repeated' };

export function runRoutes(services: Services, formats: EventFormats = {}): Route[] {
  const common = { tag: 'runs' } as const;
  return [
    route({
      ...common,
      method: 'post',
      path: '/v1/runs',
      id: 'startRun',
      summary: 'Starts a run and streams it until it ends or waits',
      description:
        'With `accept: application/json` the answer is the outcome, with `prefer: respond-async` the record at once (202). The same `runId` with the same body attaches to the run that is there.',
      scopes: [Scope.runs],
      headers: { ...keyed, ...resumable, prefer: '`respond-async`: do not wait' },
      audit: decides,
      query: positionQuery,
      body: startSchema,
      answers: {
        200: {
          ...json(runOutcome, 'the outcome'),
          ...events(canonicalEvent, 'the run up to its end or pause; as JSON its outcome'),
          headers: streamHeaders,
        },
        202: { ...json(runRecord, 'accepted: the record as it is now'), headers: streamHeaders },
      },
      refusals: [404, 409, 410],
      handle: startRun(services),
    }),
    route({
      ...common,
      method: 'get',
      path: '/v1/runs',
      id: 'listRuns',
      summary: 'Run records that match all filters',
      scopes: [Scope.read],
      query: runsQuery,
      answers: { 200: json(runPage, 'a page of records') },
      handle: listRuns(services),
    }),
    route({
      ...common,
      method: 'get',
      path: '/v1/runs/{run_id}',
      id: 'getRun',
      summary: 'The record of a run',
      scopes: [Scope.read],
      answers: { 200: json(runRecord, 'the record') },
      refusals: [404],
      handle: getRun(services),
    }),
    route({
      ...common,
      method: 'get',
      path: '/v1/runs/{run_id}/events',
      id: 'getRunEvents',
      summary: 'The log of a run, from its start or behind the last event the client has',
      description:
        'Stays open through pauses until the run has ended; in the formats of other surfaces it closes at a pause. With `accept: application/json` a page of what is stored.',
      scopes: [Scope.read],
      headers: resumable,
      query: eventsQuery(formats),
      answers: {
        200: {
          ...json(eventPage, 'a page of events'),
          ...events(canonicalEvent, 'the events; as JSON a page of them'),
        },
      },
      refusals: [404, 410],
      handle: runEvents(services, formats),
    }),
    route({
      ...common,
      method: 'post',
      path: '/v1/runs/{run_id}/inputs',
      id: 'postRunInputs',
      summary: 'Decisions for an active run, or (scope runs) messages that go on from it as a new run',
      scopes: [Scope.runs, Scope.operator],
      headers: keyed,
      audit: decides,
      body: startSchema,
      answers: { 202: json(inputsAccepted, 'durable') },
      refusals: [404, 409],
      handle: postInputs(services),
    }),
    route({
      ...common,
      method: 'post',
      path: '/v1/runs/{run_id}/cancel',
      id: 'cancelRun',
      summary: 'Stops a run that is running, waiting or queued',
      scopes: [Scope.runs, Scope.operator],
      audit: does(AuditAction.cancel),
      answers: { 202: json(cancelRequested, 'it will end') },
      refusals: [404],
      handle: cancelRun(services),
    }),
  ];
}

function getRun({ engine }: Services): Handler {
  return async function getRunRecord(ctx) {
    const run_id = runIdOf(ctx);
    const run = await engine(ctx.state.principal).read({ kind: 'run', run_id });
    if (!run) throw runNotFound(run_id);
    ctx.body = run;
  };
}

/** 202 for every run that is not done; 400 `run is not active` for one that is (CONTRACT 1.13). */
function cancelRun({ engine }: Services): Handler {
  return async function postCancel(ctx) {
    const run_id = runIdOf(ctx);
    const { principal } = ctx.state;
    await engine(principal).deliver({ type: 'cancel', run_id }, principal);
    ctx.status = 202;
    ctx.body = { status: 'cancel_requested', run_id };
  };
}
