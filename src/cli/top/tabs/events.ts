/**
 * 3 Events: the run's log by number, as long as it may be. Two hundred events at a time are fetched, those around the
 * cursor; with a filter the newest thousand are looked through.
 */

import type { Client, EventPage, RunEvent } from '../../client/index.js';
import { pad, padStart, segment, type Line } from '../../rail/index.js';
import { clockTime } from '../format.js';
import { parseFilter } from '../model/filter.js';
import { tabFilterKeys } from '../model/tab-filter.js';
import { isOn, source, type Model, type Open, type Source } from '../model/model.js';
import { eventText, styleOfEvent } from '../screens/events.js';
import { saying, waitingFor, type Tab } from './tab.js';

const PAGE = 200;
const SEARCHED_PAGES = 5;

/** How many events the run has. The log says only what is behind a number, so the end is looked for by halving. */
function lengthOf(model: Model, run_id: string): Source<number> {
  const known = model.resources.value<number>(`events ${run_id} length`);
  const isActive = model.fleet.runs.has(run_id);
  return source(
    `events ${run_id} length`,
    (client) => findLength(client, run_id, known ?? 0),
    isActive ? 500 : 5_000,
    String(isActive),
  );
}

/** @param atLeast a number of events the run is known to have. */
export async function findLength(client: Pick<Client, 'events'>, run_id: string, atLeast = 0): Promise<number> {
  /** Events there are behind the first `n`, up to a page of them. */
  const behind = async (n: number): Promise<EventPage> => client.events(run_id, { after: n - 1, limit: PAGE });
  let low = atLeast;
  for (let stride = PAGE; ; stride *= 4) {
    const page = await behind(low);
    if (!page.has_more) return low + page.items.length;
    low += page.items.length;
    let high = low + stride;
    // Jump as long as there is something behind the jump, then halve what lies between.
    if ((await behind(high)).items.length > 0) {
      low = high;
      continue;
    }
    while (high - low > PAGE) {
      const middle = Math.floor((low + high) / 2);
      if ((await behind(middle)).items.length > 0) low = middle;
      else high = middle;
    }
  }
}

/** Page `n`; a whole one never changes. */
const pageSource = (run_id: string, n: number, length: number): Source<EventPage> => {
  const isWhole = (n + 1) * PAGE <= length;
  return source(
    `events ${run_id} ${n}`,
    (client) => client.events(run_id, { after: n * PAGE - 1, limit: PAGE }),
    Infinity,
    isWhole ? 'whole' : String(length),
  );
};

/** Pages that are looked at, in order. */
function pagesOf(model: Model, { target, cursor, filter }: Open, length: number): Source<EventPage>[] {
  const last = Math.max(0, Math.ceil(length / PAGE) - 1);
  const at = Math.min(last, Math.floor((isOn(model, 'follow') ? length : cursor.index) / PAGE));
  const [from, to] = filter === '' ? [at - 1, at + 1] : [last - SEARCHED_PAGES + 1, last];
  const pages: Source<EventPage>[] = [];
  for (let n = Math.max(0, from); n <= Math.min(last, to); n++) pages.push(pageSource(target.run_id!, n, length));
  return pages;
}

export const events: Tab = {
  name: 'events',
  wants(model, open) {
    const { run_id } = open.target;
    if (run_id === null) return [];
    const length = lengthOf(model, run_id);
    return [length.want, ...pagesOf(model, open, length.read(model) ?? 0).map(({ want }) => want)];
  },
  view(model, open) {
    const { run_id } = open.target;
    if (run_id === null) return saying('no run is active on this thread');
    const length = lengthOf(model, run_id);
    const total = length.read(model);
    if (total === undefined) return waitingFor(length.error(model));
    const items = pagesOf(model, open, total).flatMap((page) => page.read(model)?.items ?? []);
    if (items.length === 0) return waitingFor(null);
    const { filter } = parseFilter(open.filter, tabFilterKeys, model.now);
    const shown =
      open.filter === ''
        ? items
        : items.filter((event) => filter?.({ type: event.type, step: event.step ?? null, text: eventText(event) }));
    const head = `   ${padStart('SEQ', 6)}  ${pad('TIME', 9)} ${padStart('STEP', 4)}  ${pad('TYPE', 20)} DATA`;
    return {
      head: [segment(head, 'dim'), ...(open.filter === '' ? [] : [segment(`   ${open.filter}`, 'attention')])],
      lines: shown.map(lineOf),
      ids: shown.map(({ seq }) => String(seq)),
      ...(open.filter === '' ? { offset: items[0]!.seq, total } : {}),
    };
  },
};

const lineOf = (event: RunEvent): Line => [
  segment(`${padStart(String(event.seq), 6)}  `, 'id'),
  segment(`${clockTime(event.timestamp_ms)}  `, 'dim'),
  segment(`${padStart(String(event.step ?? ''), 4)}  `, 'dim'),
  segment(`${pad(event.type, 20)} `, styleOfEvent(event.type)),
  segment(eventText(event)),
];
