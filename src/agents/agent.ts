/**
 * `defineAgent`: what a user writes, as the `Agent` the runtime reads.
 */

import type { LanguageModelV3 } from '@ai-sdk/provider';
import { z } from 'zod';
import { agentShape } from './agent-schema.js';
import { ConfigError } from './config-error.js';
import { createModelResolver, type ModelResolver } from './providers/resolver.js';
import type { StopConditionDefinition } from './rules/stop-conditions.js';
import { parse, section, type CamelCase } from './schema.js';
import { DELEGATION_TOOLS } from './stray-names.js';
import type { Agent, Tool } from './types.js';

type Optional =
  | 'system_prompt'
  | 'permissions'
  | 'tool_execution_mode'
  | 'max_rounds'
  | 'max_retries'
  | 'model_options'
  | 'provider_options'
  | 'delegates'
  | 'on_disconnect'
  | 'on_busy'
  | 'approval_expiry_ms'
  | 'max_concurrent';

/** Documented where they end up: `Agent`. */
export type AgentDefinition = Partial<Pick<Agent, Optional>> & {
  /** 1–256 characters without control characters. */
  id: string;
  /** Default: the id. */
  name?: string;
  description?: string;
  /** `<provider>:<model id>`, or a model object of any provider package. */
  model: string | LanguageModelV3;
  tools?: readonly Tool[];
  stop_conditions?: readonly StopConditionDefinition[];
};

const model = z.custom<AgentDefinition['model']>(
  (value) => (typeof value === 'string' && value !== '') || isModel(value),
  'must be "<provider>:<model id>" or a language model (specification v3)',
);
const tool = z.custom<Tool>((value) => isTool(value), 'must be made with defineTool');

const definitionSchema = section({ ...agentShape, model, tools: z.array(tool).default([]) });

/**
 * On `resolveModel` of an agent whose model string nobody can look up but the server it is given to. Such an agent may be
 * copied, and may come from another copy of this package.
 */
const UNBOUND = Symbol.for('agent-server.unbound-model');

/**
 * Makes an agent. Throws `ConfigError` with one line a fault. A model string is looked up by `resolver` when the agent
 * is used. Without a resolver only scripted models are known, until the agent is bound to a server's providers.
 */
export function defineAgent(definition: AgentDefinition | CamelCase<AgentDefinition>, resolver?: ModelResolver): Agent {
  const where = `agent ${JSON.stringify((definition as Partial<AgentDefinition> | undefined)?.id ?? '')}`;
  const { model, tools, ...rest } = parse(definitionSchema, definition, where);
  refuseTwins([...tools.map((tool) => tool.name), ...(rest.delegates.length > 0 ? DELEGATION_TOOLS : [])], where);
  const models = resolver ?? scriptedOnly;
  const resolveModel: Agent['resolveModel'] = (reference) => {
    if (reference !== undefined) return models.resolve(reference);
    return typeof model === 'string' ? models.resolve(model) : model;
  };
  if (!resolver && typeof model === 'string') Object.assign(resolveModel, { [UNBOUND]: true });
  return Object.freeze({
    ...freeze(rest),
    name: rest.name ?? rest.id,
    tools: Object.freeze([...tools]),
    model: typeof model === 'string' ? model : `${model.provider}:${model.modelId}`,
    resolveModel,
  });
}

const scriptedOnly = createModelResolver();

/** Whether the agent's model string is still to be looked up by a server's providers. */
export const isUnbound = (agent: Agent): boolean => UNBOUND in agent.resolveModel;

/** The agent with its model string looked up by `resolver`; one that has its model already is given back as it is. */
export const bindAgent = (agent: Agent, resolver: ModelResolver): Agent =>
  isUnbound(agent)
    ? Object.freeze({ ...agent, resolveModel: (reference = agent.model) => resolver.resolve(reference) })
    : agent;

/** Plain data, frozen all the way down. */
function freeze<T>(value: T): Readonly<T> {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(freeze);
  return Object.freeze(value);
}

/** Tool names decide which tool is called, so there is one of each; an agent with delegates has their tools too. */
function refuseTwins(names: readonly string[], where: string): void {
  const twins = new Set(names.filter((name, i) => names.indexOf(name) !== i));
  if (twins.size > 0) throw new ConfigError([...twins].map((name) => `${where}.tools: duplicate tool name: ${name}`));
}

const isModel = (value: unknown): value is LanguageModelV3 =>
  typeof value === 'object' && value !== null && 'specificationVersion' in value && value.specificationVersion === 'v3';

/** Structural, so that a tool made by another copy of this package counts. */
export const isTool = (value: unknown): value is Tool =>
  typeof value === 'object' &&
  value !== null &&
  'name' in value &&
  typeof value.name === 'string' &&
  'validate' in value &&
  typeof value.validate === 'function' &&
  'parameters' in value;

/** Made by `defineAgent`, or by hand to the same shape. */
export const isAgent = (value: unknown): value is Agent =>
  typeof value === 'object' &&
  value !== null &&
  'resolveModel' in value &&
  typeof value.resolveModel === 'function' &&
  'id' in value;
