/**
 * Lists of the server that may be longer than anybody reads: one page at a time, the one the cursor is on, and the exact
 * number of all. A filter of such a list is the server's, so it knows what the server knows.
 */

import type { Page } from '../../client/index.js';
import { source, type Model, type ScreenName, type Source } from '../model/model.js';
import { emptyListing, type Listing } from './screen.js';

/** As much as the server gives at once. */
export const PAGE = 200;

const EVERY_MS = 2_000;

/** The page the cursor of that screen is on. */
export function pageOf<T>(
  model: Model,
  screen: ScreenName,
  path: string,
  query: Readonly<Record<string, string>> = {},
): Source<Page<T> & { offset: number }> {
  const offset = Math.floor(model.view.lists[screen].cursor.index / PAGE) * PAGE;
  const key = `${path}?${new URLSearchParams({ ...query, offset: String(offset) }).toString()}`;
  const load = async (client: Parameters<Source<unknown>['want']['load']>[0]) => ({
    ...(await client.page<T>(path, { ...query, offset, limit: PAGE })),
    offset,
  });
  return source(key, load, EVERY_MS);
}

export function pageListing<T>(
  page: (Page<T> & { offset: number }) | undefined,
  idOf: (item: T) => string,
  keep: (item: T) => boolean = () => true,
): Listing {
  if (!page) return emptyListing;
  const ids = page.items.filter(keep).map(idOf);
  return ids.length === page.items.length
    ? { ids, offset: page.offset, total: page.total }
    : { ids, offset: 0, total: ids.length };
}

/** `status=idle resource=x` as a query; undefined when there is a word the server does not know. */
export function queryOf(filter: string, names: Readonly<Record<string, string>>): Record<string, string> | undefined {
  const query: Record<string, string> = {};
  for (const word of filter.trim().split(/\s+/).filter(Boolean)) {
    const [, key, value] = /^([a-z_]+)=(.+)$/.exec(word) ?? [];
    const name = key === undefined ? undefined : names[key];
    if (name === undefined || value === undefined) return undefined;
    query[name] = value;
  }
  return query;
}
