/**
 * `GET /v1/threads/:id/messages`: a thread's messages by cursor (CONTRACT 3.1, 3.2).
 *
 * `next_cursor` is that of the page's last message, `prev_cursor` that of its first: going on in either direction is
 * `after` or `before` one of them, as the order has it. Both are null on an empty page.
 */

import { threadNotFound } from '../../errors.js';
import type { Handler } from '../context.js';
import type { Services } from '../services.js';
import { messagesQuery } from '../messages-query.js';
import { parseQuery } from '../query.js';
import { threadIdOf } from './path.js';
import { toMessageRecord } from './records.js';

export function getMessages({ engine }: Services): Handler {
  return async function getThreadMessages(ctx) {
    const thread_id = threadIdOf(ctx);
    const { limit, ...range } = parseQuery(messagesQuery, ctx);
    const reader = engine(ctx.state.principal);
    const found = await reader.read({ kind: 'messages', thread_id, ...range, limit: limit + 1 });
    if (!found) throw threadNotFound(thread_id);
    const page = found.slice(0, limit);
    ctx.body = {
      messages: page.map(toMessageRecord),
      has_more: found.length > limit,
      next_cursor: page.at(-1)?.cursor ?? null,
      prev_cursor: page[0]?.cursor ?? null,
    };
  };
}
