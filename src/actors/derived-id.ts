/**
 * Ids that follow from what caused them: whoever repeats the cause names the same thing. The form is a UUID (version 8,
 * the one for derived values), so they look like all other ids.
 */

import { createHash } from 'node:crypto';

/** @param causes in order; lists that differ anywhere give different ids. */
export function derivedId(...causes: string[]): string {
  const hash = createHash('sha256');
  for (const cause of causes) hash.update(`${cause.length}:${cause}`);
  const bytes = hash.digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
