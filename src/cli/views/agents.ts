/** Agents (CONTRACT 9.1). */

import type { Agent } from '../client/index.js';
import { compact } from './texts.js';
import type { View } from './view.js';

export const agents: View<Agent> = {
  kind: 'Agent',
  name: ({ id }) => [id],
  columns: [
    { title: 'AGENT', cell: ({ id }) => id, style: () => 'id' },
    { title: 'MODEL', cell: ({ model }) => model },
    { title: 'ROUNDS', wide: true, right: true, cell: ({ max_rounds }) => String(max_rounds) },
    { title: 'DELEGATES', wide: true, cell: ({ delegates }) => delegates.join(',') },
    { title: 'TOOLS', cell: ({ tools }) => tools.map(({ name }) => name).join(',') },
    { title: 'DESCRIPTION', wide: true, cell: ({ description }) => compact(description) },
  ],
  keys: {
    agent: { of: 'text', read: ({ id }) => id },
    name: { of: 'text', read: ({ name }) => name },
    model: { of: 'text', read: ({ model }) => model },
    tool: { of: 'text', read: ({ tools }) => tools.map(({ name }) => name) },
    description: { of: 'text', read: ({ description }) => description },
  },
};
