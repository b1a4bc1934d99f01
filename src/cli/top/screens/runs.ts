/** `:runs`, the home: every active run, the longest in its state first. With `z` only what is wrong, ended runs too. */

import type { ActorItem } from '../../client/index.js';
import { segment, span, type Segment } from '../../rail/index.js';
import { bar, count, inline } from '../format.js';
import { parseFilter, statesOf, type Fields, type FilterNames } from '../model/filter.js';
import { isOn, type Model } from '../model/model.js';
import type { EndedRun } from '../store/fleet.js';
import { emptyListing, listingOf, type Listing, type ListScreen } from './screen.js';
import { stateCell } from './states.js';

const filterKeys: FilterNames = {
  status: 'text',
  state: 'text',
  agent: 'text',
  thread: 'text',
  run: 'text',
  tool: 'text',
  kind: 'text',
  code: 'text',
  age: 'age',
  queued: 'number',
};

const sorts = ['age ↓', 'age ↑', 'thread', 'agent', 'state', 'queued ↓'] as const;

/** Endings nobody has to look after. */
const CALM = new Set(['natural', 'cancelled', 'superseded', 'tool_called', 'content_matched']);

/** `key`: what it is sorted by before its age. */
type Row = { id: string; since: number; key: string | number };

export const runs: ListScreen = {
  name: 'runs',
  one: 'run',
  columns: [
    { title: 'RUN', width: 9, wide: 36 },
    { title: 'THREAD', width: 9, wide: 36, grow: 1 },
    { title: 'AGENT', width: 10, grow: 1 },
    { title: 'STATE', width: 20 },
    { title: 'AGE', width: 6, align: 'right' },
    { title: 'Q', width: 3, align: 'right' },
    { title: 'TOOL / WAITING FOR', width: 11, grow: 6 },
  ],
  sorts,
  filterKeys,
  empty: 'no run is active',
  listing,
  unseen: ({ fleet }) => fleet.missing,
  row: (model, id) => {
    const active = model.fleet.runs.get(id);
    if (active) return activeCells(active, model);
    const ended = model.fleet.ended.get(id);
    return ended && endedCells(ended, model);
  },
  targetOf: ({ fleet }, id) => {
    const run = fleet.runs.get(id) ?? fleet.ended.get(id);
    return run && { run_id: id, thread_id: run.thread_id };
  },
  wants: () => [],
};

/** `running` and `waiting` as the records have it: a run whose machine is ending still runs. */
const statusOf = ({ path }: ActorItem): string => (path[0] === 'waiting' ? 'waiting' : 'running');

function activeCells(run: ActorItem, { fleet, now }: Model): Segment[] {
  const queued = fleet.queuedOf(run.thread_id);
  return [
    segment(run.run_id!, 'id'),
    segment(run.thread_id),
    segment(run.agent_id ?? '', 'plain'),
    stateCell(run.waiting_for?.kind === 'in_doubt' ? 'waiting in_doubt' : run.path.join('.')),
    segment(span(now - run.since)),
    segment(count(queued), queued > 0 ? 'attention' : 'dim'),
    workCell(run),
  ];
}

/** What it is working on, or whom it waits for. Arguments may be long, so they come last. */
function workCell({ tool, waiting_for }: ActorItem): Segment {
  const given = tool ? inline(tool.arguments) : '';
  if (waiting_for) {
    const { kind, message, tool_call_ids } = waiting_for;
    const more = tool_call_ids.length > 1 ? ` +${tool_call_ids.length - 1}` : '';
    const text = tool ? `${tool.name}${more}  ${kind}  ${given}` : `${kind}${more}  ${message}`;
    return segment(text, kind === 'in_doubt' ? 'fault' : 'attention');
  }
  if (!tool) return segment('');
  const far = tool.progress === null ? given : progressText(tool.progress);
  return segment(`${tool.name} ${far}${tool.message === null ? '' : ` ${tool.message}`}`);
}

const progressText = (share: number): string => `${Math.round(share * 100)}% ${bar(share, 10).trimEnd()}`;

function endedCells(run: EndedRun, { now }: Model): Segment[] {
  return [
    segment(run.run_id, 'id'),
    segment(run.thread_id, 'dim'),
    segment(run.agent_id ?? '', 'dim'),
    stateCell(run.status),
    segment(span(now - run.at), 'dim'),
    segment(''),
    segment(run.detail ?? '', 'dim'),
  ];
}

