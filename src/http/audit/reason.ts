/** Why somebody does what he does: a header that every action takes, or a field of its body. */

import { badRequest } from '../../errors.js';
import { MAX_REASON, reasonText } from '../../actors/audit/action.js';
import type { Ctx } from '../context.js';
import { decisionsOf } from './reading.js';

export const REASON_HEADER = 'x-operator-reason';
export const REASON_MEANING = 'Why: percent-encoded UTF-8, at most 500 characters; kept in the audit record.';

/** The reason in the header (percent-encoded UTF-8). Throws `bad_request` when it cannot be read or is too long. */
export function reasonInHeader(ctx: Pick<Ctx, 'get'>): string | null {
  const text = ctx.get(REASON_HEADER);
  if (text === '') return null;
  let reason: string;
  try {
    reason = decodeURIComponent(text);
  } catch {
    throw badRequest(`${REASON_HEADER}: malformed percent-encoding`);
  }
  if (reason.length > MAX_REASON) throw badRequest(`${REASON_HEADER}: must be at most ${MAX_REASON} characters`);
  return reasonText(reason);
}

/** The reason in a body: its own field, or that of its first decision that has one. */
export function reasonInBody(body: unknown): string | null {
  const { reason } = (body ?? {}) as { reason?: unknown };
  const given = typeof reason === 'string' ? reason : decisionsOf(body).find((decision) => decision.reason)?.reason;
  return given === undefined ? null : reasonText(given);
}
