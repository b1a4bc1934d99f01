/** How much of the disk a store takes. */

import { execFile } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Bytes of all files under a directory. @param {string} directory @returns {Promise<number>} */
export async function directoryBytes(directory) {
  let bytes = 0;
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    // The ballast is held back for a full disk, whatever the runs take.
    if (!entry.isFile() || entry.name === 'ballast') continue;
    bytes += (await stat(join(entry.parentPath, entry.name))).size;
  }
  return bytes;
}

/** Directories under `directory` (itself included) that hold a LevelDB store. @param {string} directory */
async function storesIn(directory) {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile() && entry.name === 'CURRENT').map((entry) => entry.parentPath);
}

/** Compacts the stores of a stopped server, in a process of its own. @param {string} directory */
export async function compact(directory) {
  const script = fileURLToPath(new URL('compact.mjs', import.meta.url));
  for (const store of await storesIn(directory)) await promisify(execFile)(process.execPath, [script, store]);
}
