/** `GET /v1/runs`: the runs that match all filters, with their exact number (spec; CONTRACT 1.12). */

import type { RunFilter } from '../../actors/engine.js';
import { runCodes, runOrigins, runStatuses } from '../../actors/records.js';
import type { Ctx, Handler, Services } from '../context.js';
import { orderOf, pagingOf } from '../paging.js';
import { queryEnum, queryId, queryInteger } from '../validation.js';

export function listRuns({ engine }: Services): Handler {
  return async function getRuns(ctx) {
    const query = { kind: 'runs', ...filterOf(ctx), order: orderOf(ctx), ...pagingOf(ctx) } as const;
    ctx.body = await engine().list<'runs'>(query);
  };
}

function filterOf({ query }: Ctx): RunFilter {
  return {
    thread_id: queryId('thread_id', query.thread_id),
    parent_run_id: queryId('parent_run_id', query.parent_run_id),
    agent_id: queryId('agent_id', query.agent_id),
    resource_id: queryId('resource_id', query.resource_id),
    status: queryEnum('status', query.status, runStatuses),
    origin: queryEnum('origin', query.origin, runOrigins),
    termination_code: queryEnum('termination_code', query.termination_code, runCodes),
    created_at_from: queryInteger('created_at_from', query.created_at_from),
    created_at_to: queryInteger('created_at_to', query.created_at_to),
    updated_at_from: queryInteger('updated_at_from', query.updated_at_from),
    updated_at_to: queryInteger('updated_at_to', query.updated_at_to),
  };
}
