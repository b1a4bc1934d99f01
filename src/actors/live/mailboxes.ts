/**
 * The mailboxes of all threads: what waits, and what can never start (CONTRACT 4.2, 4.5).
 *
 * Dead letters have an index of their own, because entries that have ended are as many as runs. A page needs the creation
 * time of all that match: their rows are read, but only those of the page are kept.
 */

import * as keys from '../../store/keys.js';
import type { Key } from '../../store/port.js';
import type { Reads } from '../../store/reads.js';
import type { Cut, Page } from '../page.js';
import type { QueuedEntry } from '../thread/cells.js';
import type { OpenStatus } from '../inspection.js';
import type { MailboxEntry } from '../records.js';
import { publicEntry } from '../requests/entries.js';

export type MailboxesPort = {
  store: Reads;
  /** The thread is deleted, though its rows may be there. */
  isGone(tno: number): boolean;
};

/** Where an entry stands, and what it is sorted by. */
type Place = { key: Key; created_at: number; entry_id: string };

/** Rows read at once. */
const PIECE = 256;

export class Mailboxes {
  constructor(private readonly port: MailboxesPort) {}

  async page(statuses: readonly OpenStatus[], { offset, limit }: Cut): Promise<Page<MailboxEntry>> {
    const places: Place[] = [];
    if (statuses.includes('queued')) await this.#queued(places);
    if (statuses.includes('dead_letter')) await this.#dead(places);
    places.sort((a, b) => a.created_at - b.created_at || (a.entry_id < b.entry_id ? -1 : 1));
    const shown = places.slice(offset, offset + limit);
    const rows = await this.port.store.getMany(shown.map(({ key }) => key));
    const items = rows.flatMap((row) => (row === undefined ? [] : [publicEntry(JSON.parse(row) as QueuedEntry)]));
    // One that is gone by now is not counted either.
    const passed = shown.length - items.length;
    return { items, total: places.length - passed, has_more: offset + shown.length < places.length };
  }

  /** How many dead letters there are. */
  async countDead(): Promise<number> {
    let count = 0;
    for await (const [key] of this.port.store.range(keys.allDeadLetters()))
      if (!this.port.isGone(keys.parseDeadLetter(key)[0])) count++;
    return count;
  }

  async #queued(places: Place[]): Promise<void> {
    for await (const [key, row] of this.port.store.range(keys.allQueued()))
      if (!this.port.isGone(keys.ordinalOf(key))) places.push(placeOf(key, row));
  }

  async #dead(places: Place[]): Promise<void> {
    let piece: Key[] = [];
    const take = async (): Promise<void> => {
      const rows = await this.port.store.getMany(piece);
      rows.forEach((row, i) => {
        if (row !== undefined) places.push(placeOf(piece[i]!, row));
      });
      piece = [];
    };
    for await (const [key] of this.port.store.range(keys.allDeadLetters())) {
      const [tno, n] = keys.parseDeadLetter(key);
      if (!this.port.isGone(tno) && piece.push(keys.history(tno, n)) === PIECE) await take();
    }
    await take();
  }
}

function placeOf(key: Key, row: string): Place {
  const { created_at, entry_id } = JSON.parse(row) as QueuedEntry;
  return { key, created_at, entry_id };
}
