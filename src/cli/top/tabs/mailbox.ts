/** 2 Mailbox: what waits for its turn on the thread, and what became of the rest. */

import type { MailboxEntry } from '../../client/index.js';
import { pad, padStart, segment, span, type Line } from '../../rail/index.js';
import { inline, shortId } from '../format.js';
import { source, type Model } from '../model/model.js';
import { styleOf } from '../screens/states.js';
import { saying, waitingFor, type Tab } from './tab.js';

const mailboxOf = ({ fleet }: Model, thread_id: string) =>
  source(
    `mailbox ${thread_id}`,
    (client) =>
      client.page<MailboxEntry>(`/v1/threads/${encodeURIComponent(thread_id)}/mailbox`, { origin: 'none', limit: 200 }),
    2_000,
    String(fleet.queuedOf(thread_id)),
  );

/** An entry of the mailbox that is open. */
export const entryOf = (model: Model, thread_id: string, entry_id: string): MailboxEntry | undefined =>
  mailboxOf(model, thread_id)
    .read(model)
    ?.items.find((entry) => entry.entry_id === entry_id);

/** Those that wait come first: they are what can still be changed. */
const inOrder = (entries: readonly MailboxEntry[]): MailboxEntry[] => {
  const waits = ({ status }: MailboxEntry): boolean => status === 'queued' || status === 'claimed';
  return [...entries.filter(waits), ...entries.filter((entry) => !waits(entry)).reverse()];
};

export const mailbox: Tab = {
  name: 'mailbox',
  wants: (model, { target }) => [mailboxOf(model, target.thread_id).want],
  view(model, { target }) {
    const entries = mailboxOf(model, target.thread_id);
    const page = entries.read(model);
    if (!page) return waitingFor(entries.error(model));
    if (page.items.length === 0) return saying('the mailbox is empty');
    const shown = inOrder(page.items);
    return {
      head: [
        segment(
          `   ${pad('STATUS', 12)}${pad('ENTRY', 11)}${pad('RUN', 11)}${padStart('PRIO', 4)} ${padStart('AGE', 6)}  MESSAGE`,
          'dim',
        ),
      ],
      lines: shown.map((entry) => lineOf(entry, model.now)),
      ids: shown.map(({ entry_id }) => entry_id),
    };
  },
};

const lineOf = (entry: MailboxEntry, now: number): Line => [
  segment(pad(entry.status, 12), styleOf(entry.status === 'queued' ? 'waiting' : entry.status)),
  segment(pad(shortId(entry.entry_id), 11), 'id'),
  segment(pad(shortId(entry.run_id), 11)),
  segment(padStart(String(entry.priority), 4), 'dim'),
  segment(` ${padStart(span(now - entry.created_at), 6)}  `, 'dim'),
  segment(
    entry.last_error ?? inline(entry.payload.messages.at(-1)?.content ?? ''),
    entry.last_error === null ? 'plain' : 'fault',
  ),
];
