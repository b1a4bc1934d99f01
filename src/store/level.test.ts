import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { StoreLocked } from './errors.js';
import { everything, message } from './keys.js';
import { openLevelStore } from './level.js';
import { storeConformance } from './store.conformance.js';

async function temporaryDirectory(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'agent-server-store-'));
}

storeConformance('LevelDB, synced', async () => {
  const directory = await temporaryDirectory();
  return {
    open: () => openLevelStore(join(directory, 'data')),
    remove: () => rm(directory, { recursive: true }),
  };
});

storeConformance('LevelDB, left to the operating system', async () => {
  const directory = await temporaryDirectory();
  return {
    open: () => openLevelStore(directory, { durability: 'process' }),
    remove: () => rm(directory, { recursive: true }),
  };
});

it('is refused, naming the directory, while another process has it open', async () => {
  const directory = await temporaryDirectory();
  const library = createRequire(import.meta.url).resolve('classic-level');
  const script = `
    const { ClassicLevel } = require(${JSON.stringify(library)});
    new ClassicLevel(${JSON.stringify(directory)}).open().then(() => console.log('open'));
    process.stdin.resume();`;
  const other = spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(other, 'exit');
  onTestFinished(async () => {
    other.kill('SIGKILL');
    await exited;
    await rm(directory, { recursive: true });
  });
  await once(other.stdout, 'data');

  const refusal: unknown = await openLevelStore(directory).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(StoreLocked);
  expect((refusal as StoreLocked).message).toContain(directory);

  other.kill('SIGKILL');
  await exited;
  await (await openLevelStore(directory)).close();
});

it('makes a directory that only its owner may read', async () => {
  const parent = await temporaryDirectory();
  onTestFinished(() => rm(parent, { recursive: true }));
  const store = await openLevelStore(join(parent, 'a', 'b'));
  expect((await stat(join(parent, 'a', 'b'))).mode & 0o777).toBe(0o700);
  await store.close();
});

it('ends a range that a reopen overtakes with storage_unavailable', async () => {
  const directory = await temporaryDirectory();
  const store = await openLevelStore(directory);
  onTestFinished(async () => {
    await store.close();
    await rm(directory, { recursive: true });
  });
  await store.batch(
    Array.from({ length: 3000 }, (_, n) => ({ type: 'put', key: message(1, n), value: 'x'.repeat(99) })),
  );
  const rows = store.range(everything())[Symbol.asyncIterator]();
  await rows.next();
  await store.reopen();
  const rest = async (): Promise<void> => {
    while ((await rows.next()).done !== true);
  };
  await expect(rest()).rejects.toMatchObject({ code: 'storage_unavailable' });
});

it('refuses an operation that is none, and goes on', async () => {
  const directory = await temporaryDirectory();
  const store = await openLevelStore(directory);
  onTestFinished(async () => {
    await store.close();
    await rm(directory, { recursive: true });
  });
  const good = { type: 'put', key: message(1, 1), value: 'x' } as const;
  await expect(store.batch([good, { type: 'put', key: message(1, 2), value: null as never }])).rejects.toThrow();
  expect(await store.get(good.key)).toBeUndefined();
  await store.batch([good]);
  expect(await store.get(good.key)).toBe('x');
});
