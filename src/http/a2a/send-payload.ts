/**
 * The body of `message:send` (spec, A2A): what it brings, before anything is looked up. Every field is optional, ids have
 * two spellings, texts are trimmed and count as absent when blank.
 */

import { z } from 'zod';
import type { StartMessage } from '../../actors/records.js';
import { badRequest } from '../../errors.js';
import { decisionSchema } from '../runs/start-payload.js';
import { optionalId, parseBody } from '../validation.js';

export const sendSchema = z.object({
  contextId: optionalId,
  context_id: optionalId,
  taskId: optionalId,
  task_id: optionalId,
  input: z.string().nullish(),
  message: z.object({ role: z.enum(['user', 'assistant', 'system']).nullish(), content: z.string() }).nullish(),
  decisions: z.array(decisionSchema).nullish(),
});

export type Sent = {
  context_id: string | undefined;
  task_id: string | undefined;
  /** `input`, then `message`. */
  messages: StartMessage[];
  decisions: z.output<typeof decisionSchema>[];
};

/** Throws `bad_request` for a malformed body, or one that brings nothing. */
export function readSent(body: unknown): Sent {
  const given = parseBody(sendSchema, body);
  const sent: Sent = {
    context_id: given.contextId ?? given.context_id,
    task_id: given.taskId ?? given.task_id,
    messages: [...said('user', given.input), ...said(given.message?.role ?? 'user', given.message?.content)],
    decisions: given.decisions ?? [],
  };
  const { context_id, task_id, messages, decisions } = sent;
  if (context_id === undefined && task_id === undefined && messages.length === 0 && decisions.length === 0)
    throw badRequest('payload must contain at least one of input, message, decisions, contextId, taskId');
  return sent;
}

function said(role: StartMessage['role'], text: string | null | undefined): StartMessage[] {
  const content = text?.trim();
  return content ? [{ role, content }] : [];
}
