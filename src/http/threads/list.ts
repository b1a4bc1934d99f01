/** `GET /v1/threads` and `GET /v1/threads/summaries` (CONTRACT 2.1, 2.2). */

import { z } from 'zod';
import { threadStatuses } from '../../actors/records.js';
import type { Handler } from '../context.js';
import type { Services } from '../services.js';
import { paging } from '../paging.js';
import { parseQuery, query } from '../query.js';
import { toProjection } from './records.js';

export const threadsQuery = z.object({
  parent_thread_id: query.id(),
  resource_id: query.id(),
  status: query.word(threadStatuses),
  order: query.order(),
  ...paging,
});

export function listThreads({ engine }: Services): Handler {
  return async function getThreads(ctx) {
    const asked = parseQuery(threadsQuery, ctx);
    const page = await engine(ctx.state.principal).list<'threads'>({ kind: 'threads', ...asked });
    ctx.body = { ...page, items: page.items.map(toProjection) };
  };
}

/** The last changed first, whatever the order asked for; threads of sub-agents only when their parent is named. */
export function listSummaries({ engine }: Services): Handler {
  return async function getSummaries(ctx) {
    const { order: _, parent_thread_id = null, ...asked } = parseQuery(threadsQuery, ctx);
    const listed = engine(ctx.state.principal).list<'summaries'>({ kind: 'summaries', parent_thread_id, ...asked });
    ctx.body = await listed;
  };
}
