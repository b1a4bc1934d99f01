/** Mailbox entries (CONTRACT 4.1). */

import type { MailboxEntry } from '../client/index.js';
import { span } from '../rail/index.js';
import { compact } from './texts.js';
import type { View } from './view.js';

const entryStatuses = ['queued', 'claimed', 'accepted', 'superseded', 'cancelled', 'dead_letter'] as const;

export const mailbox: View<MailboxEntry> = {
  kind: 'MailboxEntry',
  name: ({ thread_id, entry_id }) => [thread_id, entry_id],
  columns: [
    { title: 'ENTRY', cell: ({ entry_id }) => entry_id, style: () => 'id' },
    { title: 'AGENT', cell: ({ agent_id }) => agent_id },
    { title: 'STATUS', cell: ({ status }) => status, style: styleOf },
    { title: 'PRIO', right: true, cell: ({ priority }) => String(priority) },
    { title: 'AGE', right: true, cell: ({ created_at }, now) => span(now - created_at) },
    { title: 'ORIGIN', wide: true, cell: ({ origin }) => origin },
    { title: 'TRIES', wide: true, right: true, cell: ({ attempt_count }) => String(attempt_count) },
    { title: 'RUN', wide: true, cell: ({ run_id }) => run_id, style: () => 'id' },
    { title: 'THREAD', wide: true, cell: ({ thread_id }) => thread_id, style: () => 'id' },
    { title: 'ASKS', cell: asksOf },
  ],
  keys: {
    status: { of: 'text', read: ({ status }) => status, known: entryStatuses, param: 'status' },
    agent: { of: 'text', read: ({ agent_id }) => agent_id },
    thread: { of: 'text', read: ({ thread_id }) => thread_id },
    run: { of: 'text', read: ({ run_id }) => run_id },
    entry: { of: 'text', read: ({ entry_id }) => entry_id },
    origin: { of: 'text', read: ({ origin }) => origin, known: ['external', 'internal'] },
    error: { of: 'text', read: ({ last_error }) => last_error },
    priority: { of: 'number', read: ({ priority }) => priority },
    attempts: { of: 'number', read: ({ attempt_count }) => attempt_count },
    age: { of: 'age', read: ({ created_at }) => created_at },
  },
};

/** Why it failed, else what it says. */
function asksOf({ last_error, payload }: MailboxEntry): string {
  return compact(last_error ?? payload.messages.at(-1)?.content ?? '');
}

function styleOf({ status }: MailboxEntry) {
  if (status === 'dead_letter') return 'fault';
  return status === 'queued' ? 'plain' : 'dim';
}
