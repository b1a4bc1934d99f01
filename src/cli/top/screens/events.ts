/** `:events`: what all runs do, as it happens; the last 2,000 of it. */

import type { RunEvent } from '../../client/index.js';
import { segment, type Segment, type Style } from '../../rail/index.js';
import { clockTime, inline } from '../format.js';
import { parseFilter, type FilterNames } from '../model/filter.js';
import type { Model } from '../model/model.js';
import { listingOf, type Listing, type ListScreen } from './screen.js';

const filterKeys: FilterNames = { type: 'text', run: 'text', thread: 'text' };

export const styleOfEvent = (type: string): Style => {
  if (type === 'error' || type === 'inference_retry') return 'fault';
  if (type === 'run_waiting' || type === 'tool_call_suspended') return 'attention';
  if (type.startsWith('run_')) return 'active';
  return type.startsWith('tool_call') ? 'enabled' : type.endsWith('_delta') ? 'dim' : 'plain';
};

/** What an event says, in one line. */
export function eventText({ type, data }: RunEvent): string {
  const { delta, message, termination } = data as {
    delta?: unknown;
    message?: unknown;
    termination?: { code?: unknown; detail?: unknown };
  };
  if (typeof delta === 'string') return delta;
  if (type === 'error' && typeof message === 'string') return message;
  if (termination)
    return [termination.code, termination.detail]
      .filter((part) => part !== null && part !== undefined)
      .map(String)
      .join('  ');
  return data === undefined ? '' : inline(data);
}

/** A row's id is the number of its event since the screen was opened. */
const byId = (model: Model, id: string): RunEvent | undefined => model.tail.at(Number(id));

const listing = ({ tail, view, now }: Model): Listing => {
  const { filter } = parseFilter(view.lists.events.filter, filterKeys, now);
  const matches = (event: RunEvent): boolean =>
    filter?.({ type: event.type, run: event.run_id, thread: event.thread_id, data: inline(event.data) }) ?? false;
  const ids: string[] = [];
  for (let n = tail.first; n < tail.next; n++)
    if (view.lists.events.filter === '' || matches(tail.at(n)!)) ids.push(String(n));
  return listingOf(ids);
};

export const events: ListScreen = {
  name: 'events',
  one: 'event',
  columns: [
    { title: 'TIME', width: 8 },
    { title: 'RUN', width: 9, wide: 36 },
    { title: 'SEQ', width: 5, align: 'right' },
    { title: 'TYPE', width: 19 },
    { title: 'DATA', width: 20, grow: 1 },
  ],
  sorts: ['time'],
  filterKeys,
  empty: 'nothing happens at the moment',
  listing,
  row: (model, id): Segment[] | undefined => {
    const event = byId(model, id);
    return (
      event && [
        segment(clockTime(event.timestamp_ms), 'dim'),
        segment(event.run_id, 'id'),
        segment(String(event.seq), 'dim'),
        segment(event.type, styleOfEvent(event.type)),
        segment(eventText(event)),
      ]
    );
  },
  targetOf: (model, id) => {
    const event = byId(model, id);
    return event && { run_id: event.run_id, thread_id: event.thread_id };
  },
  wants: () => [],
};
