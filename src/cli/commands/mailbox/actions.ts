/** `mailbox …`: what waits for its turn, and what may be done to it. `-o name` of the list is what the others take. */

import type { MailboxEntry } from '../../client/index.js';
import type { ListOptions } from '../../define.js';
import { offsetPages } from '../../lists/pages.js';
import { showMatching } from '../../lists/show.js';
import { printOutcome } from '../../output/print.js';
import type { CommonOptions, Session } from '../../session/session.js';
import { mailbox } from '../../views/mailbox.js';

/** Entries of the server itself (sub-agents) are entries too. */
const EVERY_ORIGIN = { origin: 'none' };

export async function list(session: Session, options: ListOptions & { thread?: string }): Promise<void> {
  const { thread } = options;
  const path = thread === undefined ? '/v1/mailbox' : `/v1/threads/${encodeURIComponent(thread)}/mailbox`;
  const pages = offsetPages<MailboxEntry>(await session.client(), path);
  await showMatching(session, mailbox, pages, options, thread === undefined ? {} : EVERY_ORIGIN);
}

export async function cancel(session: Session, options: CommonOptions, thread: string, entry: string): Promise<void> {
  const client = await session.client();
  await session.confirm(`cancels the queued entry ${entry} of thread ${thread} and the run it would start`);
  await client.cancelEntry(thread, entry, options);
  const item = { thread_id: thread, entry_id: entry };
  const sentence = `entry ${entry} is cancelled`;
  await printOutcome(session, { kind: 'EntryCancelled', item, names: [thread, entry], sentence });
}

export async function retry(session: Session, options: CommonOptions, thread: string, entry: string): Promise<void> {
  const client = await session.client();
  const item = await client.retryEntry(thread, entry, options);
  const sentence = `entry ${entry} is tried again as ${item.entry_id}, run ${item.run_id}`;
  await printOutcome(session, { kind: mailbox.kind, item, names: mailbox.name(item), sentence });
}

export async function priority(
  session: Session,
  options: CommonOptions,
  thread: string,
  entry: string,
  value: number,
): Promise<void> {
  const client = await session.client();
  const item = await client.setPriority(thread, entry, value, options);
  const sentence = `entry ${entry} has priority ${item.priority}`;
  await printOutcome(session, { kind: mailbox.kind, item, names: [thread, entry], sentence });
}
