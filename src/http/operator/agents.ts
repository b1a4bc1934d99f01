/** `GET /v1/agents`: the agents of this server with their tools, by id (CONTRACT 9.1). */

import { z } from 'zod';
import type { Agent } from '../../agents/types.js';
import { anyObject, pageOf } from '../answers.js';
import type { Handler } from '../context.js';
import type { Services } from '../services.js';
import { pagingQuery } from '../paging.js';
import { parseQuery } from '../query.js';

const text = z.string();

const agentRecord = z
  .object({
    id: text,
    name: text,
    description: text,
    model: text.describe('`<provider>:<model id>`'),
    tools: z.array(
      z.object({
        name: text,
        description: text,
        parameters: anyObject,
        effect: text,
        frontend: z.boolean().describe('a client carries it out'),
      }),
    ),
    delegates: z.array(text).readonly(),
    tool_execution_mode: text,
    max_rounds: z.int(),
  })
  .meta({ id: 'Agent' });
export type AgentRecord = z.output<typeof agentRecord>;

export const agentPage = pageOf(agentRecord);

export function listAgents({ agents }: Services): Handler {
  return function getAgents(ctx) {
    const { offset, limit } = parseQuery(pagingQuery, ctx);
    const all = agents.list();
    const items = all.slice(offset, offset + limit).map(toAgentRecord);
    ctx.body = { items, total: all.length, has_more: all.length > offset + limit };
  };
}

/** What a client may know of an agent: its prompt and its rules are nobody's business. */
const toAgentRecord = (agent: Agent): AgentRecord => ({
  id: agent.id,
  name: agent.name,
  description: agent.description,
  model: agent.model,
  tools: agent.tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    parameters: tool.parameters,
    effect: tool.effect,
    frontend: tool.execute === undefined,
  })),
  delegates: agent.delegates,
  tool_execution_mode: agent.tool_execution_mode ?? 'parallel_streaming',
  max_rounds: agent.max_rounds,
});
