/**
 * The records the tool prints, as schemas. Each is checked against the wire type it stands for, so the two cannot part.
 * Fields may be added to a record; programs must not mind.
 */

import { z } from 'zod';
import type * as wire from '../client/types.js';
import type { NamedContext } from '../views/contexts.js';

const time = z.int().describe('unix milliseconds');
const id = z.string();
const json = z.json();
const object = z.record(z.string(), z.json());

export const run: z.ZodType<wire.RunRecord> = z.object({
  run_id: id,
  thread_id: id,
  agent_id: id,
  parent_run_id: id.nullable(),
  parent_thread_id: id.nullable(),
  origin: z.string(),
  status: z.enum(['running', 'waiting', 'done']),
  termination_code: z.string().nullable(),
  termination_detail: z.string().nullable(),
  created_at: time,
  updated_at: time,
  metadata: object.nullable(),
  input_tokens: z.int(),
  output_tokens: z.int(),
  source_mailbox_entry_id: id.nullable(),
  resource_id: id.nullable(),
});

const threadFields = {
  id,
  resource_id: id.nullable(),
  parent_thread_id: id.nullable(),
  status: z.enum(['idle', 'running', 'waiting']),
  active_run_id: id.nullable(),
  generation: z.int(),
  message_count: z.int(),
  queued_count: z.int(),
  title: z.string().nullable(),
  metadata: object,
  created_at: time,
  updated_at: time,
};
export const thread: z.ZodType<wire.Thread> = z.object(threadFields);

export const message: z.ZodType<wire.Message> = z.object({
  cursor: z.int(),
  id,
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.string(),
  tool_calls: z.array(z.object({ id, name: z.string(), arguments: json })).optional(),
  tool_call_id: id.optional(),
  visibility: z.literal('internal').optional(),
  run_id: id.nullable(),
  step: z.int().nullable(),
  created_at: time,
});

export const threadDetail: z.ZodType<wire.ThreadDetail> = z.object({
  ...threadFields,
  messages: z.array(message),
  state: object,
});

export const mailboxEntry: z.ZodType<wire.MailboxEntry> = z.object({
  entry_id: id,
  thread_id: id,
  mailbox_id: id,
  run_id: id,
  agent_id: id,
  origin: z.string(),
  sender_id: id.nullable(),
  priority: z.int(),
  dedupe_key: z.string().nullable(),
  generation: z.int(),
  status: z.enum(['queued', 'claimed', 'accepted', 'superseded', 'cancelled', 'dead_letter']),
  available_at: time,
  attempt_count: z.int(),
  last_error: z.string().nullable(),
  payload: z.object({ messages: z.array(z.object({ role: z.string(), content: z.string() })) }),
  created_at: time,
  updated_at: time,
});

const suspensionKind = z.enum(['approval', 'frontend', 'input', 'in_doubt']);
const asked = { id, kind: suspensionKind, message: z.string(), response_schema: object.optional() };

export const approval: z.ZodType<wire.Approval> = z.object({
  thread_id: id,
  run_id: id,
  agent_id: id,
  tool_call_id: id,
  name: z.string(),
  arguments: json,
  suspension: z.object(asked),
  since: time,
});

export const pending: z.ZodType<wire.Suspension> = z.object({ ...asked, tool_call_id: id, name: z.string() });

export const agent: z.ZodType<wire.Agent> = z.object({
  id,
  name: z.string(),
  description: z.string(),
  model: z.string(),
  tools: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      parameters: object,
      effect: z.string(),
      frontend: z.boolean(),
    }),
  ),
  delegates: z.array(id),
  tool_execution_mode: z.string(),
  max_rounds: z.int(),
});

export const runEvent: z.ZodType<wire.RunEvent> = z.object({
  type: z.string(),
  run_id: id,
  thread_id: id,
  seq: z.int().describe('dense from 0 per run'),
  timestamp_ms: time,
  step: z.int().optional(),
  data: object,
});

export const auditRecord: z.ZodType<wire.AuditRecord> = z.object({
  n: z.int(),
  at: time,
  principal: z.string().nullable(),
  action: z.string(),
  target: object,
  reason: z.string().nullable(),
  status: z.int().nullable().describe('HTTP status of the answer; null: the server stopped before there was one'),
  request_id: z.string().nullable(),
});

export const context: z.ZodType<NamedContext> = z.object({
  name: z.string(),
  url: z.string(),
  has_token: z.boolean(),
  current: z.boolean(),
});
