/** Run records (CONTRACT 1.2). */

import type { RunRecord } from '../client/index.js';
import { span } from '../rail/index.js';
import { compact } from './texts.js';
import type { View } from './view.js';

const runStatuses = ['running', 'waiting', 'done'] as const;
const origins = ['user', 'subagent', 'ag_ui', 'ai_sdk', 'a2a', 'internal'] as const;

const reasonOf = ({ termination_code: code, termination_detail: detail }: RunRecord): string =>
  compact([code, detail].filter((part) => part !== null).join(': '));

export const runs: View<RunRecord> = {
  kind: 'Run',
  name: ({ run_id }) => [run_id],
  columns: [
    { title: 'RUN', cell: ({ run_id }) => run_id, style: () => 'id' },
    { title: 'AGENT', cell: ({ agent_id }) => agent_id },
    { title: 'STATUS', cell: ({ status }) => status, style: styleOf },
    { title: 'AGE', right: true, cell: ({ created_at }, now) => span(now - created_at) },
    { title: 'UPDATED', wide: true, right: true, cell: ({ updated_at }, now) => span(now - updated_at) },
    { title: 'ORIGIN', wide: true, cell: ({ origin }) => origin },
    { title: 'TOKENS', wide: true, right: true, cell: (run) => `${run.input_tokens}+${run.output_tokens}` },
    { title: 'PARENT', wide: true, cell: ({ parent_run_id }) => parent_run_id ?? '' },
    { title: 'THREAD', wide: true, cell: ({ thread_id }) => thread_id, style: () => 'id' },
    { title: 'REASON', cell: reasonOf },
  ],
  keys: {
    status: { of: 'text', read: ({ status }) => status, known: runStatuses, param: 'status' },
    agent: { of: 'text', read: ({ agent_id }) => agent_id, param: 'agent_id' },
    thread: { of: 'text', read: ({ thread_id }) => thread_id, param: 'thread_id' },
    run: { of: 'text', read: ({ run_id }) => run_id },
    parent: { of: 'text', read: ({ parent_run_id }) => parent_run_id, param: 'parent_run_id' },
    origin: { of: 'text', read: ({ origin }) => origin, known: origins, param: 'origin' },
    code: { of: 'text', read: ({ termination_code }) => termination_code, param: 'termination_code' },
    detail: { of: 'text', read: ({ termination_detail }) => termination_detail },
    resource: { of: 'text', read: ({ resource_id }) => resource_id, param: 'resource_id' },
    tokens: { of: 'number', read: (run) => run.input_tokens + run.output_tokens },
    age: { of: 'age', read: ({ created_at }) => created_at, params: between('created_at') },
    updated: { of: 'age', read: ({ updated_at }) => updated_at, params: between('updated_at') },
  },
};

function between(name: string): { from: string; to: string } {
  return { from: `${name}_from`, to: `${name}_to` };
}

function styleOf({ status, termination_code: code }: RunRecord) {
  if (status === 'running') return 'active';
  if (status === 'waiting') return code === 'queued' ? 'plain' : 'attention';
  return code === 'error' ? 'fault' : 'dim';
}
