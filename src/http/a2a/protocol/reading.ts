/** What a message of the protocol would have done, for the record of one that is refused (`audit/reading.ts`). */

import { AuditAction } from '../../../actors/audit/action.js';
import type { AuditTarget } from '../../../actors/inspection.js';
import type { Reading } from '../../audit/reading.js';

const SEND = new Set<unknown>(['SendMessage', 'SendStreamingMessage', 'message/send', 'message/stream']);
const CANCEL = new Set<unknown>(['CancelTask', 'tasks/cancel']);

/** A message that names a task answers what the task asked for. */
export const sends: Reading = (body) => {
  const { taskId } = objectOf(objectOf(body).message);
  return typeof taskId === 'string' && taskId.trim() !== ''
    ? { action: AuditAction.decide, target: runOf(taskId) }
    : undefined;
};

/** A call as JSON-RPC. */
export const calls: Reading = (body) => {
  const { method, params } = objectOf(body);
  if (SEND.has(method)) return sends(params);
  return CANCEL.has(method) ? { action: AuditAction.cancel, target: runOf(objectOf(params).id) } : undefined;
};

const runOf = (id: unknown): AuditTarget => (typeof id === 'string' ? { run_id: id.trim().slice(0, 256) } : {});

const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
