/** `GET /v1/threads` and `GET /v1/threads/summaries` (CONTRACT 2.1, 2.2). */

import type { ThreadFilter } from '../../actors/engine.js';
import { threadStatuses } from '../../actors/records.js';
import type { Ctx, Handler, Services } from '../context.js';
import { orderOf, pagingOf } from '../paging.js';
import { queryEnum, queryId } from '../validation.js';
import { toProjection } from './records.js';

export function listThreads({ engine }: Services): Handler {
  return async function getThreads(ctx) {
    const query = { kind: 'threads', ...filterOf(ctx), order: orderOf(ctx), ...pagingOf(ctx) } as const;
    const page = await engine().list<'threads'>(query);
    ctx.body = { ...page, items: page.items.map(toProjection) };
  };
}

/** The last changed first, whatever the order asked for; threads of sub-agents only when their parent is named. */
export function listSummaries({ engine }: Services): Handler {
  return async function getSummaries(ctx) {
    orderOf(ctx);
    const filter = filterOf(ctx);
    const parent_thread_id = filter.parent_thread_id ?? null;
    ctx.body = await engine().list<'summaries'>({ kind: 'summaries', ...filter, parent_thread_id, ...pagingOf(ctx) });
  };
}

function filterOf({ query }: Ctx): ThreadFilter {
  return {
    parent_thread_id: queryId('parent_thread_id', query.parent_thread_id),
    resource_id: queryId('resource_id', query.resource_id),
    status: queryEnum('status', query.status, threadStatuses),
  };
}
