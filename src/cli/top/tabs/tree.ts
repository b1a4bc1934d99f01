/** 6 Tree: who began this run, and the runs it began. `enter` opens one of them. */

import type { Client, RunRecord } from '../../client/index.js';
import { segment, span, type Line } from '../../rail/index.js';
import { shortId } from '../format.js';
import { source, type Model, type Open, type Source } from '../model/model.js';
import { styleOf } from '../screens/states.js';
import { saying, waitingFor, type Tab } from './tab.js';

const MAX_ABOVE = 10;
const MAX_DEPTH = 4;
/** Children of one run, or runs of one thread, that are shown. */
const MAX_CHILDREN = 50;

/** `lead`: the branches in front of the run. */
export type TreeRow = { record: RunRecord; lead: string };

/** Behind a branch: what hangs from it, and what stands below each other on the way to it. */
const corners = { last: ['└─ ', '   '], other: ['├─ ', '│  '] } as const;

/** The run's ancestors and its descendants, top down. */
export async function loadTree(client: Pick<Client, 'run' | 'page'>, run_id: string): Promise<TreeRow[]> {
  const above: RunRecord[] = [];
  let record = await client.run(run_id);
  const self = record;
  while (record.parent_run_id !== null && above.length < MAX_ABOVE) {
    // A parent that was deleted leaves its children.
    const parent = await client.run(record.parent_run_id).catch(() => undefined);
    if (!parent) break;
    above.unshift((record = parent));
  }
  const rows: TreeRow[] = [];
  const add = async (child: RunRecord, bars: string, depth: number): Promise<void> => {
    if (depth > MAX_DEPTH) return;
    const { items } = await client.page<RunRecord>('/v1/runs', { parent_run_id: child.run_id, limit: MAX_CHILDREN });
    for (const [i, item] of items.entries()) {
      const [corner, bar] = corners[i === items.length - 1 ? 'last' : 'other'];
      rows.push({ record: item, lead: bars + corner });
      await add(item, bars + bar, depth + 1);
    }
  };
  for (const [depth, ancestor] of [...above, self].entries())
    rows.push({ record: ancestor, lead: depth === 0 ? '' : `${'   '.repeat(depth - 1)}└─ ` });
  await add(self, '   '.repeat(above.length), 1);
  return rows;
}

function treeSource(model: Model, { target: { run_id, thread_id } }: Open): Source<TreeRow[]> {
  if (run_id !== null) return source(`tree ${run_id}`, (client) => loadTree(client, run_id), 3_000);
  return source(
    `runs of ${thread_id}`,
    async (client) => {
      const { items } = await client.page<RunRecord>('/v1/runs', { thread_id, limit: MAX_CHILDREN, order: 'desc' });
      return items.map((record): TreeRow => ({ record, lead: '' }));
    },
    3_000,
  );
}

/** A run of the tree that is open. */
export const treeRunOf = (model: Model, open: Open, run_id: string): RunRecord | undefined =>
  treeSource(model, open)
    .read(model)
    ?.find(({ record }) => record.run_id === run_id)?.record;

export const tree: Tab = {
  name: 'tree',
  wants: (model, open) => [treeSource(model, open).want],
  view(model, open) {
    const rows = treeSource(model, open);
    const all = rows.read(model);
    if (!all) return waitingFor(rows.error(model));
    if (all.length === 0) return saying('this thread has had no runs');
    return {
      lines: all.map((row) => lineOf(row, open.target.run_id, model.now)),
      ids: all.map(({ record }) => record.run_id),
    };
  },
};

function lineOf({ record, lead }: TreeRow, self: string | null, now: number): Line {
  const state = record.status === 'done' ? (record.termination_code ?? 'done') : record.status;
  const isSelf = record.run_id === self;
  return [
    segment(lead, 'frame'),
    segment(`${isSelf ? '●' : '○'} ${shortId(record.run_id)}`, isSelf ? 'active' : 'id'),
    segment(`  ${record.agent_id}`, 'strong'),
    segment(`  ${state}`, styleOf(state)),
    segment(`  ${record.origin}  ${span(now - record.created_at)} ago`, 'dim'),
    segment(record.termination_detail === null ? '' : `  ${record.termination_detail}`, 'dim'),
  ];
}
