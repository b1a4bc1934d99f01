/** `GET /v1/approvals`: every tool call that waits for a decision, the longest waiting first (CONTRACT 9.1). */

import { z } from 'zod';
import { redact } from '../../redact.js';
import type { Approval } from '../../actors/engine.js';
import { anyJson, anyObject, pageOf, time } from '../answers.js';
import type { Handler } from '../context.js';
import type { Services } from '../services.js';
import { pagingQuery } from '../paging.js';
import { parseQuery } from '../query.js';

const text = z.string();

const approval = z
  .object({
    thread_id: text,
    run_id: text,
    agent_id: text,
    tool_call_id: text,
    name: text,
    arguments: anyJson,
    suspension: z.object({
      id: text,
      kind: z.enum(['approval', 'frontend', 'input', 'in_doubt']),
      message: text,
      response_schema: anyObject.optional(),
    }),
    since: time,
  })
  .meta({ id: 'Approval' }) satisfies z.ZodType<Approval>;

export const approvalPage = pageOf(approval);

export function listApprovals({ engine }: Services): Handler {
  return async function getApprovals(ctx) {
    const cut = parseQuery(pagingQuery, ctx);
    const page = await engine(ctx.state.principal).list<'approvals'>({ kind: 'approvals', ...cut });
    ctx.body = { ...page, items: page.items.map((call) => ({ ...call, arguments: redact(call.arguments) })) };
  };
}
