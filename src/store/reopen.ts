/**
 * Waits out a disk that refuses writes, then puts a new handle in the place of the broken one.
 *
 * Tries until it succeeds or is told to stop, further and further apart up to a second. A try asks the disk for room
 * before it gives up the handle, because reads live on that one.
 */

import type { Clock } from './clock.js';
import type { DiskGuard } from './disk.js';
import type { Store } from './port.js';

const FIRST_MS = 25;
const LAST_MS = 1000;

/** Milliseconds to wait before try `n` (from 0). */
const backoffMs = (n: number): number => Math.min(LAST_MS, FIRST_MS * 2 ** Math.min(n, 10));

/** Resolves with what `ask` reads from the new handle, or with undefined as soon as the signal aborts. Never rejects. */
export async function reopenWhenPossible<T>(
  store: Store,
  disk: DiskGuard,
  clock: Clock,
  signal: AbortSignal,
  ask: () => Promise<T>,
): Promise<T | undefined> {
  for (let n = 0; !signal.aborted; n++) {
    try {
      await clock.pause(backoffMs(n), signal);
      await disk.makeRoom();
      await store.reopen();
      return await ask();
    } catch {
      // The disk still refuses, or the pause was cut short: the loop's condition tells which.
    }
  }
  return undefined;
}