function activeFields(run: ActorItem, { fleet }: Model): Fields {
  return {
    status: statusOf(run),
    state: statesOf(run.path),
    agent: run.agent_id,
    thread: run.thread_id,
    run: run.run_id,
    tool: run.tool?.name ?? null,
    kind: run.waiting_for?.kind ?? null,
    age: run.since,
    queued: fleet.queuedOf(run.thread_id),
    code: null,
    asks: run.waiting_for?.message ?? null,
  };
}

const endedFields = (run: EndedRun): Fields => ({
  status: 'done',
  state: 'done',
  agent: run.agent_id,
  thread: run.thread_id,
  run: run.run_id,
  tool: null,
  kind: null,
  age: run.at,
  queued: 0,
  code: run.status,
  detail: run.detail,
});

/** A person has to look at it: nobody knows what happened, or it ended as nobody wanted. */
const isFaulty = (run: ActorItem): boolean => run.waiting_for?.kind === 'in_doubt' || run.path.includes('backing_off');

type Memo = { key: string; revision: number; at: number; listing: Listing };
const memos = new WeakMap<Model['fleet'], Memo>();

/**
 * The order is made anew at most four times a second, and the more rows there are the seldomer: rows that jump cannot be
 * read. What the rows show is always new.
 */
function listing(model: Model): Listing {
  const { filter, sort } = model.view.lists.runs;
  const key = `${filter}|${sort}|${isOn(model, 'faults')}`;
  const memo = memos.get(model.fleet);
  // An empty list has no rows that could jump: the first ones are not kept waiting.
  const patience = memo?.listing.total ? Math.max(250, memo.listing.total / 5) : 0;
  const isFresh =
    memo?.key === key && (memo.revision === model.fleet.revision || Math.abs(model.now - memo.at) < patience);
  if (isFresh && !goesBy(filter, model.now - memo.at)) return memo.listing;
  const made = sorted(model, filter, sorts[sort % sorts.length]!);
  memos.set(model.fleet, { key, revision: model.fleet.revision, at: model.now, listing: made });
  return made;
}

/** Ages pass without an event. */
const goesBy = (filter: string, elapsed: number): boolean => filter.includes('age') && elapsed > 1_000;

function sorted(model: Model, text: string, sort: (typeof sorts)[number]): Listing {
  const { filter } = parseFilter(text, filterKeys, model.now);
  if (!filter) return emptyListing;
  const { keyOf, compare } = orders[sort];
  const rows: Row[] = [];
  // Most often nobody filters, and ages are at hand: ten thousand rows then need no fields.
  const add = (id: string, since: number, makeFields: () => Fields): void => {
    const fields = text === '' && !keyOf ? undefined : makeFields();
    if (!fields || filter(fields)) rows.push({ id, since, key: fields && keyOf ? keyOf(fields) : 0 });
  };
  const faults = isOn(model, 'faults');
  for (const [id, run] of model.fleet.runs)
    if (!faults || isFaulty(run)) add(id, run.since, () => activeFields(run, model));
  if (faults || /\b(status|state)=\S*done|\bcode=/.test(text)) {
    for (const [id, run] of model.fleet.ended)
      if (!faults || !CALM.has(run.status)) add(id, run.at, () => endedFields(run));
  }
  return listingOf(rows.sort(compare).map(({ id }) => id));
}

type Order = { keyOf?: (fields: Fields) => string | number; compare: (a: Row, b: Row) => number };

const byAge = (a: Row, b: Row): number => a.since - b.since || (a.id < b.id ? -1 : 1);

const byText = (name: string): Order => ({
  keyOf: (fields) => String(fields[name] ?? ''),
  compare: (a, b) => String(a.key).localeCompare(String(b.key)) || byAge(a, b),
});

const orders: Record<(typeof sorts)[number], Order> = {
  'age ↓': { compare: byAge },
  'age ↑': { compare: (a, b) => b.since - a.since || (a.id < b.id ? -1 : 1) },
  thread: byText('thread'),
  agent: byText('agent'),
  state: byText('state'),
  'queued ↓': {
    keyOf: ({ queued }) => Number(queued),
    compare: (a, b) => Number(b.key) - Number(a.key) || byAge(a, b),
  },
};
