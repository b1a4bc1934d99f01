/** A copy is the store as of one moment, and is there whole or not at all. */

import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../test/support/temp-dir.js';
import { copyStore } from './copy.js';
import { DirectoryInUse } from './errors.js';
import { everything } from './keys.js';
import { openLevelStore } from './level.js';
import { MemoryStore } from './memory.js';
import type { Op, Store } from './port.js';

const put = (i: number, value: string): Op => ({ type: 'put', key: Buffer.from([1, i >> 8, i & 255]), value });

async function filled(rows: number): Promise<Store> {
  const store = new MemoryStore();
  await store.batch(Array.from({ length: rows }, (_, i) => put(i, `old ${i}`)));
  return store;
}

async function rowsOf(directory: string): Promise<string[]> {
  const store = await openLevelStore(directory, { create: false });
  try {
    const values = [];
    for await (const [, value] of store.range(everything())) values.push(value);
    return values;
  } finally {
    await store.close();
  }
}

test('what is written meanwhile is not in it', async () => {
  const store = await filled(2_500);
  const directory = join(await tempDir(), 'deep', 'copy');
  let pieces = 0;
  const copied = await copyStore(store, directory, async () => {
    pieces += 1;
    await store.batch([put(2_499, 'new'), put(9_999, 'new')]);
  });
  expect(pieces).toBe(2);
  expect(copied).toEqual({ rows: 2_500, bytes: expect.any(Number) });
  expect(copied.bytes).toBeGreaterThan(10_000);
  expect(await rowsOf(directory)).toEqual(Array.from({ length: 2_500 }, (_, i) => `old ${i}`));
});

test('an empty store, and an empty directory in its place', async () => {
  const directory = await tempDir();
  expect(await copyStore(await filled(0), directory)).toMatchObject({ rows: 0 });
  expect(await rowsOf(directory)).toEqual([]);
});

test('a directory that holds something, or is none, is left as it is', async () => {
  const root = await tempDir();
  await writeFile(join(root, 'file'), 'mine');
  await expect(copyStore(await filled(1), root)).rejects.toThrow(DirectoryInUse);
  await expect(copyStore(await filled(1), join(root, 'file'))).rejects.toThrow(DirectoryInUse);
  expect(await readdir(root)).toEqual(['file']);
});

test('one that comes into use on the way is left as it is too', async () => {
  const root = await tempDir();
  const directory = join(root, 'copy');
  const copy = copyStore(await filled(1_500), directory, async () => {
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, 'file'), 'mine');
  });
  await expect(copy).rejects.toThrow(DirectoryInUse);
  expect([await readdir(root), await readdir(directory)]).toEqual([['copy'], ['file']]);
});

test('a copy that is broken off leaves nothing, and what a crash left of one is removed by the next', async () => {
  const root = await tempDir();
  const directory = join(root, 'copy');
  const stop = async (): Promise<never> => Promise.reject(new Error('enough'));
  await expect(copyStore(await filled(1_500), directory, stop)).rejects.toThrow('enough');
  expect(await readdir(root)).toEqual([]);
  await copyStore(await filled(7), `${directory}.partial`);
  await copyStore(await filled(3), directory);
  expect(await readdir(root)).toEqual(['copy']);
  expect(await rowsOf(directory)).toHaveLength(3);
  await rm(directory, { recursive: true });
});
