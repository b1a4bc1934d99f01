/** `threads list|get|messages|mailbox`. */

import type { MailboxEntry, Message, Thread, ThreadDetail } from '../../client/index.js';
import { limitOf, type ListOptions } from '../../define.js';
import { compileFilter } from '../../filter/filter.js';
import { collect } from '../../lists/collect.js';
import { messagePages, offsetPages } from '../../lists/pages.js';
import { showItem, showList, showMatching } from '../../lists/show.js';
import type { WatchOptions } from '../../lists/watch.js';
import type { Session } from '../../session/session.js';
import { mailbox as mailboxView } from '../../views/mailbox.js';
import { messages as messagesView } from '../../views/messages.js';
import { threads as threadsView } from '../../views/threads.js';

type Order = { order: 'asc' | 'desc' };
export type MessageOptions = ListOptions & Order & { after?: number; before?: number; visibility: string };

export async function list(session: Session, options: ListOptions & Order): Promise<void> {
  const pages = offsetPages<Thread>(await session.client(), '/v1/threads');
  await showMatching(session, threadsView, pages, options, { order: options.order });
}

export async function get(session: Session, options: WatchOptions, id: string): Promise<void> {
  const client = await session.client();
  await showItem<ThreadDetail>(session, { ...threadsView, kind: 'ThreadDetail' }, options, () => client.thread(id));
}

/** The newest ones are found from the end backwards, and shown in the order in which they were said. */
export async function messages(session: Session, options: MessageOptions, thread: string): Promise<void> {
  const { after, before, order, visibility } = options;
  const client = await session.client();
  const backwards = after === undefined;
  await showList(session, messagesView, options, async () => {
    const filter = compileFilter(options.filter ?? [], messagesView.keys, session.io.now());
    const query = { after, before, visibility, order: backwards ? 'desc' : 'asc' };
    const found = await collect<Message>(messagePages(client, thread), filter, { limit: limitOf(options), query });
    return backwards === (order === 'desc') ? found : { ...found, items: [...found.items].reverse() };
  });
}

export async function mailbox(session: Session, options: ListOptions, thread: string): Promise<void> {
  const path = `/v1/threads/${encodeURIComponent(thread)}/mailbox`;
  const pages = offsetPages<MailboxEntry>(await session.client(), path);
  await showMatching(session, mailboxView, pages, options, { origin: 'none' });
}
