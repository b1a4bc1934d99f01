/** The audit log by itself: numbers, bounds, and what a store that refuses does to it. */

import { expect, test } from 'vitest';
import * as keys from '../../store/keys.js';
import { MemoryStore } from '../../store/memory.js';
import type { AuditEntry } from '../inspection.js';
import { AuditLog } from './audit-log.js';
import { LedgerNumbers } from './ledger.js';

const entry = (action: string, at = 1): AuditEntry => ({
  at,
  principal: 'p',
  action,
  target: {},
  reason: null,
  status: 200,
  request_id: 'r',
});
const opened = (store: MemoryStore, numbers = new LedgerNumbers()) =>
  new AuditLog({ store, commit: (ops) => store.batch([...ops]), numbers }, { records: 4, slack: 2 });
const everything = { offset: 0, limit: 200 };

test('numbers rise, also within a millisecond and when the clock goes back', () => {
  const numbers = new LedgerNumbers();
  const given = [5, 5, 5, 3, 9].map((at) => numbers.next(at));
  expect(given).toEqual([...given].sort((a, b) => a - b));
  expect(new Set(given).size).toBe(5);
  numbers.taken(10_000);
  expect(numbers.next(1)).toBe(10_001);
});

test('the newest records are kept, in memory and in the store', async () => {
  const store = new MemoryStore();
  const log = opened(store);
  for (let i = 0; i < 30; i++) await log.record(entry(`a${i}`, i));
  const { items, total } = await log.page({}, everything);
  expect(total).toBeGreaterThanOrEqual(4);
  expect(total).toBeLessThanOrEqual(7);
  expect(items.map(({ action }) => action)).toEqual(Array.from({ length: total }, (_, i) => `a${29 - i}`));
  let rows = 0;
  for await (const _ of store.range(keys.allLedger())) rows++;
  expect(rows).toBe(total);
});

test('what was recorded before is there, and comes behind what is recorded while it is read', async () => {
  const store = new MemoryStore();
  const numbers = new LedgerNumbers();
  await opened(store, numbers).record(entry('old'));
  await store.batch([{ type: 'put', key: keys.ledger(numbers.next(2)), value: '{"kind":"late_outcome"}' }]);
  const log = opened(store, numbers);
  const [page] = await Promise.all([log.page({}, everything), log.record(entry('new', 3))]);
  expect(page.total).toBeGreaterThanOrEqual(1);
  expect((await log.page({}, everything)).items.map(({ action }) => action)).toEqual(['new', 'old']);
});

test('a record that the store refuses is none', async () => {
  const store = new MemoryStore();
  const log = new AuditLog({ store, commit: () => Promise.reject(new Error('full')), numbers: new LedgerNumbers() });
  await expect(log.record(entry('x'))).rejects.toThrow('full');
  expect((await log.page({}, everything)).total).toBe(0);
});
