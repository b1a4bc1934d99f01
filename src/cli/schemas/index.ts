/**
 * Every kind of JSON the commands print, by the `kind` of its envelope.
 *
 * `-o json` prints the envelope; `-o jsonl` the bare records inside it. The schemas are published as JSON Schema:
 * `agent-server schema <kind>`, and `docs/schemas`.
 */

import { z } from 'zod';
import { VERSION } from '../output/envelope.js';
import * as outcomes from './outcomes.js';
import * as records from './records.js';

/** Kinds of one record. Those that come in lists have a kind `<kind>List` too. */
const items = {
  Agent: records.agent,
  Backup: outcomes.backup,
  Context: records.context,
  ContextRemoved: outcomes.contextRemoved,
  Decision: outcomes.decision,
  DoctorReport: outcomes.doctorReport,
  EntryCancelled: outcomes.entryCancelled,
  Machine: outcomes.machine,
  MailboxEntry: records.mailboxEntry,
  Run: records.run,
  RunOutcome: outcomes.runOutcome,
  Thread: records.thread,
  ThreadDetail: records.threadDetail,
} as const;

const lists = {
  Agent: records.agent,
  Approval: records.approval,
  AuditRecord: records.auditRecord,
  Context: records.context,
  Interrupted: outcomes.interrupted,
  MailboxEntry: records.mailboxEntry,
  Message: records.message,
  Run: records.run,
  RunCancelled: outcomes.runCancelled,
  RunEvent: records.runEvent,
  Thread: records.thread,
  ThreadDeleted: outcomes.threadDeleted,
} as const;

const v = z.literal(VERSION);

/** Schemas of whole documents, by kind. */
const schemas: Readonly<Record<string, z.ZodType>> = Object.fromEntries<z.ZodType>([
  ...Object.entries(items).map(([kind, item]) => [kind, z.object({ v, kind: z.literal(kind), item })] as const),
  ...Object.entries(lists).map(([kind, item]) => [`${kind}List`, listOf(kind, item)] as const),
]);

/** Schemas of the records that `-o jsonl` prints. */
export const recordSchemas: Readonly<Record<string, z.ZodType>> = { ...lists, ...items };

function listOf(kind: string, item: z.ZodType): z.ZodType {
  return z.object({
    v,
    kind: z.literal(`${kind}List`),
    items: z.array(item),
    total: z.int().nullable().describe('all that match; null when they were not all looked at'),
    has_more: z.boolean(),
  });
}

/** The published form. Fields that are not named are allowed: records may get more. */
export const jsonSchemas = (): Record<string, object> =>
  Object.fromEntries(
    Object.entries(schemas).map(([kind, schema]) => [kind, z.toJSONSchema(schema, { io: 'input', reused: 'inline' })]),
  );
