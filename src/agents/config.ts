/**
 * What a configuration may say, and what the server gets of it (CONTRACT 10.1).
 *
 * A configuration is checked as a whole before anything is opened: unknown keys, unknown providers and tools, models
 * that can never be made and agents of one id are a `ConfigError` with one line each. What may still come right (a key
 * that is not set yet) is a warning.
 */

import { z } from 'zod';
import { agentShape, bindAgent, defineAgent, isAgent, isTool, type AgentDefinition } from './agent.js';
import { ConfigError } from './config-error.js';
import { nearest } from './nearest.js';
import { createModelResolver, type ModelResolver, type ProvidersConfig } from './providers.js';
import { createAgentRegistry } from './registry.js';
import { parse, section, type CamelCase } from './schema.js';
import type { Agent, AgentRegistry, Tool } from './types.js';

/** When a commit counts as done. */
export const Durability = {
  /** On the disk (fsync): survives a power cut. The default. */
  disk: 'disk',
  /** With the operating system: survives the end of the process, not of the machine. */
  process: 'process',
} as const;
export type Durability = (typeof Durability)[keyof typeof Durability];

const server = section({
  host: z.string().min(1).default('127.0.0.1'),
  /** 0 takes a free port. */
  port: z.int().min(0).max(65_535).default(8080),
  cors_origins: z.array(z.string().min(1)).default([]),
  body_limit: z
    .string()
    .regex(/^\d+(b|kb|mb)$/i, 'must be a size such as "2mb"')
    .default('2mb'),
  auth_token_file: z.string().min(1).nullable().default(null),
});

const retention = section({
  /** Days a finished run's events are kept; null keeps them for ever. */
  events_days: z.number().positive().nullable().default(null),
});

/** A tool by its name in the tools module, or the tool itself. */
const toolReference = z.union([z.string().min(1), z.custom<Tool>(isTool)], 'must be the name of a tool');

const agentSection = section({
  ...agentShape,
  model: z.string().min(1),
  tools: z.array(toolReference).default([]),
});

const config = section({
  providers: z.unknown().optional(),
  tools: z.string().min(1).optional(),
  agents: z.array(z.unknown()).min(1, 'at least one agent is needed'),
  server: server.prefault({}),
  durability: z.enum(Durability).default(Durability.disk),
  retention: retention.prefault({}),
});

/** What a file or `defineConfig` may give. Keys may also be written in camelCase. */
export type Config = {
  providers?: ProvidersConfig;
  /** Path of the module that exports the tools, from the configuration file. */
  tools?: string;
  agents: (Agent | Loose<Omit<AgentDefinition, 'model' | 'tools'> & { model: string; tools?: (string | Tool)[] }>)[];
  server?: Loose<Partial<z.output<typeof server>>>;
  durability?: Durability;
  retention?: Loose<Partial<z.output<typeof retention>>>;
};
type Loose<T> = T | CamelCase<T>;

/** Gives the configuration back; for editors, which then know its keys. */
export const defineConfig = (config: Config): Config => config;

/** What the server starts with: all defaults filled in, all references resolved. */
export type ServerConfig = {
  agents: AgentRegistry;
  models: ModelResolver;
  server: z.output<typeof server>;
  durability: Durability;
  retention: z.output<typeof retention>;
  /** Sentences for the log at start. */
  warnings: string[];
};

export type ConfigContext = {
  /** Loads the module that `tools` names. */
  loadTools(path: string): Promise<Tool[]>;
  env?: NodeJS.ProcessEnv;
};

/** Checks and resolves. Throws `ConfigError`. */
export async function resolveConfig(input: unknown, context: ConfigContext): Promise<ServerConfig> {
  const { providers, tools: path, agents, ...settings } = parse(config, input, '');
  const models = createModelResolver(providers, context.env);
  const tools = path === undefined ? [] : await context.loadTools(path);
  const problems: string[] = [];
  const made = agents.flatMap((entry, i) => {
    try {
      return [makeAgent(entry, `agents[${i}]`, tools, models)];
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problems.push(...error.problems);
      return [];
    }
  });
  if (problems.length > 0) throw new ConfigError(problems);
  return { ...settings, agents: createAgentRegistry(made), models, warnings: models.warnings() };
}

function makeAgent(entry: unknown, where: string, known: readonly Tool[], models: ModelResolver): Agent {
  if (isAgent(entry)) return bindAgent(entry, models);
  const definition = parse(agentSection, entry, where);
  const problems: string[] = [];
  const fault = models.fault(definition.model);
  if (fault) problems.push(`${where}.model: ${fault}`);
  const tools = definition.tools.flatMap((reference, i) => {
    if (typeof reference !== 'string') return [reference];
    const tool = known.find(({ name }) => name === reference);
    if (!tool) problems.push(`${where}.tools[${i}]: ${unknownTool(reference, known)}`);
    return tool ? [tool] : [];
  });
  if (problems.length > 0) throw new ConfigError(problems);
  return defineAgent({ ...definition, tools }, models);
}

function unknownTool(name: string, known: readonly Tool[]): string {
  const names = known.map((tool) => tool.name);
  const near = nearest(name, names);
  if (near) return `unknown tool "${name}", did you mean "${near}"?`;
  return `unknown tool "${name}"; ${names.length > 0 ? `known tools are ${names.join(', ')}` : 'the configuration names no "tools" module'}`;
}
