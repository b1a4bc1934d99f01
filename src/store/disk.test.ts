import { access, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Clock } from './clock.js';
import { boundlessDisk, type DiskOptions, guardDirectory } from './disk.js';

const KB = 1024;

/** A directory, a guard with small sizes, and what the disk says is free. */
async function setUp(free: number, options: DiskOptions = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'agent-server-disk-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const disk = { free, looks: 0, now: 0 };
  const clock: Clock = { now: () => disk.now, pause: () => Promise.reject(new Error('the guard never waits')) };
  const freeBytes = async (): Promise<number> => {
    disk.looks += 1;
    if (Number.isNaN(disk.free)) throw new Error('EIO');
    return disk.free;
  };
  const sizes = { ballast: 300 * KB, probe: 100 * KB, lowWater: 1000 * KB };
  const guard = await guardDirectory(directory, freeBytes, { ...sizes, clock, ...options });
  return { directory, disk, guard };
}

it('holds the ballast when there is room for it above the mark', async () => {
  const { directory } = await setUp(1300 * KB);
  expect((await stat(join(directory, 'ballast'))).size).toBe(300 * KB);
  expect(await readdir(directory)).toEqual(['ballast']);
});

it('does without the ballast when it would cross the mark, and takes it back later', async () => {
  const { directory, disk, guard } = await setUp(1299 * KB);
  expect(await readdir(directory)).toEqual([]);
  expect(guard.hasRoom()).toBe(true);
  disk.free = 1300 * KB;
  await guard.restore();
  expect(await readdir(directory)).toEqual(['ballast']);
});

it('completes a ballast of another size', async () => {
  const { directory, guard } = await setUp(2000 * KB);
  await writeFile(join(directory, 'ballast'), 'torn');
  await guard.restore();
  expect((await stat(join(directory, 'ballast'))).size).toBe(300 * KB);
});

it('says from memory whether there is room, and looks again after a second', async () => {
  const { disk, guard } = await setUp(1000 * KB);
  expect(guard.hasRoom()).toBe(true);
  disk.free = 999 * KB;
  disk.now = 999;
  expect(guard.hasRoom()).toBe(true);
  expect(disk.looks).toBe(1);
  disk.now = 1000;
  guard.hasRoom();
  guard.hasRoom();
  await guard.restore(); // Behind the look that has begun.
  expect(disk.looks).toBe(3);
  expect(guard.hasRoom()).toBe(false);
  disk.free = NaN;
  await guard.restore();
  expect(guard.hasRoom()).toBe(false);
});

it('makes room: the probe was written, the ballast is given up', async () => {
  const { directory, guard } = await setUp(2000 * KB);
  await guard.makeRoom();
  expect(await readdir(directory)).toEqual([]);
  await guard.restore();
  expect(await readdir(directory)).toEqual(['ballast']);
});

it('refuses to make room while the disk takes no probe, and keeps the ballast', async (ctx) => {
  await access('/dev/full').catch(() => ctx.skip('this system has no /dev/full to stand for a full disk'));
  const { directory, guard } = await setUp(2000 * KB);
  await symlink('/dev/full', join(directory, 'probe'));
  await expect(guard.makeRoom()).rejects.toMatchObject({ code: 'ENOSPC' });
  expect(await readdir(directory)).toEqual(['ballast']);
  await guard.makeRoom();
});

it('refuses to make room in a directory that is gone', async () => {
  const { directory, guard } = await setUp(2000 * KB);
  await rm(directory, { recursive: true });
  await expect(guard.makeRoom()).rejects.toMatchObject({ code: 'ENOENT' });
  await guard.restore();
  expect(guard.hasRoom()).toBe(false);
  await writeFile(directory, '');
});

it('guards nothing where nothing can fill up', async () => {
  expect(boundlessDisk.hasRoom()).toBe(true);
  await boundlessDisk.makeRoom();
  await boundlessDisk.restore();
});
