/** The operator surface (CONTRACT 9). */

import type { Services } from '../services.js';
import { json, route, type Route } from '../openapi/route.js';
import { pagingQuery } from '../paging.js';
import { Scope } from '../scopes.js';
import { agentPage, listAgents } from './agents.js';
import { approvalPage, listApprovals } from './approvals.js';
import { liveRoutes } from './live-routes.js';

export function operatorRoutes(services: Services): Route[] {
  const common = { tag: 'operator', scopes: [Scope.operator] } as const;
  return [
    route({
      ...common,
      method: 'get',
      path: '/v1/agents',
      id: 'listAgents',
      summary: 'The agents of this server with their tools',
      engine: 'not needed',
      query: pagingQuery,
      answers: { 200: json(agentPage, 'a page of agents') },
      handle: listAgents(services),
    }),
    route({
      ...common,
      method: 'get',
      path: '/v1/approvals',
      id: 'listApprovals',
      summary: 'Tool calls that wait for a decision, the longest waiting first',
      query: pagingQuery,
      answers: { 200: json(approvalPage, 'a page of pending calls') },
      handle: listApprovals(services),
    }),
    ...liveRoutes(services),
  ];
}
