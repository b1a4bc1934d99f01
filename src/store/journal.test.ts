import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import fc from '../../test/support/property.js';
import type { Clock } from './clock.js';
import { boundlessDisk } from './disk.js';
import { AcknowledgedWritesLost } from './errors.js';
import { Journal, type JournalOptions } from './journal.js';
import { everything, message, meta } from './keys.js';
import { Disk } from './memory-disk.js';
import { type Faults, MemoryStore, type Outcome } from './memory.js';
import type { Op, Store } from './port.js';
import { gate } from '../../test/support/gate.js';

const unavailable = { code: 'storage_unavailable' };
const row = (n: number, value = `${n}`): Op => ({ type: 'put', key: message(1, n), value });
const plan = (...outcomes: Outcome[]): Faults => ({ batch: (number) => outcomes[number] ?? 'ok' });

/** Time stands still, or takes a step at each look; a pause ends as soon as the test lets it (`held`), or at once. */
class TestClock implements Clock {
  readonly pauses: number[] = [];
  #now = 0;
  constructor(
    private readonly held: Promise<void> = Promise.resolve(),
    private readonly step = 0,
  ) {}
  now(): number {
    return (this.#now += this.step);
  }
  async pause(ms: number, signal: AbortSignal): Promise<void> {
    this.pauses.push(ms);
    const aborted = new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(new Error('aborted')));
    });
    await Promise.race([this.held, aborted]);
  }
}

async function setUp(faults: Faults = {}, options: JournalOptions = {}, disk = new Disk()) {
  const groups: number[][] = [];
  const store = new MemoryStore(disk, {
    ...faults,
    batch: (number, ops) => {
      groups.push(ops.slice(0, -1).map((op) => op.key.readUIntBE(7, 6)));
      return faults.batch?.(number, ops) ?? 'ok';
    },
  });
  const journal = await Journal.open(store, { clock: new TestClock(), ...options });
  const statuses: [string, unknown][] = [];
  journal.onStatus((status, cause) => statuses.push([status, cause]));
  return { disk, store, journal, groups, statuses };
}

async function messagesIn(store: Store): Promise<number[]> {
  const found: number[] = [];
  for await (const [key, value] of store.range(everything())) if (key[0] === 67) found.push(Number(value));
  return found;
}

/** Labels the promises in the order in which they settle. */
function watch(promises: Promise<void>[]): string[] {
  const settled: string[] = [];
  promises.forEach((promise, i) => {
    promise.then(
      () => settled.push(`${i} ok`),
      (error: { code?: string }) => settled.push(`${i} ${error.code}`),
    );
  });
  return settled;
}

describe('grouping', () => {
  it('writes all commits of a turn as one batch, at the end of the turn', async () => {
    const { journal, groups } = await setUp();
    const first = journal.commit([row(0), row(1)]);
    await Promise.resolve();
    const second = journal.commit([row(2)]);
    expect(groups).toEqual([]);
    await Promise.all([first, second]);
    expect(groups).toEqual([[0, 1, 2]]);
  });

  it('makes one batch of what arrives while another is written, and resolves in order', async () => {
    const { opened, open } = gate();
    const { journal, groups } = await setUp(plan({ slow: opened }));
    const commits = [journal.commit([row(0)])];
    await turn();
    for (let n = 1; n <= 5; n++) {
      commits.push(journal.commit([row(n)]));
      await turn();
    }
    const settled = watch(commits);
    await turn();
    expect(groups).toEqual([[0]]);
    expect(settled).toEqual([]);
    open();
    await Promise.all(commits);
    expect(groups).toEqual([[0], [1, 2, 3, 4, 5]]);
    expect(settled).toEqual(['0 ok', '1 ok', '2 ok', '3 ok', '4 ok', '5 ok']);
  });

  it('cuts groups at the cap of operations, between commits', async () => {
    const { journal, groups } = await setUp({}, { cap: { ops: 4, bytes: 1e6 } });
    const sizes = [1, 2, 2, 3, 9, 1, 1];
    let n = 0;
    await Promise.all(sizes.map((size) => journal.commit(Array.from({ length: size }, () => row(n++)))));
    expect(groups.map((group) => group.length)).toEqual([3, 2, 3, 9, 2]);
    expect(groups.flat()).toEqual(Array.from({ length: n }, (_, i) => i));
  });

  it('cuts groups at the cap of bytes; a larger commit goes alone', async () => {
    const { journal, groups } = await setUp({}, { cap: { ops: 1000, bytes: 1000 } });
    const weights = [300, 300, 5000, 300, 900];
    await Promise.all(weights.map((weight, n) => journal.commit([row(n, 'x'.repeat(weight))])));
    expect(groups).toEqual([[0, 1], [2], [3], [4]]);
  });

  it('takes a commit without operations as a barrier', async () => {
    const { journal, groups } = await setUp();
    const settled = watch([journal.commit([row(0)]), journal.commit([]), journal.commit([row(1)])]);
    await journal.commit([]);
    expect(settled).toEqual(['0 ok', '1 ok', '2 ok']);
    expect(groups).toEqual([[0, 1]]);
  });

  it('numbers the batches in one row, on over a restart', async () => {
    const disk = new Disk();
    for (const expected of ['2', '4']) {
      const { store, journal } = await setUp({}, {}, disk);
      await journal.commit([row(0)]);
      await journal.commit([row(1)]);
      expect(await store.get(meta('batch'))).toBe(expected);
      await journal.close();
      await store.close();
    }
  });

  it('refuses an operation that is none without harm to the others of its group', async () => {
    const { journal, store } = await setUp();
    const bad = [
      journal.commit([row(1), { type: 'put', key: message(1, 9), value: undefined as never }]),
      journal.commit([{ type: 'del', key: Buffer.alloc(0) }]),
      journal.commit([{ type: 'del', key: 'C' as never }]),
    ];
    const good = journal.commit([row(0)]);
    for (const commit of bad) await expect(commit).rejects.toThrow(TypeError);
    await good;
    expect(await messagesIn(store)).toEqual([0]);
    expect(journal.stats().waiting).toEqual({ commits: 0, bytes: 0 });
  });
});

