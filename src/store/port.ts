/**
 * What the journal and the readers need of a key-value store: ordered binary keys, JSON text as values.
 *
 * Guarantees every implementation gives (`store.conformance.ts` tests them):
 * - `batch` is atomic: after any crash either all of its operations are there or none.
 * - a resolved `batch` is durable at the level the store was opened with.
 * - a rejected `batch` is UNKNOWN (it may be there), and the store then refuses every write with `StoreBroken` until
 *   `reopen` has succeeded. LevelDB acknowledges and then loses writes made on a handle whose write failed.
 * - reads see every resolved batch; a `range` is a consistent snapshot of the moment it was begun.
 */

export type Key = Buffer;

export type Op = { type: 'put'; key: Key; value: string } | { type: 'del'; key: Key };

export interface Range {
  gte: Key;
  lt: Key;
  reverse?: boolean;
  limit?: number;
}

export interface Store {
  get(key: Key): Promise<string | undefined>;
  /**
   * Reads one row without waiting; `null` when the store cannot at this moment (use `get`). For names on the way of a
   * start: most are not there, and a miss is one look at a filter, cheaper than any waiting. Not for rows that are.
   */
  getNow(key: Key): { value: string | undefined } | null;
  getMany(keys: Key[]): Promise<(string | undefined)[]>;
  /** Rows in key order (or reversed), read in bounded chunks. */
  range(range: Range): AsyncIterable<[Key, string]>;
  batch(ops: Op[]): Promise<void>;
  /** Closes the handle and opens a new one; rejects while the disk still refuses. Only after a rejected batch. */
  reopen(): Promise<void>;
  /** Free bytes for new data, or Infinity when the store cannot tell. */
  freeBytes(): Promise<number>;
  /** Bytes of its files, or null when it has none. */
  usedBytes(): Promise<number | null>;
  close(): Promise<void>;
}

/** Thrown by every write on a store whose last batch failed: nothing of this call was written. */
export class StoreBroken extends Error {
  override readonly name = 'StoreBroken';
}
