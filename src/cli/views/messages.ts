/** Messages of a thread (CONTRACT 3.1). */

import type { Message } from '../client/index.js';
import { span } from '../rail/index.js';
import { brief, compact } from './texts.js';
import type { View } from './view.js';

const roles = ['system', 'user', 'assistant', 'tool'] as const;

/** What was said, then what was called. */
function contentOf({ content, tool_calls = [] }: Message): string {
  return [compact(content), ...tool_calls.map((call) => `${call.name} ${brief(call.arguments)}`)].join(' ').trim();
}

export const messages: View<Message> = {
  kind: 'Message',
  name: ({ id }) => [id],
  columns: [
    { title: 'CURSOR', right: true, cell: ({ cursor }) => String(cursor) },
    { title: 'ROLE', cell: ({ role }) => role, style: ({ role }) => (role === 'user' ? 'strong' : 'plain') },
    { title: 'AGE', right: true, cell: ({ created_at }, now) => span(now - created_at) },
    { title: 'MESSAGE', wide: true, cell: ({ id }) => id, style: () => 'id' },
    { title: 'RUN', wide: true, cell: ({ run_id }) => run_id ?? '', style: () => 'id' },
    { title: 'CONTENT', cell: contentOf },
  ],
  keys: {
    role: { of: 'text', read: ({ role }) => role, known: roles },
    content: { of: 'text', read: ({ content }) => content },
    tool: { of: 'text', read: ({ tool_calls }) => tool_calls?.map(({ name }) => name) },
    run: { of: 'text', read: ({ run_id }) => run_id, param: 'run_id' },
    age: { of: 'age', read: ({ created_at }) => created_at },
  },
};
