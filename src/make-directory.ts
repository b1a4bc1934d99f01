/**
 * Makes a directory and what is missing above it, and always comes to an end.
 *
 * Node's own `recursive` goes round for ever on file systems that say "no such directory" of one that is there and takes
 * none (`/proc`): it makes the one above, which is there, and tries again, and no signal ends the thread that does.
 */

import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A directory that is there stays as it is. `mode` counts for every one that is made. Throws the system's error. */
export async function makeDirectory(path: string, mode = 0o700): Promise<void> {
  try {
    await makeOne(path, mode);
  } catch (error) {
    if (!isCode(error, 'ENOENT') || dirname(path) === path) throw error;
    await makeDirectory(dirname(path), mode);
    await makeOne(path, mode);
  }
}

async function makeOne(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    // Some systems refuse before they look whether it is there: a read-only one, a root that nobody may write to.
    const there = await stat(path).catch(() => undefined);
    if (there?.isDirectory()) return;
    if (!there || !isCode(error, 'EEXIST')) throw error;
    throw Object.assign(new Error(`ENOTDIR: not a directory, mkdir '${path}'`, { cause: error }), { code: 'ENOTDIR' });
  }
}

const isCode = (error: unknown, code: string): boolean => (error as NodeJS.ErrnoException).code === code;