describe('a failed batch', () => {
  for (const fate of ['fail-lost', 'fail-landed'] as const) {
    const landed = fate === 'fail-landed';
    it(`${fate}: its commits wait for the reopened store, which tells`, async () => {
      const { opened, open } = gate();
      const clock = new TestClock(opened);
      const { journal, store, statuses } = await setUp(plan('ok', fate), { clock });
      await journal.commit([row(0)]);
      const failing = [journal.commit([row(1)]), journal.commit([row(2)])];
      await turn();
      const behindIsTooLate = journal.commit([row(3)]);
      await expect(behindIsTooLate).rejects.toMatchObject(unavailable);
      const settled = watch(failing);
      await turn();
      expect(settled).toEqual([]);
      expect(journal.status).toBe('degraded');
      expect(journal.accepting()).toBe(false);
      expect(await messagesIn(store)).toEqual([0]);

      open();
      await turn();
      expect(journal.status).toBe('open');
      expect(settled).toEqual(landed ? ['0 ok', '1 ok'] : [`0 ${unavailable.code}`, `1 ${unavailable.code}`]);
      expect(await messagesIn(store)).toEqual(landed ? [0, 1, 2] : [0]);
      expect(statuses).toEqual([
        ['degraded', expect.objectContaining({ code: 'ENOSPC' })],
        ['open', undefined],
      ]);

      await journal.commit([row(4)]);
      expect(await messagesIn(store)).toEqual(landed ? [0, 1, 2, 4] : [0, 4]);
    });
  }

  it('refuses those queued behind it, once the store is open again', async () => {
    const { opened, open } = gate();
    const { journal, store } = await setUp(plan({ slow: opened, then: 'fail-landed' }));
    const first = journal.commit([row(0)]);
    await turn();
    const queued = [journal.commit([row(1)]), journal.commit([row(2)])];
    const settled = watch([first, ...queued]);
    open();
    await turn();
    expect(settled).toHaveLength(3);
    expect(settled).toEqual(['0 ok', `1 ${unavailable.code}`, `2 ${unavailable.code}`]);
    expect(await messagesIn(store)).toEqual([0]);
    expect(journal.stats()).toMatchObject({ commits: 1, failures: 1, waiting: { commits: 0, bytes: 0 } });
  });

  it('takes the commit that a refused caller makes again at once', async () => {
    const { journal, store } = await setUp(plan('fail-lost'));
    await journal.commit([row(0)]).catch(() => journal.commit([row(0)]));
    expect(await messagesIn(store)).toEqual([0]);
  });

  it('is told apart by number: lost and landed in any order', async () => {
    const fates: Outcome[] = ['fail-lost', 'fail-lost', 'fail-landed', 'fail-landed', 'ok', 'fail-lost', 'ok'];
    const { journal, store } = await setUp(plan(...fates));
    const told: string[] = [];
    for (let n = 0; n < fates.length; n++) {
      await journal.commit([row(n)]).then(
        () => told.push('ok'),
        () => told.push('refused'),
      );
      if (journal.status === 'degraded') await turn();
      expect(journal.status).toBe('open');
    }
    expect(told).toEqual(fates.map((fate) => (fate === 'fail-lost' ? 'refused' : 'ok')));
    expect(await messagesIn(store)).toEqual([2, 3, 4, 6]);
  });

  it('tries to reopen further and further apart, up to a second', async () => {
    const clock = new TestClock();
    const { journal } = await setUp({ ...plan('fail-lost'), reopenFails: (attempt) => attempt < 8 }, { clock });
    await expect(journal.commit([row(0)])).rejects.toMatchObject(unavailable);
    expect(clock.pauses).toEqual([25, 50, 100, 200, 400, 800, 1000, 1000, 1000]);
    await journal.commit([row(0)]);
  });

  it('keeps the handle, and so the reads, until the disk has room', async () => {
    let refusals = 5;
    const reopens: number[] = [];
    const restore = vi.fn(async () => {});
    const disk = {
      ...boundlessDisk,
      restore,
      makeRoom: async () => {
        if (refusals-- > 0) throw new Error('ENOSPC');
      },
    };
    const { journal, store } = await setUp(
      { ...plan('fail-lost'), reopenFails: () => reopens.push(refusals) < 0 },
      { disk },
    );
    await expect(journal.commit([row(0)])).rejects.toMatchObject(unavailable);
    expect(reopens).toEqual([-1]);
    expect(restore).toHaveBeenCalledOnce();
    await journal.commit([row(1)]);
    expect(await messagesIn(store)).toEqual([1]);
  });

  it('closes for good when the disk has taken back what was acknowledged', async () => {
    const disk = new Disk();
    const { opened, open } = gate();
    const { journal, statuses } = await setUp(plan('ok', 'ok', 'fail-lost'), { clock: new TestClock(opened) }, disk);
    await journal.commit([row(0)]);
    await journal.commit([row(1)]);
    const failing = journal.commit([row(2)]);
    const settled = watch([failing]);
    await turn();
    disk.apply([{ type: 'put', key: meta('batch'), value: '1' }]);
    open();
    await turn();
    expect(settled).toEqual([`0 ${unavailable.code}`]);
    expect(journal.status).toBe('closed');
    expect(statuses.at(-1)).toEqual(['closed', expect.any(AcknowledgedWritesLost)]);
    await expect(journal.commit([row(3)])).rejects.toMatchObject(unavailable);
    await journal.close();
  });
});

