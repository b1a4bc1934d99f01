/** Messages of a start request as rows of the thread. */

import { newId } from '../../new-id.js';
import { badRequest } from '../../errors.js';
import type { StartRequest } from '../engine.js';
import type { Draft, QueuedEntry } from '../host/draft.js';
import type { Message, StartMessage } from '../records.js';

export const startMessage = (
  { id, role, content, visibility }: StartMessage,
  run_id: string,
): Omit<Message, 'cursor' | 'created_at'> => ({
  id: id ?? newId(),
  role,
  content,
  ...(visibility ? { visibility } : {}),
  run_id,
  step: null,
});

/** The thread has a message of that id: it is no news (CONTRACT 1.11). */
export const isKnown = ({ id }: StartMessage, draft: Draft, history: readonly Message[] | null): boolean =>
  id !== undefined &&
  (draft.messages.some((message) => message.id === id) || (history?.some((message) => message.id === id) ?? false));

/**
 * What of a start is new to a thread with these messages: those it knows are left out, and the place where the start cuts
 * the thread is found. Throws `bad_request` when it is to be cut at a message that is not there.
 */
export function newsOf(
  start: StartRequest,
  history: readonly Message[],
): { start: StartRequest; cut?: QueuedEntry['cut'] } {
  const { rewind } = start;
  const kept = rewind ? history.slice(0, cutIndex(rewind, history)) : history;
  const known = new Set(kept.map((message) => message.id));
  const messages = start.messages.filter(({ id }) => id === undefined || !known.has(id));
  const next = { ...start, messages };
  const first = history[kept.length];
  if (!first) return { start: next };
  return { start: next, cut: { from: first.cursor, keeps: kept.length } };
}

function cutIndex({ message_id, keep }: NonNullable<StartRequest['rewind']>, history: readonly Message[]): number {
  const at = history.findIndex((message) => message.id === message_id);
  if (at < 0) throw badRequest('messageId does not reference a stored message');
  return keep ? at + 1 : at;
}
