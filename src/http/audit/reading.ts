/** What a request would have done, read from its body as far as it can be: for those that are refused before it is known. */

import { AuditAction, callsIn, type Deed } from '../../actors/audit/action.js';

/** Undefined: nothing for the record. The body is whatever was sent. */
export type Reading = (body: unknown) => Pick<Deed, 'action' | 'target'> | undefined;

/** A route that does one thing. */
export const does =
  (action: AuditAction): Reading =>
  () => ({ action, target: {} });

/** A route whose requests are for the record when they decide something. */
export const decides: Reading = (body) => {
  const calls = decisionsOf(body).map(({ target_id }) => target_id);
  return calls.length > 0 ? { action: AuditAction.decide, target: callsIn(calls) } : undefined;
};

const FIELDS = ['initialDecisions', 'initial_decisions', 'decisions'];

/** The decisions that a body carries. */
export function decisionsOf(body: unknown): { target_id: string; reason?: string }[] {
  const fields = (body ?? {}) as Record<string, unknown>;
  const given = FIELDS.map((name) => fields[name]).find(Array.isArray) as unknown[] | undefined;
  return (given ?? []).flatMap((decision) => {
    const { target_id, targetId, toolCallId, reason } = (decision ?? {}) as Record<string, unknown>;
    const id = [target_id, targetId, toolCallId].find((name) => typeof name === 'string');
    return id === undefined ? [] : [{ target_id: id, ...(typeof reason === 'string' ? { reason } : {}) }];
  });
}
