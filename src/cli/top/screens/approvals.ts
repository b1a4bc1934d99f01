/** `:approvals`: every decision that somebody has to make, the longest waiting first. */

import type { Approval } from '../../client/index.js';
import { segment, span } from '../../rail/index.js';
import { inline } from '../format.js';
import { parseFilter, type FilterNames } from '../model/filter.js';
import { isOn, source, type Model } from '../model/model.js';
import { PAGE } from './paged.js';
import { listingOf, type ListScreen } from './screen.js';

const filterKeys: FilterNames = {
  kind: 'text',
  tool: 'text',
  agent: 'text',
  run: 'text',
  thread: 'text',
  age: 'age',
};

/** The longest waiting are at the front; when they are decided the next ones move up. A change in what waits asks anew. */
const pending = ({ fleet }: Model) =>
  source(
    'approvals',
    async (client) => client.page<Approval>('/v1/approvals', { limit: PAGE }),
    2_000,
    String(fleet.questions),
  );

const idOf = ({ run_id, tool_call_id }: Approval): string => `${run_id}/${tool_call_id}`;

export const approvalOf = (model: Model, id: string): Approval | undefined =>
  pending(model)
    .read(model)
    ?.items.find((item) => idOf(item) === id);

/** What a run waits for. */
export const approvalsOfRun = (model: Model, run_id: string): Approval[] =>
  pending(model)
    .read(model)
    ?.items.filter((item) => item.run_id === run_id) ?? [];

export const approvalsWant = (model: Model) => pending(model).want;

export const approvals: ListScreen = {
  name: 'approvals',
  one: 'decision',
  columns: [
    { title: 'SINCE', width: 6, align: 'right' },
    { title: 'KIND', width: 9 },
    { title: 'RUN', width: 9, wide: 36 },
    { title: 'AGENT', width: 10 },
    { title: 'TOOL', width: 16 },
    { title: 'ARGUMENTS', width: 12, grow: 1 },
  ],
  sorts: ['since ↓'],
  filterKeys,
  empty: 'nobody waits for a decision',
  listing: (model) => {
    const { filter } = parseFilter(model.view.lists.approvals.filter, filterKeys, model.now);
    const items = pending(model).read(model)?.items ?? [];
    const shown = items.filter(
      (item) =>
        (!isOn(model, 'faults') || item.suspension.kind === 'in_doubt') &&
        filter?.({
          kind: item.suspension.kind,
          tool: item.name,
          agent: item.agent_id,
          run: item.run_id,
          thread: item.thread_id,
          age: item.since,
          arguments: inline(item.arguments),
        }),
    );
    return listingOf(shown.map(idOf));
  },
  row: (model, id) => {
    const item = approvalOf(model, id);
    return (
      item && [
        segment(span(model.now - item.since)),
        segment(item.suspension.kind, item.suspension.kind === 'in_doubt' ? 'fault' : 'attention'),
        segment(item.run_id, 'id'),
        segment(item.agent_id),
        segment(item.name, 'strong'),
        segment(inline(item.arguments)),
      ]
    );
  },
  targetOf: (model, id) => {
    const item = approvalOf(model, id);
    return item && { run_id: item.run_id, thread_id: item.thread_id };
  },
  wants: (model) => [pending(model).want],
};
