/** What a message of the protocol would have done, for the record of one that is refused (`audit/reading.ts`). */

import { AuditAction } from '../../../actors/audit/action.js';
import type { AuditTarget } from '../../../actors/inspection.js';
import { fieldsOf, type Reading } from '../../audit/reading.js';

const SEND = new Set<unknown>(['SendMessage', 'SendStreamingMessage', 'message/send', 'message/stream']);
const CANCEL = new Set<unknown>(['CancelTask', 'tasks/cancel']);

/** A message that names a task answers what the task asked for. */
export const sends: Reading = (body) => {
  const { taskId } = fieldsOf(fieldsOf(body).message);
  return typeof taskId === 'string' && taskId.trim() !== ''
    ? { action: AuditAction.decide, target: runOf(taskId) }
    : undefined;
};

/** A call as JSON-RPC. */
export const calls: Reading = (body) => {
  const { method, params } = fieldsOf(body);
  if (SEND.has(method)) return sends(params);
  return CANCEL.has(method) ? { action: AuditAction.cancel, target: runOf(fieldsOf(params).id) } : undefined;
};

const runOf = (id: unknown): AuditTarget => (typeof id === 'string' ? { run_id: id.trim().slice(0, 256) } : {});
