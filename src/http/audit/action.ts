/** What is recorded when somebody does it, or is refused it (CONTRACT 9; docs/api.md "Audit"). */

export const AuditAction = {
  cancel: 'cancel',
  interrupt: 'interrupt',
  /** Decisions on tool calls: inputs and starts that carry some. */
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
