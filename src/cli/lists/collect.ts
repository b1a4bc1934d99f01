/** The records a filter means, up to a number of them. */

import type { Query } from '../client/index.js';
import type { Filter } from '../filter/filter.js';
import type { Found } from '../output/print.js';
import { PAGE, type Pages } from './pages.js';

/**
 * @param limit at most so many; `Infinity` for all.
 * @param query what is asked of the server besides the filter.
 */
export async function collect<T>(
  pages: Pages<T>,
  filter: Filter<T>,
  { limit, query = {} }: { limit: number; query?: Query },
): Promise<Found<T>> {
  const items: T[] = [];
  let count: number | null = null;
  // What the server cannot tell apart is looked through in the largest pages there are.
  const size = filter.exact ? Math.min(limit, PAGE) : PAGE;
  for await (const page of pages({ ...query, ...filter.query }, size)) {
    count = page.total;
    for (const item of page.items) {
      if (!filter.matches(item)) continue;
      if (items.length === limit) return { items, total: filter.exact ? count : null, has_more: true };
      items.push(item);
    }
    if (filter.exact && count !== null && items.length === limit) break;
  }
  const total = filter.exact && count !== null ? count : items.length;
  return { items, total, has_more: total > items.length };
}
