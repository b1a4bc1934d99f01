/**
 * The mailbox entry's machine, as a pure table over stored records: a queued entry has no behaviour, and a thousand of
 * them must not be actors (CONTRACT 4.2). It is a machine definition all the same, so it is drawn and tested like one.
 *
 * In the embedded engine claiming and accepting are one commit, so `claimed` is not seen at rest; an engine with remote
 * workers would hold entries there under a lease.
 */

import type { EntryStatus } from '../records.js';

export type EntryEvent = 'CLAIM' | 'ACCEPT' | 'RELEASE' | 'SUPERSEDE' | 'CANCEL' | 'BURY';

const table: Record<EntryStatus, Partial<Record<EntryEvent, EntryStatus>>> = {
  queued: { CLAIM: 'claimed', SUPERSEDE: 'superseded', CANCEL: 'cancelled', BURY: 'dead_letter' },
  claimed: { ACCEPT: 'accepted', RELEASE: 'queued', BURY: 'dead_letter' },
  accepted: {},
  superseded: {},
  cancelled: {},
  dead_letter: {},
};

/** The status after `event`, or undefined when the event means nothing in this status. */
export const nextEntryStatus = (status: EntryStatus, event: EntryEvent): EntryStatus | undefined =>
  table[status][event];

/** Nothing can happen to the entry any more; it is purged after its time (CONTRACT 4.2). */
export const isTerminalEntry = (status: EntryStatus): boolean => Object.keys(table[status]).length === 0;

/** The same table as an XState-shaped definition, for drawing. */
export const mailboxEntryDefinition = {
  id: 'mailbox_entry',
  initial: 'queued',
  states: Object.fromEntries(
    Object.entries(table).map(([status, on]) => [
      status,
      isTerminalEntry(status as EntryStatus) ? { type: 'final' } : { on },
    ]),
  ),
};
