import { describe, expect, it } from 'vitest';
import fc from '../../test/support/property.js';
import { MAX_ORDINAL, meta } from './keys.js';
import { MemoryStore } from './memory.js';
import { Ordinals } from './ordinals.js';
import type { Op } from './port.js';

describe('ordinals', () => {
  it('count from 0, each with the reservation of its block until that is durable', async () => {
    const store = new MemoryStore();
    const runs = await Ordinals.open(store, 'run', 2);
    const drawn = [runs.next(), runs.next(), runs.next()];
    expect(drawn.map(({ value }) => value)).toEqual([0, 1, 2]);
    expect(drawn[1]!.ops).toEqual(drawn[0]!.ops);
    expect(drawn[2]!.ops).not.toEqual(drawn[0]!.ops);
    runs.landed(2);
    expect(runs.next()).toEqual({ value: 3, ops: [] });
    expect(runs.next().ops).toHaveLength(1);
  });

  it('are independent of each other', async () => {
    const store = new MemoryStore();
    const runs = await Ordinals.open(store, 'run');
    const threads = await Ordinals.open(store, 'thread');
    await store.batch([...runs.next().ops, ...threads.next().ops]);
    expect(threads.next().value).toBe(1);
    expect((await Ordinals.open(store, 'run')).next().value).toBe(1024);
    expect((await Ordinals.open(store, 'ru')).next().value).toBe(0);
  });

  it('end with the last number a key can hold', async () => {
    const store = new MemoryStore();
    await store.batch([{ type: 'put', key: meta('ordinals/run/281474976709632'), value: `${MAX_ORDINAL + 1 - 1024}` }]);
    const runs = await Ordinals.open(store, 'run');
    let last = runs.next().value;
    while (last < MAX_ORDINAL) last = runs.next().value;
    expect(() => runs.next()).toThrow(RangeError);
  });

  /** Commits land in any order, fail or are never made; the process crashes and starts again with another block size. */
  it('never give a number again that became durable', async () => {
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.constant({ do: 'draw' as const }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('land' as const), which: fc.nat(20), tell: fc.boolean() }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('lose' as const), which: fc.nat(20) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('crash' as const), block: fc.integer({ min: 1, max: 5 }) }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
        const store = new MemoryStore();
        let ordinals = await Ordinals.open(store, 'run', 3);
        let drawn: { value: number; ops: Op[] }[] = [];
        const given = new Set<number>();
        const durable = new Set<number>();
        for (const s of steps) {
          if (s.do === 'draw') {
            const next = ordinals.next();
            expect(durable).not.toContain(next.value);
            expect(given).not.toContain(next.value);
            given.add(next.value);
            drawn.push(next);
          } else if (s.do === 'crash') {
            drawn = [];
            given.clear();
            ordinals = await Ordinals.open(store, 'run', s.block);
          } else if (drawn.length > 0) {
            const [{ value, ops }] = drawn.splice(s.which % drawn.length, 1) as [(typeof drawn)[number]];
            if (s.do === 'lose') continue;
            await store.batch(ops);
            durable.add(value);
            if (s.tell) ordinals.landed(value);
          }
        }
      }),
      { numRuns: 500 },
    );
  });
});
