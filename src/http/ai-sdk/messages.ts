/** Finding messages of a thread by id, from the newest back: what a chat client names is nearly always near the end. */

import type { Engine } from '../../actors/engine.js';
import type { Message } from '../../actors/records.js';

const PAGE = 200;

/** All messages of a thread, newest first, read in pages. Nothing when there is no such thread. */
export async function* newestFirst(engine: Engine, thread_id: string, page = PAGE): AsyncGenerator<Message> {
  let range: { before?: number } = {};
  for (;;) {
    const messages = await engine.read({ kind: 'messages', thread_id, order: 'desc', limit: page, ...range });
    if (!messages) return;
    yield* messages;
    if (messages.length < page) return;
    range = { before: messages.at(-1)!.cursor };
  }
}

/** @param among how many messages to look at; all when absent. */
export async function findMessage(
  engine: Engine,
  thread_id: string,
  id: string,
  among = Infinity,
): Promise<Message | undefined> {
  let seen = 0;
  for await (const message of newestFirst(engine, thread_id, Math.min(PAGE, among))) {
    if (message.id === id) return message;
    if (++seen >= among) return undefined;
  }
  return undefined;
}
