/** What a list can be filtered by: how each key is read from a record, and what the server can do of it. */

type Readable<T, V> = (item: T) => V | readonly V[] | null | undefined;

export type FilterKey<T> =
  /** `=`, `!=` (any of a comma separated list) and `~`, `!~` (contains, whatever the case). */
  | { of: 'text'; read: Readable<T, string>; known?: readonly string[]; param?: string }
  /** `=`, `!=`, `<`, `<=`, `>`, `>=`. */
  | { of: 'number'; read: Readable<T, number> }
  /** `<`, `<=`, `>`, `>=` against how long ago that was. */
  | { of: 'age'; read: (item: T) => number | null; params?: { from: string; to: string } };

export type FilterKeys<T> = Readonly<Record<string, FilterKey<T>>>;
