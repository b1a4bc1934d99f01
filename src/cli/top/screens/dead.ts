/** `:dead`: what was asked for and could never be started, of all threads; `r` starts it anew. */

import type { MailboxEntry } from '../../client/index.js';
import { segment, span } from '../../rail/index.js';
import { inline } from '../format.js';
import type { Model } from '../model/model.js';
import { pageListing, pageOf } from './paged.js';
import type { ListScreen } from './screen.js';

const page = (model: Model) => pageOf<MailboxEntry>(model, 'dead', '/v1/mailbox', { status: 'dead_letter' });

export const deadLetterOf = (model: Model, id: string): MailboxEntry | undefined =>
  page(model)
    .read(model)
    ?.items.find((item) => item.entry_id === id);

export const dead: ListScreen = {
  name: 'dead',
  one: 'dead letter',
  columns: [
    { title: 'AGE', width: 6, align: 'right' },
    { title: 'ENTRY', width: 9, wide: 36 },
    { title: 'THREAD', width: 9, wide: 36 },
    { title: 'AGENT', width: 10 },
    { title: 'ERROR', width: 20, grow: 2 },
    { title: 'ASKED FOR', width: 10, grow: 1 },
  ],
  sorts: ['created ↑'],
  filterKeys: {},
  empty: 'no dead letters',
  listing: (model) => pageListing(page(model).read(model), ({ entry_id }) => entry_id),
  row: (model, id) => {
    const entry = deadLetterOf(model, id);
    return (
      entry && [
        segment(span(model.now - entry.updated_at)),
        segment(entry.entry_id, 'id'),
        segment(entry.thread_id),
        segment(entry.agent_id),
        segment(entry.last_error ?? '', 'fault'),
        segment(inline(entry.payload.messages.at(-1)?.content ?? ''), 'dim'),
      ]
    );
  },
  targetOf: (model, id) => {
    const entry = deadLetterOf(model, id);
    return entry && { run_id: entry.run_id, thread_id: entry.thread_id };
  },
  wants: (model) => [page(model).want],
};
