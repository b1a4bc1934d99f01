/** What is recorded when somebody does it, or is refused it (CONTRACT 9; docs/api.md "Audit"). Pure. */

import { redactText } from '../../redact.js';
import type { Command } from '../engine.js';
import type { AuditTarget } from '../inspection.js';
import type { Decision } from '../records.js';

/** The kinds of action that leave a record, by the names that clients filter by. */
export const AuditAction = {
  cancel: 'cancel',
  interrupt: 'interrupt',
  /** Decisions on tool calls, however they come. */
  decide: 'decide',
  metadata: 'metadata',
  fork: 'fork',
  delete: 'delete',
  mailboxCancel: 'mailbox_cancel',
  mailboxEdit: 'mailbox_edit',
  mailboxRetry: 'mailbox_retry',
  pushRetry: 'push_retry',
  backup: 'backup',
} as const;
export type AuditAction = (typeof AuditAction)[keyof typeof AuditAction];
export const auditActions = Object.values(AuditAction);

/** Calls named in one record, and characters of a reason. */
const MAX_CALLS = 100;
export const MAX_REASON = 500;

/** What a command does, as far as the command itself tells. */
export type Deed = { action: AuditAction; target: AuditTarget; reason: string | null };

/** What a command is in the record. Undefined for the daily work of clients: starts without decisions, receivers of news. */
export function deedOf(command: Command): Deed | undefined {
  switch (command.type) {
    case 'start':
      return command.start.decisions?.length ? decided(command.start.decisions, {}) : undefined;
    case 'decide':
      return decided(command.decisions, { run_id: command.run_id });
    case 'cancel':
      return deed(AuditAction.cancel, { run_id: command.run_id });
    case 'interrupt':
      return deed(AuditAction.interrupt, { thread_id: command.thread_id });
    case 'edit_metadata':
      return deed(AuditAction.metadata, { thread_id: command.thread_id });
    case 'fork_thread':
      return deed(AuditAction.fork, { thread_id: command.thread_id });
    case 'delete_thread':
      return deed(AuditAction.delete, { thread_id: command.thread_id });
    case 'cancel_entry':
      return deed(AuditAction.mailboxCancel, entryIn(command));
    case 'edit_entry':
      return deed(AuditAction.mailboxEdit, entryIn(command));
    case 'retry_entry':
      return deed(AuditAction.mailboxRetry, entryIn(command));
    case 'retry_push':
      return deed(AuditAction.pushRetry, {});
    case 'set_push':
    case 'delete_push':
      return undefined;
  }
}

/** The calls that a record names. */
export const callsIn = (ids: readonly string[]): AuditTarget =>
  ids.length > 0 ? { tool_call_ids: ids.slice(0, MAX_CALLS) } : {};

/** A reason as it is kept: without secrets, cut where it is too long; null when nothing is left. */
export const reasonText = (text: string): string | null => redactText(text.trim()).slice(0, MAX_REASON) || null;

function decided(decisions: readonly Decision[], target: AuditTarget): Deed {
  const calls = callsIn(decisions.map(({ target_id }) => target_id));
  const given = decisions.find(({ reason }) => reason)?.reason;
  return { action: AuditAction.decide, target: { ...target, ...calls }, reason: given ? reasonText(given) : null };
}

const deed = (action: AuditAction, target: AuditTarget): Deed => ({ action, target, reason: null });

const entryIn = ({ thread_id, entry_id }: { thread_id: string; entry_id: string }): AuditTarget => ({
  thread_id,
  entry_id,
});
