/**
 * The start payload of `POST /v1/runs` (spec, "Start payload") and its reading as a `StartRequest`.
 *
 * Every field has aliases; when several are given, the first listed that is not blank or null counts, so a client may
 * send two spellings of one thing. Null is absent everywhere. Unknown fields are ignored (CONTRACT 0.3).
 */

import { z } from 'zod';
import type { StartRequest } from '../../actors/engine.js';
import type { OnBusy, OnDisconnect } from '../../agents/types.js';
import type { Decision, RunOrigin } from '../../actors/records.js';
import type { JsonObject, JsonValue } from '../../json.js';
import { badRequest } from '../../errors.js';
import { newId } from '../../new-id.js';
import type { RequestIds } from '../idempotency.js';
import { onBusy, onDisconnect } from '../start-fields.js';
import { jsonObject, optionalId, parseBody, requiredId } from '../validation.js';

/** ToolCallDecision. A decision without an id of its own cannot be recognised when it is repeated. */
export const decisionSchema = z.object({
  target_id: requiredId,
  decision_id: optionalId,
  action: z.enum(['resume', 'cancel']),
  result: z.unknown().optional(),
  reason: z.string().nullish(),
  updated_at: z.int().nullish(),
});

export const messageSchema = z.object({
  role: z.enum(['user', 'system', 'assistant']),
  content: z.string(),
  id: optionalId,
});

const decisions = z.array(decisionSchema).nullish();

export const startSchema = z.object({
  agentId: optionalId,
  agent_id: optionalId,
  threadId: optionalId,
  thread_id: optionalId,
  contextId: optionalId,
  context_id: optionalId,
  runId: optionalId,
  run_id: optionalId,
  taskId: optionalId,
  task_id: optionalId,
  parentRunId: optionalId,
  parent_run_id: optionalId,
  parentThreadId: optionalId,
  parent_thread_id: optionalId,
  parentContextId: optionalId,
  parent_context_id: optionalId,
  resourceId: optionalId,
  resource_id: optionalId,
  state: jsonObject.nullish(),
  metadata: jsonObject.nullish(),
  messages: z.array(messageSchema).nullish(),
  initialDecisions: decisions,
  initial_decisions: decisions,
  decisions,
  on_busy: onBusy,
  onBusy,
  on_disconnect: onDisconnect,
  onDisconnect,
});

/** What a body says, before it is known to name its agent. */
export type Payload = {
  agent_id: string | undefined;
  start: Omit<StartRequest, 'agent_id'>;
  /** Undefined: as the agent's definition says (CONTRACT 1.8). */
  on_disconnect: OnDisconnect | undefined;
  /** What the client asked for, before anything was filled in: equal for a repetition of the same request. */
  asked: JsonObject;
};

export type StartPayload = Pick<Payload, 'on_disconnect' | 'asked'> & { start: StartRequest };

/** Reads a start. `ids` names what the client left unnamed; without them the engine does. */
export function readStart(body: unknown, origin: RunOrigin, defaultOnBusy: OnBusy, ids?: RequestIds): StartPayload {
  return withAgent(readPayload(body, origin, defaultOnBusy, ids));
}

/** "Empty" and "missing" are the same 400. */
export function withAgent({ agent_id, start, on_disconnect, asked }: Payload): StartPayload {
  if (agent_id === undefined) throw badRequest('agentId: cannot be empty');
  return { start: { agent_id, ...start }, on_disconnect, asked };
}

/** Reads a start that may leave out its agent. */
export function readPayload(body: unknown, origin: RunOrigin, defaultOnBusy: OnBusy, ids?: RequestIds): Payload {
  const p = parseBody(startSchema, body);
  const agent_id = p.agentId ?? p.agent_id;
  const messages = (p.messages ?? []).map(({ role, content, id }) => ({ role, content, ...present({ id }) }));
  const given = p.initialDecisions ?? p.initial_decisions ?? p.decisions ?? [];
  const on_disconnect = p.on_disconnect ?? p.onDisconnect ?? undefined;
  const on_busy = p.on_busy ?? p.onBusy ?? undefined;
  const run_id = p.runId ?? p.run_id ?? p.taskId ?? p.task_id;
  const rest = present({
    thread_id: p.threadId ?? p.thread_id ?? p.contextId ?? p.context_id,
    parent_run_id: p.parentRunId ?? p.parent_run_id,
    parent_thread_id: p.parentThreadId ?? p.parent_thread_id ?? p.parentContextId ?? p.parent_context_id,
    resource_id: p.resourceId ?? p.resource_id,
    state: (p.state ?? undefined) as JsonObject | undefined,
    metadata: (p.metadata ?? undefined) as JsonObject | undefined,
  });
  // Answers that come too late must not end the run that somebody else has answered meanwhile.
  const byDefault = given.length > 0 && messages.length === 0 ? 'reject' : { default: defaultOnBusy };
  const start: Payload['start'] = {
    origin,
    on_busy: on_busy ?? byDefault,
    messages,
    ...rest,
    ...present({ run_id: run_id ?? ids?.run_id }),
    ...(given.length > 0 ? { decisions: readDecisions(given, ids) } : {}),
  };
  const asked = {
    ...present({ agent_id, run_id, on_busy, on_disconnect }),
    origin,
    messages,
    decisions: given,
    ...rest,
  };
  return { agent_id, start, on_disconnect, asked: asked as JsonObject };
}

/** Decisions with what the client left out filled in. */
export function readDecisions(given: z.output<typeof decisionSchema>[], ids?: RequestIds): Decision[] {
  return given.map(({ target_id, decision_id, action, result, reason, updated_at }) => ({
    target_id,
    decision_id: decision_id ?? ids?.decision_id(target_id) ?? newId(),
    action,
    result: (result ?? null) as JsonValue,
    ...(reason ? { reason } : {}),
    updated_at: updated_at ?? Date.now(),
  }));
}

/** The fields that are there. */
function present<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
