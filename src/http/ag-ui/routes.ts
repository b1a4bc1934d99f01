/** The AG-UI surface: `/v1/ag-ui` (spec, AG-UI; CONTRACT-PROTOCOLS 6). */

import type { Services } from '../services.js';
import { frameQuery } from '../frame-position.js';
import { messagesQuery } from '../messages-query.js';
import { empty, events, json, route, type Route } from '../openapi/route.js';
import { resumable, streamHeaders } from '../runs/routes.js';
import { Scope } from '../scopes.js';
import { threadHistory } from './history.js';
import { decides } from './reading.js';
import { joinThread } from './reattach.js';
import { runAgentInputSchema } from './request.js';
import { agUiEvent, decisionForwarded, historyPage } from './schemas.js';
import { startRun } from './start.js';
import { variantQuery } from './variant.js';

export function agUiRoutes(services: Services): Route[] {
  const common = { tag: 'ag-ui' } as const;
  const stream = { ...events(agUiEvent, 'AG-UI events up to the end of the run or its pause'), headers: streamHeaders };
  return [
    route({
      ...common,
      method: 'post',
      path: '/v1/ag-ui/agents/{agent_id}/runs',
      id: 'startAgUiRun',
      summary: 'Takes a RunAgentInput: starts a run, or goes on with the one that waits for what it decides',
      scopes: [Scope.runs],
      headers: resumable,
      body: runAgentInputSchema,
      answers: { 200: stream, 202: json(decisionForwarded, 'the decisions are the active run’s') },
      refusals: [404, 409, 410],
      audit: decides,
      handle: startRun(services),
    }),
    route({
      ...common,
      method: 'get',
      path: '/v1/ag-ui/agents/{agent_id}/threads/{thread_id}/stream',
      id: 'joinAgUiThread',
      summary: 'Joins the run that is active on a thread',
      scopes: [Scope.read],
      headers: resumable,
      query: frameQuery.extend(variantQuery.shape),
      answers: { 200: stream, 204: empty('no run of this agent is active') },
      refusals: [404, 410],
      handle: joinThread(services),
    }),
    route({
      ...common,
      method: 'get',
      path: '/v1/ag-ui/threads/{thread_id}/messages',
      id: 'getAgUiMessages',
      summary: 'The history of a thread as AG-UI messages',
      scopes: [Scope.read],
      query: messagesQuery,
      answers: { 200: json(historyPage, 'a page of messages') },
      refusals: [404],
      handle: threadHistory(services),
    }),
  ];
}
