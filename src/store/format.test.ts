import { expect, it } from 'vitest';
import { FormatError } from './errors.js';
import { FORMAT, openFormat } from './format.js';
import { everything, meta, run } from './keys.js';
import { MemoryStore } from './memory.js';
import type { Key } from './port.js';

async function storeWith(key: Key, value: unknown): Promise<MemoryStore> {
  const store = new MemoryStore();
  await store.batch([{ type: 'put', key, value: typeof value === 'string' ? value : JSON.stringify(value) }]);
  return store;
}

it('marks an empty store, and opens it again', async () => {
  const store = new MemoryStore();
  await openFormat(store);
  expect(JSON.parse((await store.get(meta('format')))!)).toEqual({ format: FORMAT, engine: 'embedded' });
  await openFormat(store);
  expect(store.disk.size).toBe(1);
});

it.each([
  ['a newer format', 'newer', meta('format'), { format: FORMAT + 1, engine: 'embedded' }],
  ['a newer format of another engine', 'newer', meta('format'), { format: FORMAT + 1, engine: 'other' }],
  ['another engine', 'other_engine', meta('format'), { format: FORMAT, engine: 'other' }],
  ['rows without a format', 'foreign', run(1), {}],
  ['rows that sort before and after all of ours', 'foreign', Buffer.of(0, 1), {}],
  ['a format row that is no JSON', 'foreign', meta('format'), '{'],
  ['a format row that is null', 'foreign', meta('format'), 'null'],
  ['a format row without a number', 'foreign', meta('format'), { format: '1', engine: 'embedded' }],
])('refuses %s and changes nothing', async (_, reason, key, value) => {
  const store = await storeWith(key, value);
  const rows = store.disk.rows(everything());
  const refusal: unknown = await openFormat(store).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(FormatError);
  expect((refusal as FormatError).reason).toBe(reason);
  expect(store.disk.rows(everything())).toEqual(rows);
});
