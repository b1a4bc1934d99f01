/** `:agents`: who works here, and how much of it; `enter` shows the runs of one. */

import type { ActorItem, Agent } from '../../client/index.js';
import { segment } from '../../rail/index.js';
import { count } from '../format.js';
import { parseFilter, type FilterNames } from '../model/filter.js';
import { source, type Model } from '../model/model.js';
import { PAGE } from './paged.js';
import { listingOf, type ListScreen } from './screen.js';

const filterKeys: FilterNames = { agent: 'text', model: 'text', tool: 'text' };

const known = source('agents', async (client) => client.page<Agent>('/v1/agents', { limit: PAGE }), 30_000);

export const agentsWant = known.want;

const agentOf = (model: Model, id: string): Agent | undefined =>
  known.read(model)?.items.find((item) => item.id === id);

/** The name of the tool the run is in, when its effect cannot be repeated. What is not known is taken for the worst. */
export function onceTool(model: Model, run: ActorItem): string | null {
  if (!run.tool || run.waiting_for || run.path[0] === 'waiting') return null;
  const { name } = run.tool;
  const tool =
    run.agent_id === null ? undefined : agentOf(model, run.agent_id)?.tools.find((item) => item.name === name);
  return tool && tool.effect !== 'once' ? null : name;
}

export const agents: ListScreen = {
  name: 'agents',
  one: 'agent',
  columns: [
    { title: 'AGENT', width: 16 },
    { title: 'RUNNING', width: 7, align: 'right' },
    { title: 'WAITING', width: 7, align: 'right' },
    { title: 'MODEL', width: 18 },
    { title: 'TOOLS', width: 14, grow: 1 },
  ],
  sorts: ['name'],
  filterKeys,
  empty: 'no agents',
  listing: (model) => {
    const { filter } = parseFilter(model.view.lists.agents.filter, filterKeys, model.now);
    const shown = known
      .read(model)
      ?.items.filter((agent) =>
        filter?.({ agent: agent.id, model: agent.model, tool: agent.tools.map(({ name }) => name) }),
      );
    return listingOf((shown ?? []).map(({ id }) => id));
  },
  row: (model, id) => {
    const agent = agentOf(model, id);
    if (!agent) return undefined;
    const { running, waiting } = loadOf(model, id);
    return [
      segment(agent.id, 'strong'),
      segment(count(running), running > 0 ? 'active' : 'dim'),
      segment(count(waiting), waiting > 0 ? 'attention' : 'dim'),
      segment(agent.model),
      segment(agent.tools.map(({ name }) => name).join(' '), 'dim'),
    ];
  },
  targetOf: () => undefined,
  wants: () => [known.want],
};

function loadOf({ fleet }: Model, agent_id: string): { running: number; waiting: number } {
  const load = { running: 0, waiting: 0 };
  for (const run of fleet.runs.values())
    if (run.agent_id === agent_id) load[run.path[0] === 'waiting' ? 'waiting' : 'running']++;
  return load;
}
