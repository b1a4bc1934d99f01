import { describe, expect, it } from 'vitest';
import { StoreLocked } from './errors.js';
import { everything, message } from './keys.js';
import { Disk } from './memory-disk.js';
import { type Faults, MemoryStore, type Outcome } from './memory.js';
import { type Op, type Store, StoreBroken } from './port.js';
import { storeConformance } from './store.conformance.js';

storeConformance('memory', async () => {
  const disk = new Disk();
  return { open: async () => new MemoryStore(disk), remove: async () => {} };
});

const row = (n: number): Op => ({ type: 'put', key: message(1, n), value: `${n}` });
const plan = (...outcomes: Outcome[]): Faults => ({ batch: (number) => outcomes[number] ?? 'ok' });

async function values(store: Store): Promise<string[]> {
  const found: string[] = [];
  for await (const [, value] of store.range(everything())) found.push(value);
  return found;
}

/** 'pending' when the promise has not settled after everything that could settle it has had its turn. */
async function outcomeOf(promise: Promise<unknown>): Promise<unknown> {
  const turn = new Promise((resolve) => setImmediate(resolve));
  return Promise.race([promise.then(() => 'resolved').catch(() => 'rejected'), turn.then(() => 'pending')]);
}

describe('a crash', () => {
  for (const [fate, left] of [
    ['crash-before', ['0']],
    ['crash-after', ['0', '1']],
  ] as const) {
    it(`${fate}: nothing settles any more, and the next store sees ${left.length} rows`, async () => {
      const disk = new Disk();
      const store = new MemoryStore(disk, plan('ok', fate));
      await store.batch([row(0)]);
      const dying = store.batch([row(1)]);
      await store.crashed;
      const calls = [
        dying,
        store.batch([row(2)]),
        store.get(message(1, 0)),
        store.getMany([]),
        values(store),
        store.reopen(),
        store.freeBytes(),
        store.close(),
      ];
      expect(await Promise.all(calls.map(outcomeOf))).toEqual(calls.map(() => 'pending'));
      expect(await values(new MemoryStore(disk))).toEqual(left);
    });
  }

  it('from outside takes the batch under way with it', async () => {
    const disk = new Disk();
    let open = (): void => {};
    const gate = new Promise<void>((resolve) => (open = resolve));
    const store = new MemoryStore(disk, plan({ slow: gate }));
    const batch = store.batch([row(0)]);
    expect(await outcomeOf(batch)).toBe('pending');
    store.crash();
    open();
    expect(await outcomeOf(batch)).toBe('pending');
    expect(await values(new MemoryStore(disk))).toEqual([]);
  });

  it('silences a range that was being read', async () => {
    const store = new MemoryStore();
    await store.batch([row(0), row(1)]);
    const rows = store.range(everything())[Symbol.asyncIterator]();
    await rows.next();
    store.crash();
    expect(await outcomeOf(rows.next())).toBe('pending');
  });
});

describe('a failed batch', () => {
  for (const fate of ['fail-lost', 'fail-landed'] as const) {
    it(`${fate}: breaks the store for writing until it is reopened`, async () => {
      const store = new MemoryStore(new Disk(), plan('ok', fate));
      await store.batch([row(0)]);
      const failing = store.batch([row(1)]);
      const behind = store.batch([row(2)]);
      await expect(failing).rejects.toMatchObject({ code: 'ENOSPC' });
      await expect(behind).rejects.toThrow(StoreBroken);
      await expect(store.batch([row(3)])).rejects.toThrow(StoreBroken);
      expect(await values(store)).toEqual(['0']);
      await store.reopen();
      await store.batch([row(4)]);
      expect(await values(store)).toEqual(fate === 'fail-landed' ? ['0', '1', '4'] : ['0', '4']);
    });
  }

  it('that landed is seen by the next store when the process dies before a reopen', async () => {
    const disk = new Disk();
    const store = new MemoryStore(disk, plan('fail-landed'));
    await expect(store.batch([row(0)])).rejects.toThrow();
    store.crash();
    expect(await values(new MemoryStore(disk))).toEqual(['0']);
  });

  it('leaves no handle, not even for reads, while the reopen fails', async () => {
    const store = new MemoryStore(new Disk(), { ...plan('fail-lost'), reopenFails: (attempt) => attempt < 2 });
    await expect(store.batch([row(0)])).rejects.toThrow();
    for (let attempt = 0; attempt < 2; attempt++) {
      await expect(store.reopen()).rejects.toThrow('ENOSPC');
      await expect(store.get(message(1, 0))).rejects.toMatchObject({ code: 'storage_unavailable' });
    }
    await store.reopen();
    await store.batch([row(1)]);
    expect(await values(store)).toEqual(['1']);
  });
});

it('holds a slow batch until its gate opens, then lets it meet its fate', async () => {
  let open = (): void => {};
  const gate = new Promise<void>((resolve) => (open = resolve));
  const store = new MemoryStore(new Disk(), plan({ slow: gate, then: 'fail-lost' }));
  const batch = store.batch([row(0)]);
  expect(await outcomeOf(batch)).toBe('pending');
  open();
  await expect(batch).rejects.toThrow('ENOSPC');
});

it('numbers batches over the life of the disk', async () => {
  const disk = new Disk();
  const seen: number[] = [];
  const faults: Faults = {
    batch: (number) => {
      seen.push(number);
      return number === 1 ? 'crash-before' : 'ok';
    },
  };
  const first = new MemoryStore(disk, faults);
  expect(() => new MemoryStore(disk)).toThrow(StoreLocked);
  await first.batch([]);
  void first.batch([]);
  await first.crashed;
  await new MemoryStore(disk, faults).batch([]);
  expect(seen).toEqual([0, 1, 2]);
});
