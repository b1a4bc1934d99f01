/** Tool calls that wait for a decision (CONTRACT 9.1). */

import type { Approval } from '../client/index.js';
import { span } from '../rail/index.js';
import { brief, compact } from './texts.js';
import type { View } from './view.js';

const suspensionKinds = ['approval', 'frontend', 'input', 'in_doubt'] as const;

export const approvals: View<Approval> = {
  kind: 'Approval',
  name: ({ run_id, tool_call_id }) => [run_id, tool_call_id],
  columns: [
    { title: 'RUN', cell: ({ run_id }) => run_id, style: () => 'id' },
    { title: 'CALL', cell: ({ tool_call_id }) => tool_call_id, style: () => 'id' },
    { title: 'AGENT', cell: ({ agent_id }) => agent_id },
    { title: 'KIND', cell: ({ suspension }) => suspension.kind, style: () => 'attention' },
    { title: 'SINCE', right: true, cell: ({ since }, now) => span(now - since) },
    { title: 'THREAD', wide: true, cell: ({ thread_id }) => thread_id, style: () => 'id' },
    { title: 'TOOL', cell: (call) => `${call.name} ${brief(call.arguments)}` },
    { title: 'MESSAGE', wide: true, cell: ({ suspension }) => compact(suspension.message) },
  ],
  keys: {
    kind: { of: 'text', read: ({ suspension }) => suspension.kind, known: suspensionKinds },
    tool: { of: 'text', read: ({ name }) => name },
    agent: { of: 'text', read: ({ agent_id }) => agent_id },
    thread: { of: 'text', read: ({ thread_id }) => thread_id },
    run: { of: 'text', read: ({ run_id }) => run_id },
    call: { of: 'text', read: ({ tool_call_id }) => tool_call_id },
    arguments: { of: 'text', read: (call) => JSON.stringify(call.arguments) },
    age: { of: 'age', read: ({ since }) => since },
  },
};
