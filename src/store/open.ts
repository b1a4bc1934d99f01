/**
 * Opens a data directory: the store and the guard of its disk.
 *
 * A directory that was left on a full disk opens too: when LevelDB finds no room to open in, the ballast is given up for
 * it. The server then starts, refuses new work (the disk is under its low-water mark) and serves what it has.
 */

import { type DiskGuard, dropBallast, guardDirectory, type DiskOptions } from './disk.js';
import { StoreLocked } from './errors.js';
import { type LevelOptions, openLevelStore } from './level.js';
import type { Store } from './port.js';

/** Throws `StoreLocked` when another process has the directory open. */
export async function openDirectory(
  directory: string,
  options: LevelOptions & { disk?: DiskOptions } = {},
): Promise<{ store: Store; disk: DiskGuard }> {
  const store = await openWithRoom(directory, options);
  return { store, disk: await guardDirectory(directory, () => store.freeBytes(), options.disk) };
}

async function openWithRoom(directory: string, options: LevelOptions): Promise<Store> {
  try {
    return await openLevelStore(directory, options);
  } catch (error) {
    if (error instanceof StoreLocked || !(await dropBallast(directory))) throw error;
    return openLevelStore(directory, options);
  }
}
