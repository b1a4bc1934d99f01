/** What commands that change something, follow something or describe something print. */

import { z } from 'zod';
import type * as wire from '../client/types.js';
import { pending, run } from './records.js';

const id = z.string();

export const runOutcome = run.and(
  z.object({ response: z.string().nullable(), pending: z.array(pending).describe('what the run waits for') }),
);

export const interrupted: z.ZodType<wire.InterruptResult> = z.object({
  status: z.string(),
  thread_id: id,
  generation: z.int(),
  cancelled_run_id: id.nullable(),
  superseded_pending_count: z.int(),
  superseded_pending_entry_ids: z.array(id),
});

export const runCancelled = z.object({ status: z.literal('cancel_requested'), run_id: id });
export const threadDeleted = z.object({ thread_id: id, deleted: z.literal(true) });
export const entryCancelled = z.object({ thread_id: id, entry_id: id });
export const contextRemoved = z.object({ name: z.string() });
export const backup: z.ZodType<wire.BackupReport> = z.object({
  dir: z.string(),
  rows: z.int(),
  bytes: z.int(),
  duration_ms: z.int(),
});

export const decision = z.object({
  run_id: id,
  thread_id: id,
  tool_call_id: id,
  decision_id: id,
  decision: z.enum(['approve', 'deny', 'answer']),
});

export const doctorReport = z.object({
  v: z.literal(1),
  ok: z.boolean(),
  checked: z.record(z.string(), z.int()),
  faults: z.array(z.object({ code: z.string(), where: z.string(), detail: z.string() })),
  more: z.int().describe('faults that are not listed'),
});

const transition = z.object({
  event: z.string(),
  target: z.array(z.string()).nullable(),
  guards: z.array(z.string()),
  actions: z.array(z.string()),
  internal: z.boolean(),
});

const state = z.object({
  id,
  initial: z.string().nullable(),
  type: z.enum(['atomic', 'compound', 'parallel', 'final', 'history']),
  get states() {
    return z.record(z.string(), state);
  },
  on: z.array(transition),
  always: z.array(transition),
  after: z.array(transition.extend({ delay: z.union([z.string(), z.number()]) })),
  invoke: z.array(z.object({ id, src: z.string() })),
  entry: z.array(z.string()),
  exit: z.array(z.string()),
  tags: z.array(z.string()),
  description: z.string().optional(),
});

const actor = z.looseObject({
  id,
  kind: z.enum(['thread', 'run', 'tool_call']),
  machine: z.string(),
  value: z.json().describe('the state, as XState writes it'),
  path: z.array(z.string()),
  since: z.int(),
  transitions: z.array(
    z.object({ at: z.int(), event: z.string(), from: z.array(z.string()), to: z.array(z.string()) }),
  ),
  late_outcomes: z
    .array(
      z.object({
        at: z.int(),
        tool_call_id: z.string(),
        name: z.string(),
        outcome: z.string(),
        result: z.json(),
        error: z.string().nullable(),
      }),
    )
    .optional()
    .describe('what tool calls came to after they had been closed, oldest first'),
});

export const machine = z.object({
  name: z.string(),
  version: z.union([z.string(), z.number()]),
  definition: state,
  actor: actor.nullable().describe('the live actor that was asked for'),
});
