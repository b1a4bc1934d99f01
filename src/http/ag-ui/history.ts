/**
 * `GET /v1/ag-ui/threads/:id/messages`: a page of a thread's history as AG-UI messages, under the ids with which they
 * were streamed (CONTRACT-PROTOCOLS 6.6; the query is that of CONTRACT 3.2).
 */

import { threadNotFound } from '../../errors.js';
import type { Handler } from '../context.js';
import type { Services } from '../services.js';
import { messagesQuery } from '../messages-query.js';
import { parseQuery } from '../query.js';
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
    const engine = open(ctx.state.principal);
    const thread_id = threadIdOf(ctx);
    const { limit, ...range } = parseQuery(messagesQuery, ctx);
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
