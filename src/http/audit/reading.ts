/** What a request would have done, read from its body as far as it can be: for those that are refused before it is known. */

import { AuditAction, callsIn, type Deed } from '../../actors/audit/action.js';

/** Undefined: nothing for the record. The body is whatever was sent. */
export type Reading = (body: unknown) => Pick<Deed, 'action' | 'target'> | undefined;

/** A route that does one thing. */
export const does =
  (action: AuditAction): Reading =>
  () => ({ action, target: {} });

/** A route whose requests are for the record when they decide something. */
export const decides: Reading = (body) => naming(decisionsOf(body).map(({ target_id }) => target_id));

/** Decisions on these calls, or on their suspensions; whatever is no id is passed over. */
export function naming(ids: readonly unknown[]): ReturnType<Reading> {
  const calls = new Set(
    ids.flatMap((id) => (typeof id === 'string' ? id.trim().replace(/^fc_/, '').slice(0, 256) : [])),
  );
  calls.delete('');
  return calls.size > 0 ? { action: AuditAction.decide, target: callsIn([...calls]) } : undefined;
}

const FIELDS = ['initialDecisions', 'initial_decisions', 'decisions'];

/** The decisions that a body carries. */
export function decisionsOf(body: unknown): { target_id: string; reason?: string }[] {
  const fields = fieldsOf(body);
  const given = FIELDS.map((name) => fields[name]).find(Array.isArray);
  return listIn(given).flatMap(({ target_id, targetId, toolCallId, reason }) => {
    const id = [target_id, targetId, toolCallId].find((name) => typeof name === 'string');
    return id === undefined ? [] : [{ target_id: id, ...(typeof reason === 'string' ? { reason } : {}) }];
  });
}

/** The fields of what may be an object, and the objects of what may be a list of them. */
export const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
export const listIn = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? (value as unknown[]).map(fieldsOf) : [];
