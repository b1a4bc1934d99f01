/** Folding in the store: what is folded and what is not, what readers see of it, and a crash at every commit. */

import { expect, test } from 'vitest';
import { endedRun, KINDS } from '../../../test/logs/kinds.js';
import { bench } from '../../../test/support/engine.js';
import { FakeClock } from '../../../test/support/fake-clock.js';
import { echo, holder } from '../../../test/support/service.js';
import { Journal } from '../../store/journal.js';
import * as keys from '../../store/keys.js';
import { MemoryStore } from '../../store/memory.js';
import { canonicalEvents, initialEncoderState, type LogChunk } from '../events.js';
import { chunkOp, loadChunks } from '../log/chunks.js';
import { silentLogger } from '../logger.js';
import { LogReader } from '../log/reader.js';
import { Compaction, QUIET_MS, type CompactionPort } from './compaction.js';
import { foldRun } from './fold.js';
import { EVERY_MS } from './keeper.js';

/** The job over a store, at a time when every run of it is due. */
async function jobOver(store: MemoryStore, change: Partial<CompactionPort> = {}): Promise<Compaction> {
  const journal = await Journal.open(store);
  const clock = new FakeClock(Date.now() + QUIET_MS + 1);
  return new Compaction({ store, journal, clock, logger: silentLogger, isBuried: () => false, ...change });
}

const isFolded = (store: MemoryStore, rno: number): boolean[] =>
  store.disk.rows(keys.logOf(rno)).map(([key]) => key.equals(keys.foldedLog(rno)));

test.each(KINDS)('a run that is %s becomes one row, and readers in the middle of it go on', async (kind) => {
  const { store, run } = await endedRun(kind);
  const all = (await loadChunks(store, 0, -1)).flatMap((chunk) => [...canonicalEvents(chunk, run)]);
  const readers = all.map(({ seq }) => new LogReader(run, 0, seq - 1, store, undefined));
  const first = await Promise.all(readers.map(async (reader) => reader.next()));
  while (await (await jobOver(store)).piece());
  expect(isFolded(store, 0)).toEqual([true]);
  for (const [seq, reader] of readers.entries()) {
    const told = [];
    for (let slice = first[seq]; slice; slice = await reader.next())
      told.push(...canonicalEvents(slice.chunk, run, slice.from));
    expect(told).toEqual(all.slice(seq));
  }
});

test('a reader that has read ahead goes on behind what it has', async () => {
  const { store, run } = await endedRun('plain');
  const chunks = Array.from({ length: 200 }, (_, n): LogChunk => {
    const last = n === 199;
    const finish = { termination: { code: 'natural', detail: null }, result: null, usage: {} };
    return {
      n,
      t0: 5 + n,
      enc: n === 0 ? initialEncoderState : { ...initialEncoderState, open: 'text', part: 1, said: true },
      events: [(last ? ['run_finish', 0, finish] : ['text_delta', 0, { delta: `${n} ` }]) as LogChunk['events'][0]],
    };
  });
  await store.batch(chunks.map((chunk) => chunkOp(7, chunk)));
  const reader = new LogReader(run, 7, -1, store, undefined);
  const seen: number[] = [];
  for (let slice = await reader.next(); slice; slice = await reader.next()) {
    for (let i = slice.from; i < slice.chunk.events.length; i++) seen.push(slice.chunk.n + i);
    if (seen.length !== 10) continue;
    const fold = await foldRun(store, 7);
    expect(fold.is).toBe('folded');
    if (fold.is === 'folded') await store.batch(fold.ops);
  }
  expect(seen).toEqual(chunks.map(({ n }) => n));
});

test('what is open or has just ended stays as it is', async () => {
  const clock = new FakeClock();
  const held = holder();
  const b = await bench([echo(), held.agent], { clock });
  await b.settle((await b.start('echo', 'one', { thread_id: 'a' })).run_id);
  const open = await b.start('holder', 'wait', { thread_id: 'b' });
  await b.events(open.run_id, ({ type }) => type === 'text_delta');
  clock.advance(QUIET_MS - 1);
  await b.settle((await b.start('echo', 'two', { thread_id: 'c' })).run_id);
  const { store } = b;
  const journal = await Journal.open(store);
  const job = new Compaction({ store, journal, clock, logger: silentLogger, isBuried: () => false });
  await job.piece();
  expect(isFolded(store, 0)).not.toContain(true);
  clock.advance(2);
  await job.piece();
  expect([isFolded(store, 0), isFolded(store, 1).includes(true), isFolded(store, 2).includes(true)]).toEqual([
    [true],
    false,
    false,
  ]);
  held.release();
  await b.events(open.run_id);
  await b.engine.close(0);
});

