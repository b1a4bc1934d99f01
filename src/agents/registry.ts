/**
 * The agents of this process, by id.
 *
 * Ids are unique and delegates exist: two agents of one id, or a delegate that nobody is, are mistakes of the
 * configuration and refused when the registry is made. The registry is fixed once made; a new configuration is a new registry.
 */

import { ConfigError } from './config-error.js';
import { nearest } from './nearest.js';
import type { Agent, AgentRegistry } from './types.js';

/** Makes the registry. Throws `ConfigError` naming every id that is given twice and every delegate that is unknown. */
export function createAgentRegistry(agents: readonly Agent[]): AgentRegistry {
  const byId = new Map<string, Agent>();
  const problems = new Set<string>();
  for (const agent of agents) {
    if (byId.has(agent.id)) problems.add(`duplicate agent id: ${agent.id}`);
    byId.set(agent.id, agent);
  }
  const ids = [...byId.keys()];
  for (const { id, delegates } of agents) {
    for (const name of delegates) if (!byId.has(name)) problems.add(`agent "${id}": ${unknownDelegate(name, ids)}`);
  }
  if (problems.size > 0) throw new ConfigError([...problems]);
  const sorted = [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  return { get: (id) => byId.get(id), list: () => [...sorted] };
}

function unknownDelegate(name: string, ids: readonly string[]): string {
  const near = nearest(name, ids);
  return `unknown delegate "${name}"${near ? `, did you mean "${near}"?` : `; the agents are ${ids.join(', ')}`}`;
}
