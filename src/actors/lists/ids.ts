/**
 * The ids of rows, which stand in the store and not in memory: a million of them would be 20 to 60 MB. Lists want one
 * where two rows have the same time, which most often are rows that have just been added: the ids of those are kept.
 */

import type { Key, Store } from '../../store/port.js';

/** The id in the stored row of an ordinal; undefined: there is no such row. Null: the store cannot be read now. */
export type StoredId = (ordinal: number) => string | undefined | null;

/** Reads the ids of a table's rows from the store. */
export const storedIds =
  <Row>(store: Pick<Store, 'getNow'>, keyOf: (ordinal: number) => Key, idOf: (row: Row) => string): StoredId =>
  (ordinal) => {
    const row = store.getNow(keyOf(ordinal));
    return row && (row.value === undefined ? undefined : idOf(JSON.parse(row.value) as Row));
  };

/** Rows added last whose ids are kept. */
const RECENT = 2048;

export class Ids {
  /** As they came. */
  readonly #recent = new Map<number, string>();

  constructor(private readonly stored: StoredId) {}

  /** A row is new. */
  add(ordinal: number, id: string): void {
    this.#recent.set(ordinal, id);
    if (this.#recent.size <= RECENT) return;
    const { value: oldest } = this.#recent.keys().next();
    this.#recent.delete(oldest!);
  }

  /** See `StoredId`. */
  get(ordinal: number): string | undefined | null {
    return this.#recent.get(ordinal) ?? this.stored(ordinal);
  }
}
