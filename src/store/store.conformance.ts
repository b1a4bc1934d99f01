/** The port's contract (`port.ts`) as tests, for any implementation. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import fc from '../../test/support/property.js';
import { StoreLocked } from './errors.js';
import { everything } from './keys.js';
import type { Key, Op, Range, Store } from './port.js';

/** One place of data, empty at first: each `open` opens what the last store on it left. */
export interface Place {
  open(): Promise<Store>;
  remove(): Promise<void>;
}

const key = (...bytes: number[]): Key => Buffer.from(bytes);
const put = (k: Key, value: string): Op => ({ type: 'put', key: k, value });
const del = (k: Key): Op => ({ type: 'del', key: k });
const all = everything();

async function rows(store: Store, range: Range = all): Promise<[string, string][]> {
  const found: [string, string][] = [];
  for await (const [k, value] of store.range(range)) found.push([k.toString('hex'), value]);
  return found;
}

export function storeConformance(name: string, makePlace: () => Promise<Place>): void {
  describe(`store: ${name}`, () => {
    let place: Place;
    let store: Store;
    beforeEach(async () => {
      place = await makePlace();
      store = await place.open();
    });
    afterEach(async () => {
      await store.close();
      await place.remove();
    });

    it('answers undefined for a key it does not have', async () => {
      await store.batch([put(key(1), 'one')]);
      expect(await store.get(key(2))).toBeUndefined();
      expect(store.getNow(key(1))).toEqual({ value: 'one' });
      expect(store.getNow(key(2))).toEqual({ value: undefined });
      expect(await store.getMany([key(1), key(2), key(1)])).toEqual(['one', undefined, 'one']);
      expect(await store.getMany([])).toEqual([]);
    });

    it('applies a batch in order: the last operation on a key wins', async () => {
      await store.batch([put(key(1), 'a'), put(key(1), 'b'), put(key(2), 'c'), del(key(2))]);
      expect(await rows(store)).toEqual([['01', 'b']]);
      await store.batch([del(key(1)), del(key(9))]);
      expect(await rows(store)).toEqual([]);
    });

    it('accepts a batch without operations', async () => {
      await store.batch([]);
      expect(await rows(store)).toEqual([]);
    });

    it('keeps text as it is: empty, beyond the BMP, a megabyte', async () => {
      const values = ['', '""', '{"t":"žluťoučký 👩‍🚀 \\u0000"}', 'x'.repeat(1 << 20)];
      await store.batch(values.map((value, i) => put(key(1, i), value)));
      expect(await store.getMany(values.map((_, i) => key(1, i)))).toEqual(values);
    });

    it('takes batches that are made at the same time in the order they were made', async () => {
      await Promise.all(Array.from({ length: 20 }, (_, i) => store.batch([put(key(1), `${i}`), put(key(2, i), '')])));
      expect(await store.get(key(1))).toBe('19');
      expect(await rows(store)).toHaveLength(21);
    });

    it('reads in byte order between the bounds, either way, up to the limit', async () => {
      const anyKey = fc.uint8Array({ minLength: 1, maxLength: 3 }).map((bytes) => Buffer.from([7, ...bytes]));
      const anyRange = fc.record({ a: anyKey, b: anyKey, reverse: fc.boolean(), limit: fc.option(fc.nat(6)) });
      await fc.assert(
        fc.asyncProperty(fc.array(anyKey, { maxLength: 30 }), anyRange, async (keys, { a, b, reverse, limit }) => {
          await store.batch(keys.map((k) => put(k, k.toString('hex'))));
          const range: Range = { gte: a, lt: b, reverse, ...(limit === null ? {} : { limit }) };
          const unique = [...new Map(keys.map((k) => [k.toString('hex'), k])).values()];
          const expected = unique.filter((k) => Buffer.compare(k, a) >= 0 && Buffer.compare(k, b) < 0);
          expected.sort((x, y) => (reverse ? Buffer.compare(y, x) : Buffer.compare(x, y)));
          const found = await rows(store, range);
          expect(found.map(([k]) => k)).toEqual(expected.slice(0, limit ?? Infinity).map((k) => k.toString('hex')));
          expect(found.every(([k, value]) => k === value)).toBe(true);
          await store.batch(keys.map(del));
        }),
        { numRuns: 60 },
      );
    });

    it('reads ranges longer than one piece whole', async () => {
      await store.batch(Array.from({ length: 3000 }, (_, i) => put(key(3, i >> 8, i & 255), `${i}`.padEnd(60))));
      expect((await rows(store)).map(([, value]) => Number(value))).toEqual(Array.from({ length: 3000 }, (_, i) => i));
    });

    it('shows a range as it was when its first row was read, while batches go on', async () => {
      const width = 2500;
      const at = (i: number): Key => key(4, i >> 8, i & 255);
      await store.batch(Array.from({ length: width }, (_, i) => put(at(i), 'old')));
      const seen: string[] = [];
      for await (const [, value] of store.range(all)) {
        if (seen.length === 0) {
          await store.batch(Array.from({ length: width }, (_, i) => (i % 2 ? del(at(i)) : put(at(i), 'new'))));
          await store.batch([put(key(5), 'new')]);
        }
        seen.push(value);
      }
      expect(seen).toEqual(Array.from({ length: width }, () => 'old'));
      expect((await rows(store)).map(([, value]) => value)).toEqual(Array.from({ length: width / 2 + 1 }, () => 'new'));
    });

    it('lets go of a range that is left early', async () => {
      await store.batch(Array.from({ length: 10 }, (_, i) => put(key(i + 1), '')));
      for await (const [k] of store.range(all)) {
        expect(k).toEqual(key(1));
        break;
      }
      await store.close();
      store = await place.open();
      expect(await rows(store)).toHaveLength(10);
    });

    it('keeps everything over a close and an opening', async () => {
      await store.batch([put(key(1), 'kept'), put(key(2), 'x')]);
      await store.batch([del(key(2))]);
      await store.close();
      store = await place.open();
      expect(await rows(store)).toEqual([['01', 'kept']]);
    });

    it('reopens with everything resolved, and takes batches again', async () => {
      await store.batch([put(key(1), 'before')]);
      await store.reopen();
      await store.batch([put(key(2), 'after')]);
      expect(await rows(store)).toEqual([
        ['01', 'before'],
        ['02', 'after'],
      ]);
    });

    it('lets reads that meet a reopen wait for it', async () => {
      await store.batch([put(key(1), 'x')]);
      const reopened = store.reopen();
      expect(await store.get(key(1))).toBe('x');
      await reopened;
    });

    it('is refused to a second one while it is open', async () => {
      await expect(place.open()).rejects.toThrow(StoreLocked);
      await store.batch([put(key(1), 'unharmed')]);
      expect(await store.get(key(1))).toBe('unharmed');
    });

    it('refuses everything once it is closed', async () => {
      await store.close();
      await expect(store.batch([put(key(1), '')])).rejects.toThrow('closed');
      await expect(store.reopen()).rejects.toThrow('closed');
      await expect(store.get(key(1))).rejects.toMatchObject({ code: 'storage_unavailable' });
      await expect(store.getMany([key(1)])).rejects.toMatchObject({ code: 'storage_unavailable' });
      await expect(rows(store)).rejects.toMatchObject({ code: 'storage_unavailable' });
      await store.close();
    });

    it('tells how much is free', async () => {
      expect(await store.freeBytes()).toBeGreaterThan(0);
      expect((await store.usedBytes()) ?? 1).toBeGreaterThan(0);
    });
  });
}
