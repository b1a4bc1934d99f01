/** The routes of the official protocol (CONTRACT-PROTOCOLS 8.3): JSON-RPC on one URL an agent, HTTP and JSON on several. */

import { A2A_CONTENT_TYPE } from '@a2a-js/sdk';
import { z } from 'zod';
import { AuditAction } from '../../../actors/audit/action.js';
import { does } from '../../audit/reading.js';
import { anyObject } from '../../answers.js';
import { empty, events, json, plain, route, type Answer, type Route } from '../../openapi/route.js';
import { resumable, streamHeaders } from '../../runs/routes.js';
import { Scope } from '../../scopes.js';
import { calls, sends } from './reading.js';
import { restErrors, restRoutes } from './rest.js';
import { postRpc, rpcErrors } from './rpc.js';
import type { Wire } from './wire.js';

const VERSION = { 'a2a-version': 'of the protocol' };

/** A message of the protocol: what it may hold, its own documents say. */
const message = (description: string): Answer => plain(A2A_CONTENT_TYPE, description);

/** Errors in the form of the protocol; an agent that is not there in that of this server. */
const failed = (...statuses: number[]): Record<number, Answer> =>
  Object.fromEntries(statuses.map((status) => [status, { ...json(anyObject, 'the error'), ...message('the error') }]));

export function protocolRoutes(wire: Wire): Route[] {
  return [rpcRoute(wire), ...rest(wire)];
}

const rpcRoute = (wire: Wire): Route =>
  route({
    method: 'post',
    path: '/v1/a2a/rpc/{agent_id}',
    id: 'postA2aRpc',
    tag: 'a2a',
    summary: 'The A2A protocol as JSON-RPC, 1.0 and 0.3',
    description:
      'The name of the method tells the version. Errors of the protocol are JSON-RPC errors with status 200; streaming methods answer with events.',
    scopes: [Scope.runs],
    headers: { ...VERSION, ...resumable },
    audit: calls,
    tell: rpcErrors(wire.services),
    body: z.looseObject({ jsonrpc: z.literal('2.0'), method: z.string() }),
    answers: {
      200: { ...json(anyObject, 'the answer'), ...events(anyObject, 'answers, as they come'), headers: streamHeaders },
      413: json(anyObject, 'the body is too large'),
      429: json(anyObject, 'there is no room'),
      500: json(anyObject, 'a fault of this server, or it is starting or stopping'),
      503: json(anyObject, 'the storage is unavailable'),
    },
    refusals: [404],
    handle: postRpc(wire),
  });

function rest(wire: Wire): Route[] {
  const at = (path: string): `/${string}` => `/v1/a2a/rest/{agent_id}${path}`;
  const common = { tag: 'a2a', headers: VERSION, tell: restErrors(wire.services) } as const;
  const reads = { ...common, method: 'get', scopes: [Scope.read] } as const;
  const acts = { ...common, method: 'post', scopes: [Scope.runs] } as const;
  const streams = { ...events(anyObject, 'the task, then what becomes of it'), headers: streamHeaders };
  const errors = failed(400, 404, 413, 415, 429, 500, 503);
  const answers = (status: number, answer: Answer) => ({ [status]: answer, ...errors });
  const body = anyObject;
  const subscribe = {
    path: at('/tasks/{task_id}:subscribe'),
    summary: 'Follows a task that is under way',
    headers: { ...VERSION, ...resumable },
    answers: answers(200, streams),
    handle: restRoutes.subscribe(wire),
  };
  return [
    route({
      ...acts,
      path: at('/message:send'),
      id: 'sendA2aRest',
      summary: 'Sends a message; answers with its task once that has ended or asks for something',
      audit: sends,
      body,
      answers: answers(200, message('the task')),
      handle: restRoutes.send(wire),
    }),
    route({
      ...acts,
      path: at('/message:stream'),
      id: 'streamA2aRest',
      summary: 'Sends a message and follows its task',
      headers: { ...VERSION, ...resumable },
      audit: sends,
      body,
      answers: answers(200, streams),
      handle: restRoutes.stream(wire),
    }),
    route({ ...reads, ...subscribe, method: 'post', id: 'subscribeA2aRest' }),
    route({ ...reads, ...subscribe, id: 'followA2aRest' }),
    route({
      ...acts,
      scopes: [Scope.runs, Scope.operator],
      audit: does(AuditAction.cancel),
      path: at('/tasks/{task_id}:cancel'),
      id: 'cancelA2aRest',
      summary: 'Cancels a task; answers once it has stopped',
      answers: answers(200, message('the task')),
      handle: restRoutes.cancel(wire),
    }),
    route({
      ...reads,
      path: at('/tasks'),
      id: 'listA2aRest',
      summary: 'The tasks of the agent, newest first',
      answers: answers(200, message('a page of tasks')),
      handle: restRoutes.list(wire),
    }),
    route({
      ...reads,
      path: at('/tasks/{task_id}'),
      id: 'getA2aRest',
      summary: 'A task',
      answers: answers(200, message('the task')),
      handle: restRoutes.get(wire),
    }),
    route({
      ...reads,
      path: at('/extendedAgentCard'),
      id: 'getExtendedAgentCard',
      summary: 'What callers with a token may know of the agent',
      answers: answers(200, message('the card')),
      handle: restRoutes.card(wire),
    }),
    route({
      ...acts,
      path: at('/tasks/{task_id}/pushNotificationConfigs'),
      id: 'setA2aPush',
      summary: 'Who is told what becomes of a task',
      body,
      answers: answers(201, message('the config')),
      handle: restRoutes.setPush(wire),
    }),
    route({
      ...reads,
      path: at('/tasks/{task_id}/pushNotificationConfigs'),
      id: 'listA2aPush',
      summary: 'All who are told',
      answers: answers(200, message('the configs')),
      handle: restRoutes.listPush(wire),
    }),
    route({
      ...reads,
      path: at('/tasks/{task_id}/pushNotificationConfigs/{config_id}'),
      id: 'getA2aPush',
      summary: 'One who is told',
      answers: answers(200, message('the config')),
      handle: restRoutes.getPush(wire),
    }),
    route({
      ...acts,
      method: 'delete',
      path: at('/tasks/{task_id}/pushNotificationConfigs/{config_id}'),
      id: 'deleteA2aPush',
      summary: 'Tells somebody no more',
      answers: answers(204, empty('nobody of that id is told any more')),
      handle: restRoutes.deletePush(wire),
    }),
  ];
}
