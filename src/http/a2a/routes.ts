/**
 * The A2A surface: discovery and the dialect of the interface document (`/.well-known/agent-card.json`, `/v1/a2a/agents`;
 * spec, A2A), and the official protocol beside it (`/v1/a2a/rpc`, `/v1/a2a/rest`; CONTRACT-PROTOCOLS 8.3).
 */

import { AuditAction } from '../../actors/audit/action.js';
import { decides, does } from '../audit/reading.js';
import type { Services } from '../services.js';
import { empty, json, route, type Route } from '../openapi/route.js';
import { keyed } from '../runs/routes.js';
import { Scope } from '../scopes.js';
import { getCard, listAgents, wellKnownCard, type Features } from './discovery.js';
import { protocolRoutes } from './protocol/routes.js';
import { agentCardSchema, agentList, cancelAccepted, sendAccepted } from './schemas.js';
import { sendSchema } from './send-payload.js';
import { sendMessage } from './send.js';
import { cancelTask, getTask } from './task-routes.js';
import { taskView } from './task-view.js';

export function a2aRoutes(services: Services): Route[] {
  const features: Features = { authenticated: services.authenticated, push: services.push !== null };
  return [...discovery(services, features), ...dialect(services), ...protocolRoutes({ services, features })];
}

function discovery(services: Services, features: Features): Route[] {
  const common = { tag: 'a2a', method: 'get' } as const;
  const cached = {
    'cache-control': 'for how long it may be kept',
    etag: 'weak; changes with the agents and their cards',
  };
  return [
    route({
      ...common,
      path: '/.well-known/agent-card.json',
      id: 'getWellKnownAgentCard',
      summary: 'The card of the server: of its agent, or of the gateway to several',
      scopes: null,
      engine: 'not needed',
      headers: { 'if-none-match': '`*` or entity tags: a match is answered 304' },
      answers: {
        200: { ...json(agentCardSchema, 'the card'), headers: cached },
        304: { ...empty('the card is as the client has it'), headers: cached },
      },
      handle: wellKnownCard(services, features),
    }),
    route({
      ...common,
      path: '/v1/a2a/agents',
      id: 'listA2aAgents',
      summary: 'The agents of this server, by id',
      scopes: [Scope.read],
      answers: { 200: json(agentList, 'all of them') },
      handle: listAgents(services),
    }),
    route({
      ...common,
      path: '/v1/a2a/agents/{agent_id}/agent-card',
      id: 'getAgentCard',
      summary: 'The card of an agent',
      scopes: [Scope.read],
      answers: { 200: json(agentCardSchema, 'the card') },
      refusals: [404],
      handle: getCard(services, features),
    }),
  ];
}

function dialect(services: Services): Route[] {
  const common = { tag: 'a2a' } as const;
  return [
    route({
      ...common,
      method: 'post',
      path: '/v1/a2a/agents/{agent_id}/message:send',
      match: '/v1/a2a/agents/:agent_id/:action',
      id: 'sendA2aMessage',
      summary: 'Submits a task, continues one, or forwards decisions to it',
      scopes: [Scope.runs],
      headers: keyed,
      audit: decides,
      body: sendSchema,
      answers: { 202: json(sendAccepted, 'durable') },
      refusals: [404, 409],
      handle: sendMessage(services),
    }),
    route({
      ...common,
      method: 'get',
      path: '/v1/a2a/agents/{agent_id}/tasks/{task_id}',
      id: 'getA2aTask',
      summary: 'A task with its output and the history of its context',
      scopes: [Scope.read],
      answers: { 200: json(taskView, 'the task') },
      refusals: [404],
      handle: getTask(services),
    }),
    route({
      ...common,
      method: 'post',
      path: '/v1/a2a/agents/{agent_id}/tasks/{task_id}:cancel',
      match: '/v1/a2a/agents/:agent_id/tasks/:task_id',
      id: 'cancelA2aTask',
      summary: 'Stops a task that is running, waiting or queued',
      scopes: [Scope.runs, Scope.operator],
      audit: does(AuditAction.cancel),
      answers: { 202: json(cancelAccepted, 'it will end') },
      refusals: [404],
      handle: cancelTask(services),
    }),
  ];
}
