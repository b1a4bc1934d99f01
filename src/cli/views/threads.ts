/** Threads (CONTRACT 2.1). */

import type { Thread } from '../client/index.js';
import { span } from '../rail/index.js';
import { compact } from './texts.js';
import type { View } from './view.js';

const threadStatuses = ['idle', 'running', 'waiting'] as const;

export const threads: View<Thread> = {
  kind: 'Thread',
  name: ({ id }) => [id],
  columns: [
    { title: 'THREAD', cell: ({ id }) => id, style: () => 'id' },
    { title: 'STATUS', cell: ({ status }) => status, style: styleOf },
    { title: 'MESSAGES', right: true, cell: ({ message_count }) => String(message_count) },
    { title: 'QUEUED', right: true, cell: ({ queued_count }) => String(queued_count) },
    { title: 'UPDATED', right: true, cell: ({ updated_at }, now) => span(now - updated_at) },
    { title: 'AGE', wide: true, right: true, cell: ({ created_at }, now) => span(now - created_at) },
    { title: 'RUN', wide: true, cell: ({ active_run_id }) => active_run_id ?? '', style: () => 'id' },
    { title: 'PARENT', wide: true, cell: ({ parent_thread_id }) => parent_thread_id ?? '' },
    { title: 'RESOURCE', wide: true, cell: ({ resource_id }) => resource_id ?? '' },
    { title: 'TITLE', cell: ({ title }) => compact(title ?? '') },
  ],
  keys: {
    status: { of: 'text', read: ({ status }) => status, known: threadStatuses, param: 'status' },
    thread: { of: 'text', read: ({ id }) => id },
    run: { of: 'text', read: ({ active_run_id }) => active_run_id },
    parent: { of: 'text', read: ({ parent_thread_id }) => parent_thread_id, param: 'parent_thread_id' },
    resource: { of: 'text', read: ({ resource_id }) => resource_id, param: 'resource_id' },
    title: { of: 'text', read: ({ title }) => title },
    messages: { of: 'number', read: ({ message_count }) => message_count },
    queued: { of: 'number', read: ({ queued_count }) => queued_count },
    age: { of: 'age', read: ({ created_at }) => created_at },
    updated: { of: 'age', read: ({ updated_at }) => updated_at },
  },
};

function styleOf({ status }: Thread) {
  if (status === 'running') return 'active';
  return status === 'waiting' ? 'attention' : 'plain';
}
