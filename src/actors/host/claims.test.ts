import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import * as keys from '../../store/keys.js';
import { MemoryStore } from '../../store/memory.js';
import { Claims } from './claims.js';
import { putRow, type RunName } from '../thread/rows.js';

const name = (hash: string): RunName => ({ rno: 1, tno: 2, hash });

describe('claims of run ids', () => {
  test('a free id is the first one’s, who holds it with the hash of its body', async () => {
    const claims = new Claims(new MemoryStore());
    expect(await claims.claim('r', 'hash')).toBeUndefined();
    expect([claims.isHeld('r'), claims.hashOf('r')]).toEqual([true, 'hash']);
    expect([claims.isHeld('other'), claims.hashOf('other')]).toEqual([false, null]);
  });

  test('a taken id is told with its name, and is not held', async () => {
    const store = new MemoryStore();
    await store.batch([putRow(keys.runName('r'), name('old'))]);
    const claims = new Claims(store);
    expect(await claims.claim('r', 'new')).toEqual(name('old'));
    expect(claims.isHeld('r')).toBe(false);
  });

  test('a second one waits for the first, and is told what became of it', async () => {
    const store = new MemoryStore();
    const claims = new Claims(store);
    await claims.claim('r', 'first');
    let told: unknown = 'nothing';
    const second = claims.claim('r', 'second').then((found) => (told = found));
    await turn();
    expect(told).toBe('nothing');
    await store.batch([putRow(keys.runName('r'), name('first'))]);
    claims.release('r');
    expect(await second).toEqual(name('first'));
    expect(claims.isHeld('r')).toBe(false);
  });

  test('after a refused start exactly one of those that wait gets the id', async () => {
    const claims = new Claims(new MemoryStore());
    await claims.claim('r', 'refused');
    const got: string[] = [];
    const waiting = ['b', 'c', 'd'].map((hash) =>
      claims.claim('r', hash).then((found) => {
        expect(found).toBeUndefined();
        got.push(hash);
      }),
    );
    claims.release('r');
    for (const hash of ['b', 'c', 'd']) {
      await expect.poll(() => got.at(-1)).toBe(hash);
      expect(claims.hashOf('r')).toBe(hash);
      claims.release('r');
    }
    await Promise.all(waiting);
  });

  test('a store that cannot be read leaves nothing behind', async () => {
    const store = new MemoryStore();
    const claims = new Claims(store);
    await store.close();
    await expect(claims.claim('r', 'hash')).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect(claims.isHeld('r')).toBe(false);
  });

  test('a claim is for one start; one that was made for a start of its own is for no other', async () => {
    const claims = new Claims(new MemoryStore());
    expect(claims.take('r')).toBe(false);
    await claims.claim('r', 'hash');
    expect([claims.take('r'), claims.take('r')]).toEqual([true, false]);
    claims.release('r');
    await claims.claim('r', 'hash', true);
    expect(claims.take('r')).toBe(false);
  });

  test('releasing what is not held is harmless', () => {
    expect(() => new Claims(new MemoryStore()).release('r')).not.toThrow();
  });
});
