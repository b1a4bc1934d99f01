/**
 * `GET /v1/threads/:id/messages`: a thread's messages by cursor (CONTRACT 3.1, 3.2).
 *
 * `next_cursor` is that of the page's last message, `prev_cursor` that of its first: going on in either direction is
 * `after` or `before` one of them, as the order has it. Both are null on an empty page.
 */

import { threadNotFound } from '../../errors.js';
import type { MessageRange } from '../../actors/engine.js';
import type { Ctx, Handler, Services } from '../context.js';
import { orderOf } from '../paging.js';
import { queryId, queryInteger, queryLimit } from '../validation.js';
import { visibilityOf } from '../visibility.js';
import { threadIdOf } from './path.js';
import { toMessageRecord } from './records.js';

export function getMessages({ engine }: Services): Handler {
  return async function getThreadMessages(ctx) {
    const thread_id = threadIdOf(ctx);
    const range = rangeOf(ctx);
    const limit = queryLimit(ctx.query.limit);
    const found = await engine().read({ kind: 'messages', thread_id, ...range, limit: limit + 1 });
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

const rangeOf = (ctx: Ctx): MessageRange => ({
  after: queryInteger('after', ctx.query.after),
  before: queryInteger('before', ctx.query.before),
  order: orderOf(ctx),
  run_id: queryId('run_id', ctx.query.run_id),
  visibility: visibilityOf(ctx.query.visibility),
});
