/** Ended entries are forgotten a day after their end, not before, however many there are (CONTRACT 4.2). */

import { expect, test } from 'vitest';
import { bench } from '../../../test/support/engine.js';
import { FakeClock } from '../../../test/support/fake-clock.js';
import { echo } from '../../../test/support/service.js';
import { Journal } from '../../store/journal.js';
import * as keys from '../../store/keys.js';
import { MemoryStore } from '../../store/memory.js';
import { KEPT_MS, MailboxPurge } from './mailbox-purge.js';
import { silentLogger } from '../logger.js';
import { eventually } from '../../../test/support/eventually.js';

const HOUR = 60 * 60 * 1000;

test('those of runs that ended long ago, and only they', async () => {
  const clock = new FakeClock();
  const b = await bench([echo()], { clock });
  const entries = () =>
    b.engine.list({ kind: 'mailbox', thread_id: 't', offset: 0, limit: 9 }).then(({ items }) => items.length);
  await b.settle((await b.start('echo', 'one', { thread_id: 't' })).run_id);
  clock.advance(20 * HOUR);
  await b.settle((await b.start('echo', 'two', { thread_id: 't' })).run_id);
  expect(await entries()).toBe(2);
  clock.advance(3 * HOUR);
  expect(await entries()).toBe(2);
  // Each pass is followed by a timer of its own, so time has to move more than once.
  await eventually(async () => (clock.advance(HOUR / 2), expect(await entries()).toBe(1)));
  await b.engine.close(0);
});

test('a pass goes through any number of entries, in pieces', async () => {
  const store = new MemoryStore();
  const clock = new FakeClock();
  const journal = await Journal.open(store);
  const ended = (at: number) => JSON.stringify({ updated_at: at });
  const now = clock.now();
  for (let tno = 0; tno < 5; tno++)
    await store.batch(
      Array.from({ length: 700 }, (_, n) => ({
        type: 'put' as const,
        key: keys.history(tno, n),
        value: ended(n % 7 === 0 ? now : now - KEPT_MS),
      })),
    );
  const purge = new MailboxPurge({ store, journal, clock, logger: silentLogger });
  const pass = purge.pass();
  let over = false;
  void pass.then(() => (over = true));
  await eventually(() => (clock.advance(100), expect(over).toBe(true)));
  expect(store.disk.rows(keys.allHistory())).toHaveLength(5 * 100);
});

test('what the store refuses is tried again in the next pass', async () => {
  const store = new MemoryStore();
  const clock = new FakeClock();
  await store.batch([{ type: 'put', key: keys.history(1, 1), value: JSON.stringify({ updated_at: 0 }) }]);
  let refusals = 0;
  const journal = await Journal.open(store);
  const purge = new MailboxPurge({
    store,
    journal: { commit: (ops) => (refusals++ === 0 ? Promise.reject(new Error('full')) : journal.commit(ops)) },
    clock,
    logger: silentLogger,
  });
  purge.start();
  await eventually(() => (clock.advance(HOUR), expect(store.disk.rows(keys.allHistory())).toEqual([])));
  expect(refusals).toBe(2);
  await purge.close();
});
