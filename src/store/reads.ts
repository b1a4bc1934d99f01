/**
 * A store for readers: of all its reads at most so many are under way at a time, whoever asks.
 *
 * Two hundred readers that page through the store move the median commit from 0.2 to 20 ms: reads and the writer share
 * LevelDB's lock and the thread pool. Turns are given in the order they were asked for, and a range takes one per piece
 * it reads, not for its whole life: a long scan is served between the others, and a slow consumer holds nothing.
 *
 * Writing, reopening and closing are not for readers.
 */

import type { Key, Range, Store } from './port.js';

/** What a reader may do with a store. */
export type Reads = Pick<Store, 'get' | 'getMany' | 'range'>;

/** At most `turns` callers run at a time, in the order they came. */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  constructor(private free: number) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.free += 1;
    }
  }
}

/** The store, with at most `atOnce` reads at a time over all users of the object returned. */
export function limitReads(store: Reads, atOnce = 4): Reads {
  const turns = new Turns(atOnce);
  return {
    get: (key: Key) => turns.run(() => store.get(key)),
    getMany: (keys: Key[]) => turns.run(() => store.getMany(keys)),
    range: (range: Range) => inTurns(store.range(range), turns),
  };
}

async function* inTurns<T>(rows: AsyncIterable<T>, turns: Turns): AsyncGenerator<T> {
  const reader = rows[Symbol.asyncIterator]();
  try {
    for (;;) {
      const row = await turns.run(() => reader.next());
      if (row.done === true) return;
      yield row.value;
    }
  } finally {
    await reader.return?.();
  }
}
