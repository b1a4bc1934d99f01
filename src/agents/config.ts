/**
 * What a configuration may say, and what the server gets of it (CONTRACT 10.1).
 *
 * A configuration is checked as a whole before anything is opened: unknown keys, unknown providers, tools and delegates,
 * models that can never be made and agents of one id are a `ConfigError` with one line each. What may still come right
 * (a key that is not set yet, a rule for a tool that may come from elsewhere) is a warning.
 */

import type { z } from 'zod';
import { bindAgent, defineAgent, isAgent, isUnbound, type AgentDefinition } from './agent.js';
import { ConfigError } from './config-error.js';
import type { ConfigLimits } from './config-limits.js';
import { agentSection, configSection, type Durability, type retention, type server } from './config-schema.js';
import { nearest } from './nearest.js';
import type { ProviderConfig } from './providers/kinds.js';
import { createModelResolver, type ModelResolver } from './providers/resolver.js';
import { createAgentRegistry } from './registry.js';
import { remoteAgent, type RemoteAgentDefinition } from './remote/define.js';
import { remoteAgentSection } from './remote/schema.js';
import { parse, type CamelCase } from './schema.js';
import { strayNames } from './stray-names.js';
import type { Agent, AgentRegistry, Tool } from './types.js';

/** What a file or `defineConfig` may give. Keys may also be written in camelCase. */
export type Config = {
  providers?: Record<string, Loose<ProviderConfig>>;
  /** Path of the module that exports the tools, from the configuration file. */
  tools?: string;
  agents: (
    | Agent
    | Loose<Omit<AgentDefinition, 'model' | 'tools'> & { model: string; tools?: (string | Tool)[] }>
    | Loose<RemoteAgentDefinition>
  )[];
  server?: Loose<Partial<z.output<typeof server>>>;
  durability?: Durability;
  retention?: Loose<Partial<z.output<typeof retention>>>;
  limits?: Loose<ConfigLimits>;
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
  /** Those that are set; the runtime has defaults for the others. */
  limits: ConfigLimits;
  /** Runs that may be running at once on models of a provider, by its name (`providerOf(model)`); absent: no bound. */
  provider_limits: Record<string, number>;
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
  const { providers, tools: path, agents: entries, $schema: _, ...settings } = parse(configSection, input, '');
  const models = createModelResolver(providers, context.env);
  const tools = path === undefined ? [] : await context.loadTools(path);
  const problems: string[] = [];
  const made = entries.flatMap((entry, i) => {
    try {
      return [makeAgent(entry, `agents[${i}]`, { tools, models, env: context.env })];
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problems.push(...error.problems);
      return [];
    }
  });
  if (problems.length > 0) throw new ConfigError(problems);
  return {
    ...settings,
    agents: createAgentRegistry(made),
    models,
    provider_limits: models.limits(),
    warnings: [
      ...models.warnings(),
      ...made.flatMap((agent, i) => strayNames(agent, `agents[${i}]`)),
      ...unsetSecret(settings.server.push.secret_env, context.env),
      ...made.flatMap(({ id, remote }) => remote?.warning()?.replace(/^/, `agent "${id}": `) ?? []),
    ],
  };
}

const unsetSecret = (variable: string | null, env: NodeJS.ProcessEnv = process.env): string[] =>
  variable === null || env[variable]
    ? []
    : [`server.push.secret_env: the environment variable ${variable} is not set, so no push notification can be sent`];

type Known = { tools: readonly Tool[]; models: ModelResolver; env: NodeJS.ProcessEnv | undefined };

function makeAgent(entry: unknown, where: string, { tools: known, models, env }: Known): Agent {
  if (isAgent(entry)) return bound(entry, where, models);
  if (isRemote(entry)) return remoteAgent(parse(remoteAgentSection, entry, where), env ? { env } : {});
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
  for (const namespace of Object.keys(definition.provider_options ?? {})) {
    if (models.namespaces().includes(namespace)) continue;
    problems.push(`${where}.provider_options: ${unknown('namespace', namespace, models.namespaces())}`);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return defineAgent({ ...definition, tools }, models);
}

/** Where an agent lives tells its kind: `a2a` elsewhere, `model` here. */
const isRemote = (entry: unknown): boolean => typeof entry === 'object' && entry !== null && 'a2a' in entry;

function bound(agent: Agent, where: string, models: ModelResolver): Agent {
  const fault = isUnbound(agent) ? models.fault(agent.model) : undefined;
  if (fault) throw new ConfigError([`${where}.model: ${fault}`]);
  return bindAgent(agent, models);
}

function unknownTool(name: string, known: readonly Tool[]): string {
  if (known.length === 0) return `unknown tool "${name}"; the configuration names no "tools" module`;
  return unknown(
    'tool',
    name,
    known.map((tool) => tool.name),
  );
}

function unknown(what: string, name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return `unknown ${what} "${name}"${near ? `, did you mean "${near}"?` : `; known ${what}s are ${known.join(', ')}`}`;
}
