/** `:approvals`: every decision that somebody has to make, the longest waiting first. */

import type { Approval, Page } from '../../client/index.js';
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
  arguments: 'text',
  age: 'age',
};

/** The longest waiting are at the front; when they are decided the next ones move up. A change in what waits asks anew. */
const first = ({ fleet }: Model) =>
  source(
    'approvals',
    async (client) => client.page<Approval>('/v1/approvals', { limit: PAGE }),
    2_000,
    String(fleet.questions),
  );

/** Most that are looked at, behind the first page while they are on the screen. */
const MOST = 2_000;

const rest = source(
  'more approvals',
  async (client) => {
    const items: Approval[] = [];
    for (let offset = PAGE; offset < MOST; offset += PAGE) {
      const page = await client.page<Approval>('/v1/approvals', { offset, limit: PAGE });
      items.push(...page.items);
      if (!page.has_more) break;
    }
    return items;
  },
  5_000,
);

const idOf = ({ run_id, tool_call_id }: Approval): string => `${run_id}/${tool_call_id}`;

type Pending = ReadonlyMap<string, Approval>;

/** Rows are looked up one by one, and often. */
const joined = new WeakMap<Page<Approval>, { behind: Approval[] | undefined; pending: Pending }>();

/** What is known to wait, by id, the longest waiting first. */
function pendingOf(model: Model): Pending {
  const page = first(model).read(model);
  if (!page) return new Map();
  const behind = page.has_more ? rest.read(model) : undefined;
  const known = joined.get(page);
  if (known && known.behind === behind) return known.pending;
  const pending = new Map(page.items.map((item) => [idOf(item), item]));
  for (const item of behind ?? []) if (!pending.has(idOf(item))) pending.set(idOf(item), item);
  joined.set(page, { behind, pending });
  return pending;
}

export const approvalOf = (model: Model, id: string): Approval | undefined => pendingOf(model).get(id);

/** What a run waits for. */
export const approvalsOfRun = (model: Model, run_id: string): Approval[] =>
  [...pendingOf(model).values()].filter((item) => item.run_id === run_id);

export const approvalsWant = (model: Model) => first(model).want;

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
    const shown = [...pendingOf(model).values()].filter(
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
  unseen: (model) => {
    const page = first(model).read(model);
    return page === undefined ? 0 : Math.max(0, page.total - pendingOf(model).size);
  },
  wants: (model) => [first(model).want, ...(first(model).read(model)?.has_more ? [rest.want] : [])],
};
