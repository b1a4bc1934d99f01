/** Messages of a start request as rows of the thread. */

import { newId } from '../../new-id.js';
import { AgentServerError, badRequest, ErrorCode } from '../../errors.js';
import type { StartRequest } from '../engine.js';
import type { MessageRef, QueuedEntry } from '../thread/cells.js';
import type { Draft } from '../thread/draft.js';
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

/**
 * The messages whose id the thread does not have, each id once; one that was just cut away is news (CONTRACT 1.11).
 * `recent`: the messages that came behind those their start was compared with.
 */
export function unknownOf(
  messages: readonly StartMessage[],
  draft: Draft,
  recent: readonly MessageRef[],
): readonly StartMessage[] {
  if (!areNamed(messages)) return messages;
  const known = draft.messageIds(recent);
  return messages.filter(({ id }) => {
    const isNew = id === undefined || !known.has(id);
    if (id !== undefined) known.add(id);
    return isNew;
  });
}

/** Whether any of them can be known. */
export const areNamed = (messages: readonly StartMessage[]): boolean => messages.some(({ id }) => id !== undefined);

/** The thread has got messages since it was read: it has to be read again. Nothing was changed. */
export class Overtaken extends AgentServerError {
  constructor() {
    super(ErrorCode.internal, 'the thread has got messages meanwhile');
  }

  /** @param seen cursor up to which the thread was read; undefined when it was not. */
  static check(draft: Draft, seen: number | undefined): void {
    if (seen !== undefined && seen !== (draft.get('thread')?.next_cursor ?? 0)) throw new Overtaken();
  }
}

/** Does something with what a thread has, and again for as long as the thread was quicker. */
export async function caughtUp<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error;
    }
  }
}

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
  const last = kept.at(-1);
  // Also when nothing stands behind it yet: what the run that is being replaced has said will, when it ends.
  return rewind ? { start: next, cut: { from: last ? last.cursor + 1 : 0, keeps: kept.length } } : { start: next };
}

function cutIndex({ message_id, keep }: NonNullable<StartRequest['rewind']>, history: readonly Message[]): number {
  const at = history.findIndex((message) => message.id === message_id);
  if (at < 0) throw badRequest('messageId does not reference a stored message');
  return keep ? at + 1 : at;
}