describe('close', () => {
  it('writes what was committed before and refuses what comes after', async () => {
    const { opened, open } = gate();
    const { journal, store, statuses } = await setUp(plan({ slow: opened }));
    const commits = [journal.commit([row(0)])];
    await turn();
    commits.push(journal.commit([row(1)]));
    const closed = journal.close();
    expect(journal.status).toBe('closed');
    const settled = watch([...commits, journal.commit([row(2)]), closed]);
    await turn();
    expect(settled).toEqual([`2 ${unavailable.code}`]);
    open();
    await closed;
    expect(settled.slice(1)).toEqual(['0 ok', '1 ok', '3 ok']);
    expect(await messagesIn(store)).toEqual([0, 1]);
    expect(statuses).toEqual([['closed', undefined]]);
    await journal.close();
  });

  it('ends at once when nothing is written', async () => {
    const { journal, groups } = await setUp();
    await journal.close();
    expect(groups).toEqual([]);
  });

  it('refuses what is unknown, and stops trying, when the store is broken', async () => {
    const { opened, open } = gate();
    const clock = new TestClock(opened);
    const { journal, statuses } = await setUp(plan('fail-lost'), { clock });
    const settled = watch([journal.commit([row(0)])]);
    await turn();
    await journal.close();
    await turn();
    expect(settled).toEqual([`0 ${unavailable.code}`]);
    open();
    await turn();
    expect(clock.pauses).toHaveLength(1);
    expect(statuses.map(([status]) => status)).toEqual(['degraded', 'closed']);
    expect(journal.status).toBe('closed');
  });

  it('ends, with everything refused, when the last batch fails', async () => {
    const { opened, open } = gate();
    const { journal } = await setUp(plan({ slow: opened, then: 'fail-lost' }));
    const commits = [journal.commit([row(0)])];
    await turn();
    commits.push(journal.commit([row(1)]));
    const settled = watch(commits);
    const closed = journal.close();
    open();
    await closed;
    expect(settled).toEqual([`0 ${unavailable.code}`, `1 ${unavailable.code}`]);
  });
});

