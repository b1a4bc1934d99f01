/**
 * The agents of this process, by id.
 *
 * Ids are unique: two agents of one id are a mistake of the configuration and refused when the registry is made, never
 * resolved by order. The registry is fixed once made; a new configuration is a new registry.
 */

import { ConfigError } from './config-error.js';
import type { Agent, AgentRegistry } from './types.js';

/** Makes the registry. Throws `ConfigError` naming every id that is given twice. */
export function createAgentRegistry(agents: readonly Agent[]): AgentRegistry {
  const byId = new Map<string, Agent>();
  const problems = new Set<string>();
  for (const agent of agents) {
    if (byId.has(agent.id)) problems.add(`duplicate agent id: ${agent.id}`);
    byId.set(agent.id, agent);
  }
  if (problems.size > 0) throw new ConfigError([...problems]);
  const sorted = [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  return { get: (id) => byId.get(id), list: () => [...sorted] };
}
