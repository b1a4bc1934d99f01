/** What clients get of threads, messages and mailbox entries (CONTRACT 2 to 4). */

import { z } from 'zod';
import type { ThreadSummary } from '../../actors/engine.js';
import { entryOrigins, entryStatuses, threadStatuses } from '../../actors/records.js';
import { anyJson, anyObject, messagePageOf, pageOf, time } from '../answers.js';
import type { EntryRecord, MessageRecord, ThreadProjection } from './records.js';

const text = z.string();
const count = z.int().min(0);

const thread = z.object({
  id: text,
  resource_id: text.nullable(),
  parent_thread_id: text.nullable(),
  status: z.enum(threadStatuses),
  active_run_id: text.nullable(),
  generation: count,
  message_count: count,
  queued_count: count,
  title: text.nullable(),
  metadata: anyObject,
  created_at: time,
  updated_at: time,
}) satisfies z.ZodType<ThreadProjection>;

export const threadRecord = thread.meta({ id: 'Thread' });
export const threadPage = pageOf(threadRecord);

const role = z.enum(['system', 'user', 'assistant', 'tool']);

export const summaryPage = pageOf(
  z
    .object({
      id: text,
      title: text.nullable(),
      message_count: count,
      last_message: z.object({ role, content: text }).nullable(),
      updated_at: time,
      created_at: time,
    })
    .meta({ id: 'ThreadSummary' }) satisfies z.ZodType<ThreadSummary>,
);

const messageRecord = z
  .object({
    cursor: count,
    id: text,
    role,
    content: text,
    tool_calls: z.array(z.object({ id: text, name: text, arguments: anyJson })).optional(),
    tool_call_id: text.optional(),
    visibility: z.literal('internal').optional(),
    run_id: text.nullable(),
    step: count.nullable(),
    created_at: time,
  })
  .meta({ id: 'Message' }) satisfies z.ZodType<MessageRecord>;

export const messagePage = messagePageOf(messageRecord);
export const threadDetail = thread
  .extend({ messages: z.array(messageRecord), state: anyObject })
  .meta({ id: 'ThreadDetail' });

export const entryRecord = z
  .object({
    entry_id: text,
    thread_id: text,
    mailbox_id: text,
    run_id: text,
    agent_id: text,
    origin: z.enum(entryOrigins),
    sender_id: text.nullable(),
    priority: z.int().min(0).max(255),
    dedupe_key: text.nullable(),
    generation: count,
    status: z.enum(entryStatuses),
    available_at: time,
    attempt_count: count,
    last_error: text.nullable(),
    payload: z.object({
      messages: z.array(
        z.object({
          role: z.enum(['user', 'system', 'assistant']),
          content: text,
          id: text.optional(),
          visibility: z.literal('internal').optional(),
        }),
      ),
      state: anyObject.optional(),
    }),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'MailboxEntry' }) satisfies z.ZodType<EntryRecord>;

export const entryPage = pageOf(entryRecord);

/** Interrupt result (spec). */
export const interruptResult = z.object({
  status: z.literal('interrupt_requested'),
  thread_id: text,
  generation: count,
  cancelled_run_id: text.nullable(),
  superseded_pending_count: count,
  superseded_pending_entry_ids: z.array(text),
});
