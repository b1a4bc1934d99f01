/**
 * `GET /v1/ag-ui/threads/:id/messages`: a page of a thread's history as AG-UI messages, under the ids with which they
 * were streamed (CONTRACT-PROTOCOLS 6.6; the query is that of CONTRACT 3.2).
 */

import { threadNotFound } from '../../errors.js';
import type { Engine, MessageRange } from '../../actors/engine.js';
import type { Message } from '../../actors/records.js';
import type { Ctx, Handler, Services } from '../context.js';
import { pathId, queryEnum, queryInteger, queryLimit, type QueryValue } from '../validation.js';
import { badRequest } from '../../errors.js';
import type { AgUiMessage } from './events.js';
import { toAgUiMessage } from './messages.js';
import { threadIdOf } from './path.js';

/** Messages read at once while a filter leaves most of them out. */
const SCAN = 200;

export type HistoryPage = {
  messages: AgUiMessage[];
  has_more: boolean;
  next_cursor: number | null;
  prev_cursor: number | null;
};

export function threadHistory({ engine: open }: Services): Handler {
  return async function getAgUiMessages(ctx) {
    const engine = open();
    const query = readQuery(ctx);
    const found = await messagesOf(engine, threadIdOf(ctx), query);
    const has_more = found.length > query.limit;
    const page = found.slice(0, query.limit);
    ctx.body = {
      messages: page.map(toAgUiMessage),
      has_more,
      next_cursor: page.at(-1)?.cursor ?? null,
      prev_cursor: page.at(0)?.cursor ?? null,
    } satisfies HistoryPage;
  };
}

type Query = MessageRange & { order: 'asc' | 'desc'; limit: number; shows: (message: Message) => boolean };

function readQuery({ query }: Ctx): Query {
  const after = queryInteger('after', query.after);
  const before = queryInteger('before', query.before);
  const visibility = queryEnum('visibility', query.visibility, ['all', 'internal', 'none']) ?? 'all';
  const run_id = runIdIn(query.run_id);
  return {
    ...(after === undefined ? {} : { after }),
    ...(before === undefined ? {} : { before }),
    order: queryEnum('order', query.order, ['asc', 'desc']) ?? 'asc',
    limit: queryLimit(query.limit),
    shows: (message) =>
      (visibility === 'none' || (message.visibility === 'internal') === (visibility === 'internal')) &&
      (run_id === undefined || message.run_id === run_id),
  };
}

function runIdIn(value: QueryValue): string | undefined {
  if (Array.isArray(value)) throw badRequest('run_id: given more than once');
  return value === undefined || value.trim() === '' ? undefined : pathId('run_id', encodeURIComponent(value));
}

/** One more message than the page takes, if there are so many. Throws `thread_not_found`. */
async function messagesOf(engine: Engine, thread_id: string, { shows, limit, ...range }: Query): Promise<Message[]> {
  const found: Message[] = [];
  const step = range.order === 'asc' ? 'after' : 'before';
  for (let wanted = limit + 1; ; wanted = SCAN) {
    const stored = await engine.read({ kind: 'messages', thread_id, ...range, limit: wanted });
    if (!stored) throw threadNotFound(thread_id);
    found.push(...stored.filter(shows));
    if (stored.length < wanted || found.length > limit) return found;
    range = { ...range, [step]: stored.at(-1)!.cursor };
  }
}
