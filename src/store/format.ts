/**
 * What kind of data a store holds: one row, written first and read before anything else.
 *
 * An empty store gets the row; a store of this format is opened; everything else is refused with a `FormatError` and
 * left as it is. An older server must not write into the rows of a newer one, nor any into somebody else's database.
 */

import { FormatError } from './errors.js';
import { everything, meta } from './keys.js';
import type { Store } from './port.js';

/** Raised when rows are written that an older server would misread. */
export const FORMAT = 1;

const FORMAT_ROW = meta('format');

/** Checks the store's format and writes nothing. An empty store has none: `FormatError`. */
export async function checkFormat(store: Pick<Store, 'get'>, engine = 'embedded'): Promise<void> {
  check((await store.get(FORMAT_ROW)) ?? '', engine);
}

/** Checks the store's format, or writes it into an empty one. `engine` names who gives the rows their meaning. */
export async function openFormat(store: Store, engine = 'embedded'): Promise<void> {
  const row = await store.get(FORMAT_ROW);
  if (row !== undefined) return check(row, engine);
  for await (const _ of store.range({ ...everything(), limit: 1 })) {
    throw new FormatError('foreign', 'the directory holds data of another program');
  }
  await store.batch([{ type: 'put', key: FORMAT_ROW, value: JSON.stringify({ format: FORMAT, engine }) }]);
}

function check(row: string, engine: string): void {
  const { format, engine: owner } = read(row);
  if (typeof format !== 'number' || typeof owner !== 'string') {
    throw new FormatError('foreign', 'the format of the data cannot be read');
  }
  if (format > FORMAT) {
    throw new FormatError('newer', `the data have format ${format}, this version reads up to ${FORMAT}: upgrade`);
  }
  if (owner !== engine) {
    throw new FormatError('other_engine', `the data belong to the engine "${owner}", not to "${engine}"`);
  }
}

function read(row: string): { format?: unknown; engine?: unknown } {
  try {
    return (JSON.parse(row) ?? {}) as object;
  } catch {
    return {};
  }
}
