/** Events go when their time has come, and nothing else does (CONTRACT 1.7, 10.1). */

import { expect, test } from 'vitest';
import { endedRun } from '../../../test/logs/kinds.js';
import { bench } from '../../../test/support/engine.js';
import { FakeClock } from '../../../test/support/fake-clock.js';
import { echo } from '../../../test/support/service.js';
import { ErrorCode } from '../../errors.js';
import { Journal } from '../../store/journal.js';
import * as keys from '../../store/keys.js';
import { MemoryStore } from '../../store/memory.js';
import { appendChunkOp, hasLog } from '../../store/log.js';
import { Expiry, type ExpiryPort } from './expiry.js';
import { EVERY_MS } from './keeper.js';

const DAY = 24 * 60 * 60 * 1000;
const AT = 1_000_000;

async function jobOver(store: MemoryStore, change: Partial<ExpiryPort> = {}): Promise<Expiry> {
  const journal = await Journal.open(store);
  const clock = new FakeClock(AT + DAY + 1);
  return new Expiry({ store, journal, clock, kept_ms: DAY, expired: () => {}, ...change });
}

const { signal } = new AbortController();

/** A run that ended at `at`, with a log of so many chunks. */
const putLog = (store: MemoryStore, rno: number, at: number, chunks: number): Promise<void> =>
  store.batch([
    { type: 'put', key: keys.ended(at, rno), value: '1' },
    ...Array.from({ length: chunks }, (_, n) => appendChunkOp(rno, { n, t0: 0, enc: {}, events: [n] })),
  ]);

test('the logs of runs that ended long enough ago go, in chunks or folded, and no others', async () => {
  const store = new MemoryStore();
  await putLog(store, 1, AT, 3);
  await putLog(store, 2, AT + 1, 3);
  await putLog(store, 3, AT - 1, 0);
  await store.batch([{ type: 'put', key: keys.foldedLog(3), value: '[]' }]);
  const expired: number[] = [];
  expect(await (await jobOver(store, { expired: (rno) => expired.push(rno) })).piece(signal)).toBe(false);
  expect(expired).toEqual([3, 1]);
  expect(await Promise.all([1, 2, 3].map((rno) => hasLog(store, rno)))).toEqual([false, true, false]);
  expect(store.disk.rows(keys.familyOf('Z'))).toHaveLength(1);
});

test('a row of a run that is gone goes too, and events that are kept for longer than time are kept', async () => {
  const store = new MemoryStore();
  await putLog(store, 1, AT, 0);
  expect(await (await jobOver(store, { kept_ms: 1e300 })).piece(signal)).toBe(false);
  expect(store.disk.rows(keys.familyOf('Z'))).toHaveLength(1);
  await (await jobOver(store, { kept_ms: 0.5 })).piece(signal);
  expect(store.disk.rows(keys.familyOf('Z'))).toEqual([]);
});

test('a long log goes in pieces: a crash at any of them leaves it without its beginning, and the next sweep ends it', async () => {
  const first = new MemoryStore();
  const { disk } = first;
  await putLog(first, 1, AT, 1_000);
  await putLog(first, 2, AT, 100);
  first.crash();
  for (let crashes = 0, left = 1_100; left > 0; crashes++) {
    expect(crashes).toBeLessThan(12);
    const at = disk.batches + (crashes % 2);
    const store = new MemoryStore(disk, { batch: (number) => (number === at ? 'crash-after' : 'ok') });
    await Promise.race([(await jobOver(store)).piece(signal), store.crashed]);
    store.crash();
    const reread = new MemoryStore(disk);
    expect(await hasLog(reread, 1)).toBe(false);
    left = disk.rows(keys.logOf(1)).length + disk.rows(keys.logOf(2)).length;
    if (left > 0) expect(disk.rows(keys.familyOf('Z'))).not.toEqual([]);
    reread.crash();
  }
});

test('a sweep that is stopped stops between two commits', async () => {
  const store = new MemoryStore();
  await putLog(store, 1, AT, 1_000);
  const stop = new AbortController();
  const journal = await Journal.open(store);
  const commit: Journal['commit'] = (ops) => (stop.abort(), journal.commit(ops));
  await (await jobOver(store, { journal: { commit } })).piece(stop.signal);
  expect(store.disk.rows(keys.logOf(1)).length).toBeGreaterThan(0);
  expect(store.disk.rows(keys.familyOf('Z'))).toHaveLength(1);
});

test('the engine forgets the events and keeps everything else, also over a restart', async () => {
  const clock = new FakeClock();
  const b = await bench([echo()], { clock, events_ms: DAY });
  const old = await b.start('echo', 'one', { thread_id: 't' });
  await b.events(old.run_id);
  await b.engine.close(0);

  clock.advance(DAY / 2);
  let gone = (): void => {};
  const expired = new Promise<void>((resolve) => (gone = resolve));
  const store = new MemoryStore(b.store.disk, {
    batch: (_, ops) => (ops.some(({ type, key }) => type === 'del' && key[0] === 'Z'.charCodeAt(0)) && gone(), 'ok'),
  });
  const c = await bench([echo()], { clock, events_ms: DAY, store });
  const young = await c.start('echo', 'two', { thread_id: 't' });
  const told = await c.events(young.run_id);
  const reader = await c.engine.readEvents(old.run_id, -1);
  await reader.next();
  const [record, messages] = [await c.run(old.run_id), await c.messages('t')];
  clock.advance(DAY / 2 + EVERY_MS);
  await expired;
  await expect(c.engine.readEvents(old.run_id, -1)).rejects.toMatchObject({ code: ErrorCode.eventsExpired });
  expect(await reader.next()).toBeUndefined();
  expect([await c.run(old.run_id), await c.messages('t')]).toEqual([record, messages]);
  expect(await c.events(young.run_id)).toEqual(told);
  await c.engine.close(0);
});

test('a run that ended a moment ago is not held for one that has expired', async () => {
  const { store, run } = await endedRun('cancelled');
  const b = await bench([echo()], { store });
  const reader = await b.engine.readEvents(run.run_id, 1);
  expect(await reader.next()).toBeDefined();
  await b.engine.close(0);
});
