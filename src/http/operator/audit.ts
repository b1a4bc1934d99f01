/** `GET /v1/audit`: who did what, the newest first (CONTRACT 9). */

import { z } from 'zod';
import { pageOf, time } from '../answers.js';
import { auditActions } from '../../actors/audit/action.js';
import type { Handler } from '../context.js';
import type { Services } from '../services.js';
import { paging } from '../paging.js';
import { parseQuery, query } from '../query.js';

const text = z.string();

const auditRecord = z
  .object({
    n: z.int().describe('rises with time'),
    at: time,
    principal: text,
    action: z.enum(auditActions),
    target: z.object({
      thread_id: text.optional(),
      run_id: text.optional(),
      entry_id: text.optional(),
      tool_call_ids: z.array(text).optional(),
    }),
    reason: text.nullable(),
    status: z.int().nullable().describe('HTTP status of the answer; null: the server stopped before there was one'),
    request_id: text,
  })
  .meta({ id: 'AuditRecord' });

export const auditPage = pageOf(auditRecord);
export const auditQuery = z.object({ action: query.word(auditActions), principal: query.id(), ...paging });

export function listAudit({ engine }: Services): Handler {
  return async function getAudit(ctx) {
    const { action, principal, offset, limit } = parseQuery(auditQuery, ctx);
    const filter = { ...(action ? { action } : {}), ...(principal === undefined ? {} : { principal }) };
    ctx.body = await engine(ctx.state.principal).inspect().audit(filter, { offset, limit });
  };
}
