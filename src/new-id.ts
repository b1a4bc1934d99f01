/**
 * New ids: UUIDv7 (CONTRACT 0.6), with randomness taken from the system in larger pieces; asking for 16 bytes at a time
 * costs more than all else an id takes.
 */

import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const pool = new Uint8Array(16 * 256);
let used = pool.length;

/** A UUIDv7. */
export function newId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  return v7({ random: pool.subarray(used, (used += 16)) });
}
