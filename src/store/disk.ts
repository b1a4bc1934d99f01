/**
 * Room on the disk: a mark under which no new work is accepted, and a reserve for the day the disk is full.
 *
 * - `hasRoom` answers from memory. It looks again at most once a second, in the background, when somebody asks.
 * - `makeRoom` resolves when the disk has been seen to take a probe file of some MB *beside* the reserve, and has given
 *   the reserve up: a reopen that follows has both sizes to write in. It rejects when the disk refuses.
 * - `restore` takes the reserve back, as soon as there is room for it above the mark. It never rejects.
 *
 * Why a reserve: opening LevelDB writes its whole last log as a table. Without room of our own a disk that just takes
 * writes again would refuse in the middle of the opening, and there would be no handle for reads either.
 */

import { randomFillSync } from 'node:crypto';
import { open, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, systemClock } from './clock.js';

export interface DiskGuard {
  hasRoom(): boolean;
  makeRoom(): Promise<void>;
  restore(): Promise<void>;
}

/** For a store that cannot fill up. */
export const boundlessDisk: DiskGuard = {
  hasRoom: () => true,
  makeRoom: async () => {},
  restore: async () => {},
};

const MB = 1024 * 1024;

export interface DiskOptions {
  /** Bytes held back in the file `ballast`. */
  ballast?: number;
  /** Bytes the disk must take, beside the ballast, before the store is opened again. */
  probe?: number;
  /** Free bytes under which new work is refused. */
  lowWater?: number;
  /** Age in ms from which the free space is looked at again. */
  maxAge?: number;
  clock?: Clock;
}

const diskDefaults = { ballast: 16 * MB, probe: 16 * MB, lowWater: 64 * MB, maxAge: 1000, clock: systemClock };

/** Guards the disk of a directory that exists. `freeBytes` tells what is free on it. */
export async function guardDirectory(
  directory: string,
  freeBytes: () => Promise<number>,
  options: DiskOptions = {},
): Promise<DiskGuard> {
  const guard = new DirectoryGuard(directory, freeBytes, { ...diskDefaults, ...options });
  await guard.restore();
  return guard;
}

/** The file whose bytes are held back. */
export const BALLAST = 'ballast';
const ballastOf = (directory: string): string => join(directory, BALLAST);

/** Gives up the ballast of a directory nobody guards. False when there is none. */
export async function dropBallast(directory: string): Promise<boolean> {
  return unlink(ballastOf(directory)).then(
    () => true,
    () => false,
  );
}

class DirectoryGuard implements DiskGuard {
  readonly #ballast: string;
  readonly #probe: string;
  #room = false;
  #lookedAt = -Infinity;
  /** One at a time: the looks of `hasRoom` must not write the ballast that `makeRoom` is giving up. */
  #work: Promise<unknown> = Promise.resolve();

  constructor(
    directory: string,
    private readonly freeBytes: () => Promise<number>,
    private readonly options: Required<DiskOptions>,
  ) {
    this.#ballast = ballastOf(directory);
    this.#probe = join(directory, 'probe');
  }

  hasRoom(): boolean {
    const now = this.options.clock.now();
    if (now - this.#lookedAt >= this.options.maxAge) {
      this.#lookedAt = now;
      void this.restore();
    }
    return this.#room;
  }

  makeRoom(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#hold();
      await fill(this.#probe, this.options.probe);
      await unlink(this.#probe);
      await unlink(this.#ballast);
    });
  }

  restore(): Promise<void> {
    return this.#inTurn(async () => {
      try {
        const free = await this.freeBytes();
        this.#lookedAt = this.options.clock.now();
        this.#room = free >= this.options.lowWater;
        if (free >= this.options.lowWater + this.options.ballast) await this.#hold();
      } catch {
        this.#room = false;
      }
    });
  }

  async #hold(): Promise<void> {
    if ((await sizeOf(this.#ballast)) !== this.options.ballast) await fill(this.#ballast, this.options.ballast);
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#work.then(work);
    this.#work = done.catch(() => {});
    return done;
  }
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    return -1;
  }
}

/** Writes a file of that many bytes that no file system can shrink, down to the disk; leaves none when it cannot. */
async function fill(path: string, bytes: number): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    const block = randomFillSync(Buffer.alloc(Math.min(bytes, MB)));
    for (let left = bytes; left > 0;) left -= (await file.write(block, 0, Math.min(left, block.length))).bytesWritten;
    await file.sync();
    await file.close();
  } catch (error) {
    await file.close().catch(() => {});
    await unlink(path).catch(() => {});
    throw error;
  }
}
