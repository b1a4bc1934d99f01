/**
 * Ids of mailbox entries. They look like all other ids and tell, to those who know, which run the entry has started:
 * their last twelve digits are the run's ordinal. So a run is found by its entry without an index of entries, which
 * would cost every start a row.
 */

import { newId } from '../new-id.js';

const DIGITS = 12;
const FORM = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}([0-9a-f]{12})$/;

/** The id of the entry that starts this run. */
export const entryIdFor = (rno: number): string => newId().slice(0, -DIGITS) + rno.toString(16).padStart(DIGITS, '0');

/** The ordinal of the run, if this is the id of an entry; whether it is one, the run's record has to tell. */
export function ordinalIn(entry_id: string): number | undefined {
  const digits = FORM.exec(entry_id)?.[1];
  return digits === undefined ? undefined : parseInt(digits, 16);
}