describe('accepting', () => {
  it('says no under the low-water mark of the disk', async () => {
    let room = true;
    const { journal } = await setUp({}, { disk: { ...boundlessDisk, hasRoom: () => room } });
    expect(journal.accepting()).toBe(true);
    room = false;
    expect(journal.accepting()).toBe(false);
    await journal.commit([row(0)]); // What is under way still commits.
  });

  it('says no while too much waits to be written', async () => {
    const { opened, open } = gate();
    const { journal } = await setUp(plan({ slow: opened }), { maxWaiting: 1000 });
    const commit = journal.commit([row(0, 'x'.repeat(1200))]);
    expect(journal.accepting()).toBe(false);
    expect(journal.stats().waiting).toEqual({ commits: 1, bytes: 1213 });
    open();
    await commit;
    expect(journal.accepting()).toBe(true);
  });
});

it('counts what became durable', async () => {
  const { journal } = await setUp({}, { clock: new TestClock(undefined, 2) });
  expect(journal.stats().commitMs).toEqual({ p50: 0, p99: 0, max: 0 });
  await journal.commit([row(0), row(1)]);
  await journal.commit([row(2)]);
  const stats = journal.stats();
  expect(stats).toMatchObject({ batches: 2, commits: 2, ops: 3, bytes: 3 * 14, failures: 0 });
  expect(stats.commitMs.p50).toBeCloseTo(2, 1);
});

it('stops calling a listener that has left', async () => {
  const { journal } = await setUp();
  const listener = vi.fn();
  journal.onStatus(listener)();
  await journal.close();
  expect(listener).not.toHaveBeenCalled();
});

/**
 * The promise of the whole module, under any sequence of faults: what resolved is on the disk whole, what was refused is
 * not there at all, what a crash left without an answer is there whole or not at all.
 */
it('keeps what it acknowledged and nothing it refused, whatever the disk does', async () => {
  const fate = fc.constantFrom<Outcome[]>('ok', 'ok', 'fail-lost', 'fail-landed', 'crash-before', 'crash-after');
  const scenario = fc.record({
    fates: fc.array(fate, { maxLength: 25, size: 'max' }),
    threads: fc.integer({ min: 1, max: 6 }),
    commitsEach: fc.integer({ min: 1, max: 6 }),
    capOps: fc.integer({ min: 1, max: 8 }),
    failedReopens: fc.nat(2),
  });
  await fc.assert(
    fc.asyncProperty(scenario, async ({ fates, threads, commitsEach, capOps, failedReopens }) => {
      const disk = new Disk();
      const outcome = new Map<string, 'ok' | 'refused' | 'unknown'>();
      const opsOf = (name: string): Op[] =>
        ['a', 'b', 'c'].slice(0, 1 + (name.length % 3)).map((part) => ({
          type: 'put',
          key: meta(`${name}/${part}`),
          value: name,
        }));

      const live = async (life: number): Promise<void> => {
        const faults: Faults = {
          batch: (number) => fates[number] ?? 'ok',
          reopenFails: (attempt) => attempt % 3 < failedReopens,
        };
        const store = new MemoryStore(disk, faults);
        const journal = await Journal.open(store, { clock: new TestClock(), cap: { ops: capOps, bytes: 1e6 } });
        const thread = async (t: number): Promise<void> => {
          for (let n = 0; n < commitsEach; n++) {
            const name = `${life}.${t}.${'x'.repeat(n)}`;
            outcome.set(name, 'unknown');
            const told = await journal.commit(opsOf(name)).then(
              () => 'ok' as const,
              () => 'refused' as const,
            );
            outcome.set(name, told);
          }
        };
        const done = Promise.all(Array.from({ length: threads }, (_, t) => thread(t))).then(async () => {
          await journal.close();
          await store.close();
        });
        await Promise.race([done, store.crashed]);
      };
      for (let life = 0; life < 4; life++) await live(life);

      for (const [name, told] of outcome) {
        const there = opsOf(name).map((op) => disk.get(op.key) === name);
        if (told === 'ok') expect(there).not.toContain(false);
        else if (told === 'refused') expect(there).not.toContain(true);
        else expect(new Set(there).size).toBe(1);
      }
    }),
    { numRuns: 300 },
  );
});
