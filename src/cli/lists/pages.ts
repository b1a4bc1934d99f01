/** Lists of the server, page by page, whatever they page by. Pages are asked for when they are looked at. */

import type { Client, Message, Query, RunEvent } from '../client/index.js';

/** `total`: all that match the query; null when the server does not count. */
export type ListPage<T> = { items: readonly T[]; total: number | null };
export type Pages<T> = (query: Query, size: number) => AsyncGenerator<ListPage<T>>;

/** The most the server gives at once (CONTRACT 0.3). */
export const PAGE = 200;

/** CONTRACT 0.5. */
export const offsetPages = <T>(client: Client, path: string): Pages<T> =>
  async function* (query, size) {
    for (let offset = 0; ;) {
      const { items, total, has_more } = await client.page<T>(path, { ...query, offset, limit: size });
      yield { items, total };
      offset += items.length;
      if (!has_more || items.length === 0) return;
    }
  };

/** A thread's messages in the order of the query (CONTRACT 3.2). */
export const messagePages = (client: Client, thread: string): Pages<Message> =>
  async function* (query, size) {
    const bound = query.order === 'desc' ? 'before' : 'after';
    for (let from = query[bound]; ;) {
      const { messages, has_more } = await client.messages(thread, { ...query, [bound]: from, limit: size });
      yield { items: messages, total: null };
      const last = messages.at(-1);
      if (!has_more || !last) return;
      from = last.cursor;
    }
  };

/** A run's stored events from `query.after` on (CONTRACT 1.7). */
export const eventPages = (client: Client, run: string): Pages<RunEvent> =>
  async function* (query, size) {
    for (let after = query.after; ;) {
      const { items, has_more, next_after } = await client.events(run, { ...query, after, limit: size });
      yield { items, total: null };
      if (!has_more || next_after === null) return;
      after = next_after;
    }
  };
