/** A list or one record as its command shows it: once, or with `--watch` whenever it changes. */

import type { Query } from '../client/index.js';
import { limitOf, type ListOptions } from '../define.js';
import { compileFilter } from '../filter/filter.js';
import type { Found } from '../output/print.js';
import { printItem, printList, printRecords } from '../output/print.js';
import { toDetails } from '../output/details.js';
import { toTable } from '../output/table.js';
import type { Session } from '../session/session.js';
import type { View } from '../views/view.js';
import { collect } from './collect.js';
import type { Pages } from './pages.js';
import { again, assertWatchable, Changes, redraw, type WatchOptions } from './watch.js';

const tableOf = <T>({ out, io }: Session, view: View<T>, items: readonly T[]) =>
  toTable(items, view.columns, { now: io.now(), wide: out.format === 'wide' });

export async function showList<T>(
  session: Session,
  view: View<T>,
  { watch, interval }: WatchOptions,
  find: () => Promise<Found<T>>,
): Promise<void> {
  if (!watch) return printList(session, view, await find());
  assertWatchable(session);
  const { out } = session;
  const changes = new Changes<T>((item) => view.name(item).join('\t'));
  await again(session, interval, async () => {
    const { items } = await find();
    if (out.isForPeople && out.canRedraw) return redraw(session, tableOf(session, view, items));
    const news = changes.of(items);
    if (!out.isForPeople) return printRecords(session, view, news);
    if (news.length > 0) await out.lines(tableOf(session, view, news));
  });
}

/** What the filter of the command means, of a list. */
export function showMatching<T>(
  session: Session,
  view: View<T>,
  pages: Pages<T>,
  options: ListOptions,
  query: Query = {},
): Promise<void> {
  return showList(session, view, options, () => {
    // Ages count from now, each time.
    const filter = compileFilter(options.filter ?? [], view.keys, session.io.now());
    return collect(pages, filter, { limit: limitOf(options), query });
  });
}

export async function showItem<T extends object>(
  session: Session,
  view: View<T>,
  { watch, interval }: WatchOptions,
  find: () => Promise<T>,
): Promise<void> {
  if (!watch) return printItem(session, view, await find());
  assertWatchable(session);
  const { out } = session;
  const changes = new Changes<T>((item) => view.name(item).join('\t'));
  await again(session, interval, async () => {
    const item = await find();
    if (out.isForPeople && out.canRedraw) return redraw(session, toDetails(item, session.io.now()));
    for (const news of changes.of([item])) await printItem(session, view, news);
  });
}
