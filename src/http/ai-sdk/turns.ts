/**
 * A thread's public messages in turns, read page by page: a turn is never split, it is where it begins. Those hidden from
 * people (`visibility: "internal"`) are left out.
 */

import type { Engine } from '../../actors/engine.js';
import type { Message } from '../../actors/records.js';
import { threadNotFound } from '../../errors.js';
import { isContinuation, type Turn } from './ui-messages.js';

export type TurnRange = { after?: number; before?: number; order: 'asc' | 'desc' };

const PAGE = 200;

/** In the order of the range; the messages of a turn always in that of the thread. Throws `thread_not_found`. */
export async function* turnsOf(engine: Engine, thread_id: string, range: TurnRange): AsyncGenerator<Turn> {
  yield* range.order === 'asc' ? forwards(rows(engine, thread_id, range)) : backwards(rows(engine, thread_id, range));
}

async function* rows(engine: Engine, thread_id: string, { order, ...bounds }: TurnRange): AsyncGenerator<Message> {
  for (;;) {
    const page = await engine.read({ kind: 'messages', thread_id, order, limit: PAGE, ...bounds });
    if (!page) throw threadNotFound(thread_id);
    yield* page.filter((message) => message.visibility !== 'internal');
    if (page.length < PAGE) return;
    bounds = { ...bounds, [order === 'asc' ? 'after' : 'before']: page.at(-1)!.cursor };
  }
}

async function* forwards(messages: AsyncIterable<Message>): AsyncGenerator<Turn> {
  let turn: Message[] = [];
  for await (const message of messages) {
    if (!isContinuation(message)) {
      if (turn.length > 0) yield turn;
      turn = [message];
    } else if (turn.length > 0) turn.push(message);
    // else: the rest of a turn that began in front of the range
  }
  if (turn.length > 0) yield turn;
}

async function* backwards(messages: AsyncIterable<Message>): AsyncGenerator<Turn> {
  let behind: Message[] = [];
  for await (const message of messages) {
    behind.unshift(message);
    if (isContinuation(message)) continue;
    yield behind;
    behind = [];
  }
}
