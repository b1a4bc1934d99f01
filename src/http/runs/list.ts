/** `GET /v1/runs`: the runs that match all filters, with their exact number (spec; CONTRACT 1.12). */

import { z } from 'zod';
import { runCodes, runOrigins, runStatuses } from '../../actors/records.js';
import type { Handler } from '../context.js';
import type { Services } from '../services.js';
import { paging } from '../paging.js';
import { parseQuery, query } from '../query.js';

const bound = query.integer('Unix milliseconds, inclusive.');

export const runsQuery = z.object({
  thread_id: query.id(),
  parent_run_id: query.id(),
  agent_id: query.id(),
  resource_id: query.id(),
  status: query.word(runStatuses),
  origin: query.word(runOrigins),
  termination_code: query.word(runCodes),
  created_at_from: bound,
  created_at_to: bound,
  updated_at_from: bound,
  updated_at_to: bound,
  order: query.order(),
  ...paging,
});

/** `GET /v1/runs`. */
export function listRuns({ engine }: Services): Handler {
  return async function getRuns(ctx) {
    const asked = parseQuery(runsQuery, ctx);
    ctx.body = await engine(ctx.state.principal).list<'runs'>({ kind: 'runs', ...asked });
  };
}
