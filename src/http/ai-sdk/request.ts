/**
 * The request of a chat client, read (spec, "UI request"; protocols 7.1, 7.2). Pure.
 *
 * A client sends its whole history with every request; the thread has it already. So only the end of `messages` is news:
 * the user messages it ends with, or the answers in the assistant message it ends with, unless `messageId` names an
 * earlier one: then that has been answered. Whether a message is known to the thread, or an answer still wanted, is not
 * decided here.
 */

import { z } from 'zod';
import type { StartMessage } from '../../actors/records.js';
import type { OnBusy, OnDisconnect } from '../../agents/types.js';
import { AgentServerError, badRequest, ErrorCode } from '../../errors.js';
import { newId } from '../../new-id.js';
import { onBusy, onDisconnect } from '../start-fields.js';
import { idFault, optionalId, parseBody } from '../validation.js';
import { answersIn, type Answers, type DecisionIds, type Part, type Reading } from './decisions.js';
import { fileAsText } from './files.js';

export type ChatRequest = {
  thread_id: string;
  run_id?: string;
  parent_thread_id?: string;
  on_busy?: OnBusy;
  on_disconnect?: OnDisconnect;
  news: News;
};

export type News =
  /** At least one message, in order. `message_id`: the stored message that the last one takes the place of. */
  | { is: 'input'; messages: StartMessage[]; message_id?: string }
  /**
   * `run_id`: the run that the client believes to have asked. `past`: the conversation has gone on behind its question;
   * `behind`: with these words, if they are the last ones.
   */
  | ({ is: 'decisions'; run_id?: string; past: boolean; behind: StartMessage[] } & Answers)
  | { is: 'regenerate'; message_id: string };

const messageSchema = z.looseObject({
  id: optionalId,
  role: z.enum(['system', 'user', 'assistant']),
  content: z.string().nullish(),
  parts: z.array(z.looseObject({ type: z.string() })).nullish(),
});
type ChatMessage = z.output<typeof messageSchema>;

export const chatRequestSchema = z.object({
  id: z.string().trim(),
  messages: z.array(messageSchema),
  runId: optionalId,
  parentThreadId: optionalId,
  trigger: z.enum(['submit-message', 'regenerate-message']).nullish(),
  messageId: z.string().trim().nullish(),
  on_busy: onBusy,
  onBusy,
  on_disconnect: onDisconnect,
  onDisconnect,
});

/**
 * Reads a request. Throws `bad_request` with the texts of the interface. `now`: unix milliseconds. `decisionId` names the
 * decisions that do not name themselves.
 */
export function readChatRequest(body: unknown, now = Date.now(), decisionId: DecisionIds = newId): ChatRequest {
  refuseLegacy(body);
  const p = parseBody(chatRequestSchema, body);
  const fault = idFault(p.id);
  if (fault) throw badRequest(`id: ${fault}`);
  const on_busy = p.on_busy ?? p.onBusy;
  const on_disconnect = p.on_disconnect ?? p.onDisconnect;
  const reading = { now, decisionId };
  return {
    thread_id: p.id,
    ...(p.runId === undefined ? {} : { run_id: p.runId }),
    ...(p.parentThreadId === undefined ? {} : { parent_thread_id: p.parentThreadId }),
    ...(on_busy ? { on_busy } : {}),
    ...(on_disconnect ? { on_disconnect } : {}),
    news: p.trigger === 'regenerate-message' ? regeneration(p.messageId) : newsIn(p.messages, p.messageId, reading),
  };
}

/** What only an older or an unready client sends is told apart before anything else is looked at. */
function refuseLegacy(body: unknown): void {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return;
  const { id, messages, sessionId, input } = body as Record<string, unknown>;
  if (messages === undefined && (sessionId !== undefined || input !== undefined)) {
    throw badRequest('the legacy shape sessionId/input is no longer supported; use id/messages');
  }
  // Sent bare, as the interface shows it.
  if (id === undefined || id === null || (typeof id === 'string' && id.trim() === '')) {
    throw new AgentServerError(ErrorCode.badRequest, 'id cannot be empty');
  }
}

function regeneration(message_id: string | null | undefined): News {
  if (message_id === undefined || message_id === null) {
    throw badRequest('messageId is required when trigger is regenerate-message');
  }
  if (message_id === '') throw badRequest('messageId cannot be empty');
  return { is: 'regenerate', message_id };
}

function newsIn(messages: ChatMessage[], message_id: string | null | undefined, reading: Reading): News {
  const last = messages.at(-1);
  const named = message_id ? messages.find(({ id }) => id === message_id) : undefined;
  const asked = [named, last].find((message) => message?.role === 'assistant');
  if (asked) {
    const answers = answersIn(asked.parts ?? [], asked.id, reading);
    const run_id = (asked.metadata as { runId?: unknown } | null | undefined)?.runId;
    if (answers.decisions.length > 0) {
      const behind = last?.role === 'user' ? userMessages(messages) : [];
      const named_run = typeof run_id === 'string' ? { run_id } : {};
      return { is: 'decisions', past: asked !== last, behind, ...answers, ...named_run };
    }
  }
  if (last?.role === 'user') {
    const input = userMessages(messages);
    if (input.length > 0) return { is: 'input', messages: input, ...(message_id ? { message_id } : {}) };
  }
  throw badRequest('request must include user input or suspension decisions');
}

/**
 * The user messages at the end: the last one, and those in front of it that never got an answer, which the thread may not
 * have either. Of these, one without an id (nobody can tell whether the thread has it) and one that cannot be read (it
 * was refused when it was the last) are left out.
 */
function userMessages(messages: ChatMessage[]): StartMessage[] {
  const first = messages.findLastIndex(({ role }) => role !== 'user') + 1;
  const at = messages.length - 1;
  const last = userMessage(messages[at]!, `messages[${at}]`);
  if (!last) return [];
  const earlier = messages.slice(first, at).flatMap((message) => {
    try {
      return message.id === undefined ? [] : (userMessage(message, '') ?? []);
    } catch {
      return [];
    }
  });
  return [...earlier, last];
}

/** Text parts are one text, as clients show them; files stand behind it. Undefined when there is nothing to say. */
function userMessage({ id, content, parts }: ChatMessage, path: string): StartMessage | undefined {
  const said = textOf(content, parts ?? [], path);
  return said.trim() === '' ? undefined : { role: 'user', content: said, ...(id === undefined ? {} : { id }) };
}

function textOf(content: string | null | undefined, parts: Part[], path: string): string {
  if (parts.length === 0) return content ?? '';
  const text = parts.map((part) => (part.type === 'text' && typeof part.text === 'string' ? part.text : '')).join('');
  const files = parts.flatMap((part, i) => (part.type === 'file' ? [fileAsText(part, `${path}.parts[${i}]`)] : []));
  return [...(text === '' ? [] : [text]), ...files].join('\n\n');
}
