/** `:threads`: all threads of the server, those at rest too, the newest first. */

import type { Thread } from '../../client/index.js';
import { segment, span } from '../../rail/index.js';
import { count } from '../format.js';
import type { FilterNames } from '../model/filter.js';
import type { Model } from '../model/model.js';
import { pageListing, pageOf, queryOf } from './paged.js';
import type { ListScreen } from './screen.js';
import { stateCell } from './states.js';

const names = { status: 'status', resource: 'resource_id', parent: 'parent_thread_id' };
const filterKeys: FilterNames = { status: 'asked', resource: 'asked', parent: 'asked' };

const page = (model: Model) =>
  pageOf<Thread>(model, 'threads', '/v1/threads', {
    order: model.view.lists.threads.sort % 2 === 0 ? 'desc' : 'asc',
    ...queryOf(model.view.lists.threads.filter, names),
  });

const find = (model: Model, id: string): Thread | undefined =>
  page(model)
    .read(model)
    ?.items.find((item) => item.id === id);

export const threads: ListScreen = {
  name: 'threads',
  one: 'thread',
  columns: [
    { title: 'THREAD', width: 14, wide: 36 },
    { title: 'STATUS', width: 10 },
    { title: 'ACTIVE RUN', width: 10, wide: 36 },
    { title: 'MSGS', width: 5, align: 'right' },
    { title: 'Q', width: 3, align: 'right' },
    { title: 'CHANGED', width: 7, align: 'right' },
    { title: 'TITLE', width: 12, grow: 1 },
  ],
  sorts: ['created ↓', 'created ↑'],
  filterKeys,
  empty: 'no threads',
  listing: (model) => pageListing(page(model).read(model), ({ id }) => id),
  row: (model, id) => {
    const thread = find(model, id);
    return (
      thread && [
        segment(thread.id, 'id'),
        stateCell(thread.status),
        segment(thread.active_run_id ?? '', 'id'),
        segment(count(thread.message_count)),
        segment(count(thread.queued_count), thread.queued_count > 0 ? 'attention' : 'dim'),
        segment(span(model.now - thread.updated_at)),
        segment(thread.title ?? '', thread.title === null ? 'dim' : 'plain'),
      ]
    );
  },
  targetOf: (model, id) => {
    const thread = find(model, id);
    return thread && { run_id: thread.active_run_id, thread_id: id };
  },
  wants: (model) => [page(model).want],
};

/** What the list knows of a thread. */
export const threadOf = find;
