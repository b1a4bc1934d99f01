/** `GET /v1/approvals`: every tool call that waits for a decision, the longest waiting first (CONTRACT 9.1). */

import type { Handler, Services } from '../context.js';
import { pagingOf } from '../paging.js';

export function listApprovals({ engine }: Services): Handler {
  return async function getApprovals(ctx) {
    ctx.body = await engine().list<'approvals'>({ kind: 'approvals', ...pagingOf(ctx) });
  };
}
