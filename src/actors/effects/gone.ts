/**
 * What an open run needs and the configuration does not have any more (CONTRACT 1.16). Such a run cannot go on as it was
 * begun: it ends and says why, and nobody is asked for decisions that could have no effect.
 *
 * Asked when a thread is read: what a process has, it has for its whole life.
 */

import type { AgentRegistry } from '../../agents/types.js';
import { cellKey, childOf } from '../thread/apply.js';
import type { Cells } from '../thread/cells.js';
import type { ToolCallContext } from '../machines/tool-call.js';
import { isDelegation } from './delegation.js';

/** A sentence that names what is gone; undefined when the run has all it needs, or has ended. */
export function goneOf(cells: Cells, rno: number, agents: AgentRegistry): string | undefined {
  const run = cells.get(`r${rno}`);
  if (!run || run.status === 'done') return undefined;
  if (!agents.get(run.agent_id)) return `agent not found: ${run.agent_id}`;
  for (const key of Object.keys(cells.get(cellKey(String(rno)))?.snapshot.children ?? {})) {
    const call = cells.get(cellKey(childOf(String(rno), key)));
    if (call?.kind !== 'tool_call') continue;
    const gone = toolGoneFrom((call.snapshot.context as ToolCallContext).plan, agents);
    if (gone) return gone;
  }
  return undefined;
}

/** Of the calls that are carried out here, and whose maker is known. */
function toolGoneFrom({ gate, agent_id, name }: ToolCallContext['plan'], agents: AgentRegistry): string | undefined {
  if (agent_id === undefined || (gate !== 'open' && gate !== 'approval')) return undefined;
  const agent = agents.get(agent_id);
  if (!agent) return `agent not found: ${agent_id}`;
  const isThere = isDelegation(agent, name) || agent.tools.some((tool) => tool.name === name);
  return isThere ? undefined : `the tool ${name} of agent ${agent_id} is gone`;
}
