import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { message, messagesOf } from './keys.js';
import { MemoryStore } from './memory.js';
import type { Key, Range } from './port.js';
import { limitReads, Turns } from './reads.js';

/** A store whose reads end only when the test lets them, one by one. */
class Held extends MemoryStore {
  readonly held: { of: string; go: () => void }[] = [];
  most = 0;
  override get(key: Key): Promise<string | undefined> {
    return this.#hold(key.toString(), () => super.get(key));
  }
  override async *range(range: Range): ReturnType<MemoryStore['range']> {
    const rows = super.range(range)[Symbol.asyncIterator]();
    for (;;) {
      const row = await this.#hold('range', () => rows.next());
      if (row.done === true) return;
      yield row.value;
    }
  }
  async #hold<T>(of: string, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((resolve) => {
      this.held.push({ of, go: resolve });
      this.most = Math.max(this.most, this.held.length);
    });
    return work();
  }
  async letAll(): Promise<string[]> {
    const order: string[] = [];
    for (await turn(); this.held.length > 0; await turn()) {
      const { of, go } = this.held.shift()!;
      order.push(of);
      go();
    }
    return order;
  }
}

it('lets so many reads run at a time, in the order they were asked for', async () => {
  const store = new Held();
  const reads = limitReads(store, 4);
  const names = Array.from({ length: 20 }, (_, i) => `k${i}`);
  const done = Promise.all(names.map((name) => reads.get(Buffer.from(name))));
  await turn();
  expect(store.held).toHaveLength(4);
  expect(await store.letAll()).toEqual(names);
  await done;
  expect(store.most).toBe(4);
});

it('serves others between the pieces of a range', async () => {
  const store = new Held();
  await store.batch([0, 1, 2].map((n) => ({ type: 'put', key: message(1, n), value: `${n}` })));
  const reads = limitReads(store, 1);
  const values: string[] = [];
  const scan = (async () => {
    for await (const [, value] of reads.range(messagesOf(1))) values.push(value);
  })();
  const gets = ['a', 'b'].map((name) => reads.get(Buffer.from(name)));
  expect(await store.letAll()).toEqual(['range', 'a', 'b', 'range', 'range', 'range']);
  await Promise.all([scan, ...gets]);
  expect(values).toEqual(['0', '1', '2']);
});

it('holds no turn for a consumer that takes its time, and ends the range it leaves', async () => {
  const store = new MemoryStore();
  await store.batch([0, 1].map((n) => ({ type: 'put', key: message(1, n), value: `${n}` })));
  const reads = limitReads(store, 1);
  let ended = false;
  const watched = {
    ...reads,
    range: async function* (range: Range) {
      try {
        yield* store.range(range);
      } finally {
        ended = true;
      }
    },
  };
  for await (const [, value] of limitReads(watched, 1).range(messagesOf(1))) {
    expect(value).toBe('0');
    expect(await reads.getMany([message(1, 1)])).toEqual(['1']);
    break;
  }
  expect(ended).toBe(true);
});

it('gives the turn back when a read fails', async () => {
  const turns = new Turns(1);
  await expect(turns.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await turns.run(async () => 'yes')).toBe('yes');
});
