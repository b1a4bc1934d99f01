/**
 * Names in an agent's rules that none of its own tools has. They may be right, since tools also come with requests and
 * from other servers; but a mistyped name in a rule that asks or denies would let everything pass, so it is said at start.
 */

import { nearest } from './nearest.js';
import type { Agent } from './types.js';

/** The tools that an agent with delegates gets besides its own (CONTRACT 5.5). */
export const DELEGATION_TOOLS: readonly string[] = ['agent_run', 'agent_output', 'agent_stop', 'agent_handoff'];

/** One sentence a name; `where` is the agent's path. Patterns are never stray. */
export function strayNames({ tools, delegates, permissions, stop_conditions }: Agent, where: string): string[] {
  const known = [...tools.map((tool) => tool.name), ...(delegates.length > 0 ? DELEGATION_TOOLS : [])];
  const used = [
    ...permissions.map(({ tool }, i) => ({ tool, at: `permissions[${i}]` })),
    ...stop_conditions.flatMap((condition, i) =>
      condition.type === 'stop_on_tool' ? [{ tool: condition.tool, at: `stop_conditions[${i}]` }] : [],
    ),
  ];
  return used
    .filter(({ tool }) => !tool.includes('*') && !known.includes(tool))
    .map(({ tool, at }) => {
      const near = nearest(tool, known);
      return `${where}.${at}: the agent has no tool "${tool}"${near ? `, did you mean "${near}"?` : ''}`;
    });
}
