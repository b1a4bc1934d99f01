/**
 * The body of `POST /v1/runs/:id/inputs`: the fields and aliases of a start (spec; CONTRACT 1.12, 11), read as what it
 * wants of the run that the path names. Who is wrong in several ways is told the first in the order of CONTRACT 1.12, so
 * the reading comes in two halves, with the look for the run between them.
 */

import type { RunRecord, Decision } from '../../actors/records.js';
import { badRequest } from '../../errors.js';
import type { JsonObject } from '../../json.js';
import type { RequestIds } from '../idempotency.js';
import { readPayload, withAgent, type Payload, type StartPayload } from './start-payload.js';

export type Inputs =
  /** Answers for the run itself. */
  | { mode: 'decisions'; decided: { decisions: Decision[]; state?: JsonObject } }
  /** New input: a run that follows this one on its thread. */
  | { mode: 'continuation'; payload: Payload };

/** Throws `bad_request` for a malformed body, or one that brings nothing. */
export function readInputs(body: unknown, ids?: RequestIds): Inputs {
  const payload = readPayload(body, 'user', 'enqueue', ids);
  const { messages, decisions = [], state } = payload.start;
  if (messages.length > 0) return { mode: 'continuation', payload };
  if (decisions.length > 0) return { mode: 'decisions', decided: { decisions, ...(state ? { state } : {}) } };
  throw badRequest('messages and decisions cannot both be empty');
}

/** The continuation as a start. Its thread and its parent are the path's; a body may repeat the thread, not change it. */
export function continuationStart(payload: Payload, { run_id, thread_id }: RunRecord): StartPayload {
  const { start, on_disconnect, asked } = withAgent(payload);
  if (start.thread_id !== undefined && start.thread_id !== thread_id)
    throw badRequest(`threadId: run ${run_id} is on another thread`);
  return {
    start: { ...start, thread_id, parent_run_id: run_id },
    on_disconnect,
    asked: { ...asked, thread_id, inputs_of: run_id },
  };
}
