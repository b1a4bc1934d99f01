/** `GET /v1/agents`: the agents of this server with their tools, by id (CONTRACT 9.1). */

import type { Agent } from '../../agents/types.js';
import type { JsonObject } from '../../json.js';
import type { Handler, Services } from '../context.js';
import { pagingOf } from '../paging.js';

export type AgentRecord = {
  id: string;
  name: string;
  description: string;
  /** `<provider>:<model id>`. */
  model: string;
  /** `frontend`: a client carries it out. */
  tools: { name: string; description: string; parameters: JsonObject; effect: string; frontend: boolean }[];
  delegates: readonly string[];
  tool_execution_mode: string;
  max_rounds: number;
};

export function listAgents({ agents }: Services): Handler {
  return function getAgents(ctx) {
    const { offset, limit } = pagingOf(ctx);
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
