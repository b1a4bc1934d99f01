/**
 * `defineAgent`: what a user writes, as the `Agent` the runtime reads.
 */

import type { LanguageModelV3 } from '@ai-sdk/provider';
import { z } from 'zod';
import { ConfigError } from './config-error.js';
import { createModelResolver, type ModelResolver } from './providers.js';
import { parse, section, type CamelCase } from './schema.js';
import type { Agent, ModelOptions, Tool } from './types.js';

export type AgentDefinition = {
  /** 1–256 characters without control characters. */
  id: string;
  /** Default: the id. */
  name?: string;
  description?: string;
  /** `<provider>:<model id>`, or a model object of any provider package. */
  model: string | LanguageModelV3;
  system_prompt?: string;
  tools?: Tool[];
  /** Default 10. */
  max_rounds?: number;
  /** Default 2. */
  max_retries?: number;
  model_options?: ModelOptions;
};

export const agentId = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(256, 'must have at most 256 characters')
  // eslint-disable-next-line no-control-regex
  .regex(/^[^\x00-\x1f\x7f]*$/, 'must not contain control characters');

const modelOptions = section({
  temperature: z.number().min(0).optional(),
  top_p: z.number().min(0).max(1).optional(),
  max_output_tokens: z.int().min(1).optional(),
  stop: z.array(z.string().min(1)).optional(),
  seed: z.int().optional(),
});

/** All but `model` and `tools`, which differ between a definition in code and one in a file. */
export const agentShape = {
  id: agentId,
  name: z.string().optional(),
  description: z.string().default(''),
  system_prompt: z.string().optional(),
  max_rounds: z.int().min(1).default(10),
  max_retries: z.int().min(0).default(2),
  model_options: modelOptions.default({}),
};

const model = z.custom<AgentDefinition['model']>(
  (value) => (typeof value === 'string' && value !== '') || isModel(value),
  'must be "<provider>:<model id>" or a language model (specification v3)',
);
const tool = z.custom<Tool>((value) => isTool(value), 'must be made with defineTool');

const definitionSchema = section({ ...agentShape, model, tools: z.array(tool).default([]) });

/** Agents whose model string nobody can look up but the server they are given to. */
const unbound = new WeakSet<Agent>();

/**
 * Makes an agent. Throws `ConfigError` with one line a fault. A model string is looked up by `resolver` when the agent
 * is used. Without a resolver only scripted models are known, until the agent is bound to a server's providers.
 */
export function defineAgent(definition: AgentDefinition | CamelCase<AgentDefinition>, resolver?: ModelResolver): Agent {
  const where = `agent ${JSON.stringify((definition as Partial<AgentDefinition> | undefined)?.id ?? '')}`;
  const { model, name, system_prompt, ...rest } = parse(definitionSchema, definition, where);
  refuseTwins(rest.tools, where);
  const models = resolver ?? scriptedOnly;
  const agent: Agent = {
    ...rest,
    name: name ?? rest.id,
    ...(system_prompt === undefined ? {} : { system_prompt }),
    model: typeof model === 'string' ? model : `${model.provider}:${model.modelId}`,
    resolveModel(reference) {
      if (reference !== undefined) return models.resolve(reference);
      return typeof model === 'string' ? models.resolve(model) : model;
    },
  };
  if (!resolver && typeof model === 'string') unbound.add(agent);
  return agent;
}

const scriptedOnly = createModelResolver();

/** The agent with its model string looked up by `resolver`; one that has its model already is given back as it is. */
export const bindAgent = (agent: Agent, resolver: ModelResolver): Agent =>
  unbound.has(agent) ? { ...agent, resolveModel: (reference = agent.model) => resolver.resolve(reference) } : agent;

function refuseTwins(tools: readonly Tool[], where: string): void {
  const names = tools.map((tool) => tool.name);
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
