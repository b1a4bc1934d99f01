/**
 * `GET /v1/ag-ui/threads/:id/messages`: a page of a thread's history as AG-UI messages, under the ids with which they
 * were streamed (CONTRACT-PROTOCOLS 6.6; the query is that of CONTRACT 3.2).
 */

import { badRequest, threadNotFound } from '../../errors.js';
import type { MessageRange } from '../../actors/engine.js';
import type { Ctx, Handler, Services } from '../context.js';
import { pathId, queryEnum, queryInteger, queryLimit, type QueryValue } from '../validation.js';
import type { AgUiMessage } from './events.js';
import { toAgUiMessage } from './messages.js';
import { threadIdOf } from './path.js';

export type HistoryPage = {
  messages: AgUiMessage[];
  has_more: boolean;
  next_cursor: number | null;
  prev_cursor: number | null;
};

export function threadHistory({ engine: open }: Services): Handler {
  return async function getAgUiMessages(ctx) {
    const engine = open();
    const thread_id = threadIdOf(ctx);
    const { limit, ...range } = readQuery(ctx);
    // One more than the page takes says whether there are more.
    const found = await engine.read({ kind: 'messages', thread_id, ...range, limit: limit + 1 });
    if (!found) throw threadNotFound(thread_id);
    const page = found.slice(0, limit);
    ctx.body = {
      messages: page.map(toAgUiMessage),
      has_more: found.length > limit,
      next_cursor: page.at(-1)?.cursor ?? null,
      prev_cursor: page.at(0)?.cursor ?? null,
    } satisfies HistoryPage;
  };
}

/** What `visibility` shows: `all` is everything that is meant for people, `none` filters nothing (CONTRACT 3.2). */
const shown = { all: { visibility: 'public' }, internal: { visibility: 'internal' }, none: {} } as const;

function readQuery({ query }: Ctx): MessageRange & { limit: number } {
  const after = queryInteger('after', query.after);
  const before = queryInteger('before', query.before);
  const run_id = runIdIn(query.run_id);
  return {
    ...(after === undefined ? {} : { after }),
    ...(before === undefined ? {} : { before }),
    ...(run_id === undefined ? {} : { run_id }),
    ...shown[queryEnum('visibility', query.visibility, ['all', 'internal', 'none']) ?? 'all'],
    order: queryEnum('order', query.order, ['asc', 'desc']) ?? 'asc',
    limit: queryLimit(query.limit),
  };
}

function runIdIn(value: QueryValue): string | undefined {
  if (Array.isArray(value)) throw badRequest('run_id: given more than once');
  return value === undefined || value.trim() === '' ? undefined : pathId('run_id', encodeURIComponent(value));
}