test('the logs of a deleted thread are left to those who remove them', async () => {
  const { store } = await endedRun('plain');
  const before = store.disk.rows(keys.logOf(0));
  const job = await jobOver(store, { isBuried: (tno) => tno === 0 });
  expect(await job.piece()).toBe(false);
  expect(store.disk.rows(keys.logOf(0))).toEqual(before);
});

test('a log that is too long to be read as a whole stays in chunks, one that lacks its end too', async () => {
  const store = new MemoryStore();
  const delta = (n: number, length: number): LogChunk => ({
    n,
    t0: 5,
    enc: n === 0 ? initialEncoderState : { ...initialEncoderState, open: 'text', part: 1, said: true },
    events: [['text_delta', 0, { delta: 'x'.repeat(length) }]],
  });
  const finish = { termination: { code: 'natural', detail: null }, result: null, usage: {} };
  const end = (n: number): LogChunk => ({
    ...delta(n, 0),
    events: [['run_finish', 0, finish] as unknown as LogChunk['events'][0]],
  });
  await store.batch([
    ...[delta(0, 300_000), end(1)].map((chunk) => chunkOp(1, chunk)),
    ...[0, 1, 2, 3].map((n) => chunkOp(2, delta(n, 300_000))),
    chunkOp(2, end(4)),
    chunkOp(3, delta(0, 1)),
    ...[delta(0, 200_000), end(1)].map((chunk) => chunkOp(4, chunk)),
  ]);
  const folds = await Promise.all([1, 2, 3, 4, 5].map((rno) => foldRun(store, rno)));
  expect(folds.map(({ is }) => is)).toEqual(['left', 'left', 'left', 'folded', 'left']);
});

test('a log that would not come back as it is stays as it is', async () => {
  const { store } = await endedRun('plain');
  const [first] = await loadChunks(store, 0, -1);
  await store.batch([chunkOp(0, { ...first!, enc: { ...first!.enc, part: 7 } })]);
  expect(await foldRun(store, 0)).toEqual({ is: 'inexact' });
  const said: object[] = [];
  const logger = { ...silentLogger, warn: (fields: object) => void said.push(fields) };
  expect(await (await jobOver(store, { logger })).piece()).toBe(false);
  expect(said).toEqual([{ rno: 0 }]);
});

test('nothing is folded while the disk is full', async () => {
  const { store } = await endedRun('plain');
  const job = await jobOver(store, { journal: { accepting: () => false, commit: () => Promise.reject(new Error()) } });
  expect(await job.piece()).toBe(false);
});

test('whatever commit a crash comes at, each run is folded or not, and the job goes on', async () => {
  const clock = new FakeClock();
  const b = await bench([echo()], { clock });
  const runs = [];
  for (let i = 0; i < 40; i++) runs.push(await b.start('echo', `${i}`, { thread_id: `t${i}` }));
  const told = await Promise.all(runs.map(({ run_id }) => b.events(run_id)));
  await b.engine.close(0);
  const { disk } = b.store;
  for (let crashes = 0, over = false; !over; crashes++) {
    expect(crashes).toBeLessThan(10);
    const at = disk.batches + (crashes % 2);
    const store = new MemoryStore(disk, {
      batch: (number) => (number === at ? (crashes % 2 ? 'crash-after' : 'crash-before') : 'ok'),
    });
    const journal = await Journal.open(store);
    const later = new FakeClock(clock.now() + QUIET_MS + 1);
    const job = new Compaction({ store, journal, clock: later, logger: silentLogger, isBuried: () => false });
    const work = (async () => {
      while (await job.piece());
      over = true;
    })();
    await Promise.race([work, store.crashed]);
    store.crash();
    const reread = new MemoryStore(disk);
    for (const [i, run] of runs.entries())
      expect((await loadChunks(reread, i, -1)).flatMap((chunk) => [...canonicalEvents(chunk, run)])).toEqual(told[i]);
    reread.crash();
  }
  for (const i of runs.keys()) {
    const store = new MemoryStore(disk);
    expect(isFolded(store, i)).toEqual([true]);
    store.crash();
  }
});

test('the engine folds by itself what has been over for a while', async () => {
  const clock = new FakeClock();
  let seen = (): void => {};
  const folded = new Promise<void>((resolve) => (seen = resolve));
  const store = new MemoryStore(undefined, {
    batch: (_, ops) => (ops.some(({ key }) => key.equals(keys.foldedLog(0))) && seen(), 'ok'),
  });
  const b = await bench([echo()], { clock, store });
  const { run_id } = await b.start('echo', 'hi');
  const before = await b.events(run_id);
  clock.advance(QUIET_MS + EVERY_MS);
  await folded;
  await b.engine.close(0);
  const again = await bench([echo()], { clock, store: new MemoryStore(store.disk) });
  expect(isFolded(again.store, 0)).toEqual([true]);
  expect(await again.events(run_id)).toEqual(before);
  await again.engine.close(0);
});
