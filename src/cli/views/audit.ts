/** What operators did (operator routes). */

import type { AuditRecord } from '../client/index.js';
import { span } from '../rail/index.js';
import { brief, compact } from './texts.js';
import type { View } from './view.js';

const part =
  (name: string) =>
  ({ target }: AuditRecord) => {
    const value = target[name];
    return typeof value === 'string' ? value : null;
  };

export const audit: View<AuditRecord> = {
  kind: 'AuditRecord',
  name: ({ n }) => [String(n)],
  columns: [
    { title: 'N', right: true, cell: ({ n }) => String(n) },
    { title: 'AGE', right: true, cell: ({ at }, now) => span(now - at) },
    { title: 'WHO', cell: ({ principal }) => principal ?? '' },
    { title: 'ACTION', cell: ({ action }) => action },
    {
      title: 'STATUS',
      right: true,
      cell: ({ status }) => String(status ?? '?'),
      style: ({ status }) => (status !== null && status < 400 ? 'plain' : 'fault'),
    },
    { title: 'REASON', cell: ({ reason }) => compact(reason ?? '') },
    { title: 'REQUEST', wide: true, cell: ({ request_id }) => request_id ?? '' },
    { title: 'TARGET', cell: ({ target }) => Object.values(target).map(brief).join(' ') },
  ],
  keys: {
    action: { of: 'text', read: ({ action }) => action, param: 'action' },
    principal: { of: 'text', read: ({ principal }) => principal, param: 'principal' },
    reason: { of: 'text', read: ({ reason }) => reason },
    run: { of: 'text', read: part('run_id') },
    thread: { of: 'text', read: part('thread_id') },
    status: { of: 'number', read: ({ status }) => status },
    age: { of: 'age', read: ({ at }) => at },
  },
};
