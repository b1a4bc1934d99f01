/**
 * Copies a store into a new directory while it is in use.
 *
 * - The copy is the store as of one moment: a range is a consistent snapshot (`port.ts`), and this one takes in every row.
 *   Writers go on and are not waited for.
 * - The directory appears whole or not at all, and what is in it has reached the disk: rows are written beside it under
 *   another name, which is then changed. What a crash leaves is that other name, and the next copy removes it.
 * - A directory that holds anything is refused with `DirectoryInUse` and left as it is.
 */

import { open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeDirectory } from '../make-directory.js';
import { DirectoryInUse } from './errors.js';
import { everything } from './keys.js';
import { Durability, openLevelStore } from './level.js';
import type { Op, Store } from './port.js';

/** `bytes`: of the files of the copy. */
export type Copied = { rows: number; bytes: number };

/** Rows, and characters of values (about), that are written at a time. */
const PIECE = 1_000;
const PIECE_CHARS = 256 * 1024;

/** @param mayGoOn is awaited between two pieces: it may hold the copy, and by throwing it ends it without a trace. */
export async function copyStore(
  source: Pick<Store, 'range'>,
  directory: string,
  mayGoOn: () => Promise<void> = async () => {},
): Promise<Copied> {
  const partial = `${directory}.partial`;
  await assertFree(directory);
  await makeDirectory(dirname(directory));
  await rm(partial, { recursive: true, force: true });
  try {
    const copied = await write(source, partial, mayGoOn);
    for (const name of await readdir(partial)) await sync(join(partial, name));
    await sync(partial);
    await rename(partial, directory).catch((cause: unknown) => {
      throw isTaken(cause) ? new DirectoryInUse(directory, { cause }) : cause;
    });
    await sync(dirname(directory));
    return copied;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

async function write(source: Pick<Store, 'range'>, directory: string, mayGoOn: () => Promise<void>): Promise<Copied> {
  const copy = await openLevelStore(directory, { durability: Durability.process });
  try {
    let rows = 0;
    let chars = 0;
    let piece: Op[] = [];
    for await (const [key, value] of source.range(everything())) {
      piece.push({ type: 'put', key, value });
      rows += 1;
      chars += value.length;
      if (piece.length < PIECE && chars < PIECE_CHARS) continue;
      await copy.batch(piece);
      await mayGoOn();
      piece = [];
      chars = 0;
    }
    await copy.batch(piece);
    return { rows, bytes: (await copy.usedBytes()) ?? 0 };
  } finally {
    await copy.close();
  }
}

async function assertFree(directory: string): Promise<void> {
  const names = await readdir(directory).catch((cause: unknown) => {
    if (codeOf(cause) === 'ENOENT') return [];
    throw codeOf(cause) === 'ENOTDIR' ? new DirectoryInUse(directory, { cause }) : cause;
  });
  if (names.length > 0) throw new DirectoryInUse(directory);
}

/** Down to the disk: a file, or the names in a directory. */
async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code;
const isTaken = (error: unknown): boolean => ['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(codeOf(error) as string);
