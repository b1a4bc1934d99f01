/**
 * The agent as one run sees it: its definition with the delegation tools, and with what the run's start overrides (spec, RunAgentInput). A client's tool
 * never replaces a tool of the agent that has its name.
 */

import type { Agent, Tool } from '../../agents/types.js';
import type { RunOverrides } from '../engine.js';
import { delegationTools } from './delegation.js';

/** The agent as this run uses it. `overrides`: what its start said otherwise. */
export function effectiveAgent(defined: Agent, overrides: RunOverrides | undefined): Agent {
  const delegation = delegationTools(defined);
  const agent = delegation.length > 0 ? { ...defined, tools: [...defined.tools, ...delegation] } : defined;
  if (!overrides) return agent;
  const { model, system_prompt, model_options, frontend_tools = [] } = overrides;
  const names = new Set(agent.tools.map((tool) => tool.name));
  return {
    ...agent,
    ...(system_prompt === undefined ? {} : { system_prompt }),
    ...(model === undefined ? {} : { model, resolveModel: () => agent.resolveModel(model) }),
    model_options: { ...agent.model_options, ...model_options },
    tools: [...agent.tools, ...frontend_tools.filter((tool) => !names.has(tool.name)).map(stub)],
  };
}

/** A tool that the client carries out: it has no execution here, so its call is suspended. */
const stub = ({ name, description, parameters }: NonNullable<RunOverrides['frontend_tools']>[number]): Tool => ({
  name,
  description,
  parameters,
  effect: 'once',
  validate: (value) => ({ ok: true, value }),
});
