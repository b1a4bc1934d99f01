/** What an operator does to entries of a mailbox (CONTRACT 4.5). The active run is never touched. */

import { AgentServerError, ErrorCode } from '../../errors.js';
import * as keys from '../../store/keys.js';
import type { Reads } from '../../store/reads.js';
import type { NextToken } from '../thread/apply.js';
import type { MessageRef, QueuedEntry, QueueSlot } from '../thread/cells.js';
import type { Draft } from '../thread/draft.js';
import { delRow } from '../thread/rows.js';
import type { MailboxEntry, StartMessage } from '../records.js';
import { Overtaken } from './messages.js';
import { cancelRun } from './stop.js';

/** Nothing was changed: the thread's mailbox has no such entry. */
export const entryNotFound = (entry_id: string): AgentServerError =>
  new AgentServerError(ErrorCode.entryNotFound, `mailbox entry not found: ${entry_id}`);

/** Nothing was changed: what was asked needs an entry in another status. */
export const wrongStatus = ({ entry_id, status }: MailboxEntry): AgentServerError =>
  new AgentServerError(ErrorCode.conflict, `mailbox entry ${entry_id} is ${status}`);

/** An entry without what only the engine needs. */
export const publicEntry = ({
  rno: _,
  cut: __,
  replaces: ___,
  seen: ____,
  overrides: _____,
  ...entry
}: QueuedEntry): MailboxEntry => entry;

/** A queued entry of the thread and its place, if it is queued. */
function queuedEntry(draft: Draft, entry_id: string): { n: number; entry: QueuedEntry } | undefined {
  for (const { n } of draft.get('queue') ?? []) {
    const entry = draft.get(`q${n}`)!;
    if (entry.entry_id === entry_id) return { n, entry };
  }
  return undefined;
}

/** Cancels a queued entry and with it its run. Undefined when it is not queued. */
export function cancelEntry(
  draft: Draft,
  entry_id: string,
  deps: { tno: number; next: NextToken },
): MailboxEntry | undefined {
  const found = queuedEntry(draft, entry_id);
  if (!found) return undefined;
  cancelRun(draft, found.entry.run_id, null, deps);
  return { ...publicEntry(found.entry), status: 'cancelled', updated_at: draft.at };
}

/**
 * Changes a queued entry; messages that the thread has are left out, as in a start. Undefined when it is not queued.
 * `known`: the thread's messages in front of cursor `seen`. Throws `Overtaken` when there are others by now.
 */
export function editEntry(
  draft: Draft,
  entry_id: string,
  { priority, messages }: { priority?: number; messages?: StartMessage[] },
  { tno, known, seen }: { tno: number; known: readonly MessageRef[]; seen: number | undefined },
): MailboxEntry | undefined {
  const found = queuedEntry(draft, entry_id);
  if (!found) return undefined;
  Overtaken.check(draft, seen);
  const { n, entry: before } = found;
  const entry: QueuedEntry = {
    ...before,
    priority: priority ?? before.priority,
    ...(messages && seen !== undefined ? { seen } : {}),
    payload: messages ? { ...before.payload, messages: newIn(messages, known, before) } : before.payload,
    updated_at: draft.at,
  };
  draft.set(`q${n}`, entry);
  if (entry.priority !== before.priority) {
    // The priority is part of the key.
    draft.rows.push(delRow(keys.queued(tno, before.priority, n)));
    const others = draft.get('queue')!.filter((slot) => slot.n !== n);
    draft.set('queue', inOrder([...others, { n, priority: entry.priority }]));
  }
  return publicEntry(entry);
}

/** Those that the thread does not have, or that the entry's turn cuts away. */
function newIn(messages: StartMessage[], known: readonly MessageRef[], { cut }: QueuedEntry): StartMessage[] {
  const ids = new Set(known.filter(({ cursor }) => !cut || cursor < cut.from).map(({ id }) => id));
  return messages.filter(({ id }) => id === undefined || !ids.has(id));
}

/** The order of turns: priority from high to low, then arrival. */
const inOrder = (queue: QueueSlot[]): QueueSlot[] => queue.sort((a, b) => b.priority - a.priority || a.n - b.n);

/**
 * All entries of a thread, queued ones and those that ended within their time, by creation time, then id.
 *
 * The queued ones are read first: an entry that ends meanwhile is found again among the ended ones, and that one counts.
 */
export async function loadEntries(store: Reads, tno: number): Promise<QueuedEntry[]> {
  const entries = new Map<string, QueuedEntry>();
  for (const range of [keys.queuedOf(tno), keys.historyOf(tno)])
    for await (const [, value] of store.range(range)) {
      const entry = JSON.parse(value) as QueuedEntry;
      entries.set(entry.entry_id, entry);
    }
  return [...entries.values()].sort((a, b) => a.created_at - b.created_at || (a.entry_id < b.entry_id ? -1 : 1));
}
