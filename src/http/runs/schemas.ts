/** What clients get of runs: records, canonical events and what the commands answer (CONTRACT 1.2, 1.5, 1.7). */

import { z } from 'zod';
import {
  terminationCodes,
  type CanonicalEvent,
  type EventData,
  type EventType,
  type Suspension,
} from '../../actors/events.js';
import { runCodes, runOrigins, runStatuses, type RunRecord } from '../../actors/records.js';
import { anyJson, anyObject, pageOf, time } from '../answers.js';

const text = z.string();
const count = z.int().min(0);

const record = z.object({
  run_id: text,
  thread_id: text,
  agent_id: text,
  parent_run_id: text.nullable(),
  parent_thread_id: text.nullable(),
  origin: z.enum(runOrigins),
  status: z.enum(runStatuses),
  termination_code: z.enum(runCodes).nullable(),
  termination_detail: text.nullable(),
  created_at: time,
  updated_at: time,
  metadata: anyObject.nullable(),
  input_tokens: count,
  output_tokens: count,
  source_mailbox_entry_id: text.nullable(),
  resource_id: text.nullable(),
}) satisfies z.ZodType<RunRecord>;

export const runRecord = record.meta({ id: 'RunRecord' });
export const runPage = pageOf(runRecord);

const kind = z.enum(['approval', 'frontend', 'input', 'in_doubt']);
const question = { id: text, kind, message: text, response_schema: anyObject.optional() };

const suspension = z
  .object({ ...question, tool_call_id: text, name: text })
  .meta({ id: 'Suspension' }) satisfies z.ZodType<Suspension>;

/** A run that was waited for (CONTRACT 1.7, `accept: application/json`). */
export const runOutcome = record
  .extend({ response: text.nullable(), pending: z.array(suspension) })
  .meta({ id: 'RunOutcome' });

const usage = z.looseObject({ input_tokens: count, output_tokens: count, total_tokens: count });

const done = { id: text, name: text, message_id: text };

/** `data` of each type of event (CONTRACT 1.5). */
const data = {
  run_start: z.object({
    agent_id: text,
    parent_run_id: text.nullable(),
    parent_thread_id: text.nullable(),
    origin: text,
  }),
  step_start: z.object({ message_id: text }),
  step_end: z.object({ finish_reason: z.enum(['stop', 'length', 'content-filter', 'tool-calls', 'error', 'other']) }),
  text_delta: z.object({ delta: text }),
  reasoning_delta: z.object({ delta: text }),
  tool_call_start: z.object({ id: text, name: text }),
  tool_call_delta: z.object({ id: text, args_delta: text }),
  tool_call_ready: z.object({ id: text, name: text, arguments: anyJson }),
  inference_complete: z.object({ model: text, usage, duration_ms: z.number().min(0) }),
  inference_retry: z.object({ attempt: count, reason: text, messages_upto: count }),
  tool_call_suspended: z.object({ id: text, name: text, arguments: anyJson, suspension: z.object(question) }),
  tool_call_resumed: z.object({
    target_id: text,
    decision_id: text,
    action: z.enum(['resume', 'cancel']),
    result: anyJson,
    reason: text.optional(),
  }),
  tool_call_done: z.discriminatedUnion('outcome', [
    z.object({ ...done, outcome: z.literal('succeeded'), result: anyJson }),
    z.object({ ...done, outcome: z.enum(['failed', 'denied', 'cancelled']), error: text }),
  ]),
  activity_snapshot: z.object({ message_id: text, activity_type: text, content: anyObject, replace: z.boolean() }),
  activity_delta: z.object({ message_id: text, activity_type: text, patch: anyJson }),
  state_snapshot: z.object({ snapshot: anyJson }),
  state_delta: z.object({ delta: anyJson }),
  messages_snapshot: z.object({ messages: anyJson }),
  run_waiting: z.object({ pending: z.array(suspension) }),
  run_resumed: z.object({ decisions: z.array(text) }),
  error: z.object({ message: text, code: text }),
  run_finish: z.object({
    termination: z.object({ code: z.enum(terminationCodes), detail: text.nullable() }),
    result: z.object({ response: text }).nullable(),
    usage,
  }),
} satisfies { [T in EventType]: z.ZodType<EventData[T]> };

const eventOf = (type: EventType) =>
  z.object({
    type: z.literal(type),
    run_id: text,
    thread_id: text,
    seq: count,
    timestamp_ms: time,
    step: count.optional(),
    data: data[type],
  });

/** One event of a run's log. */
export const canonicalEvent = z
  .union((Object.keys(data) as EventType[]).map(eventOf))
  .meta({ id: 'CanonicalEvent' }) as unknown as z.ZodType<CanonicalEvent>;

export const eventPage = z.object({
  items: z.array(canonicalEvent),
  has_more: z.boolean(),
  next_after: z.int().nullable(),
});

export const cancelRequested = z.object({ status: z.literal('cancel_requested'), run_id: text });

/** The two modes of `/inputs` (spec). */
export const inputsAccepted = z.union([
  z.object({ status: z.literal('decision_forwarded'), run_id: text, thread_id: text }),
  z.object({ status: z.literal('continuation_started'), parent_run_id: text, thread_id: text, run_id: text }),
]);
