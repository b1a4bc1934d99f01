/** Blocks of columns: what is written comes back, and a block is there only as long as it is right. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import fc from '../../../test/support/property.js';
import { FakeClock } from '../../../test/support/fake-clock.js';
import { Journal } from '../../store/journal.js';
import * as keys from '../../store/keys.js';
import { MemoryStore, type Outcome } from '../../store/memory.js';
import type { Op } from '../../store/port.js';
import { silentLogger } from '../logger.js';
import { putRow, type RunRow } from '../thread/rows.js';
import { runOrigins, runStatuses, type RunRecord } from '../records.js';
import { ColumnBlocks } from './blocks.js';
import { QUIET_MS } from './kept-pages.js';
import { Lists } from './lists.js';
import { RunColumns } from './run-columns.js';
import { PAGE_ROWS } from './table.js';
import { eventually } from '../../../test/support/eventually.js';
import { ThreadColumns, type ThreadFacts } from './thread-columns.js';

const text = fc.constantFrom('a', 'b', '', 'ü', 'c'.repeat(300));
const record = fc.record({
  run_id: fc.oneof(fc.uuid(), fc.string({ minLength: 1, maxLength: 9 })),
  agent_id: text,
  parent_run_id: fc.option(text),
  resource_id: fc.option(text),
  status: fc.constantFrom(...runStatuses),
  origin: fc.constantFrom(...runOrigins),
  termination_code: fc.constantFrom(null, 'natural' as const, 'queued' as const),
  created_at: fc.nat(9),
  updated_at: fc.nat(2 ** 45),
}) as fc.Arbitrary<Partial<RunRecord>> as fc.Arbitrary<RunRecord>;
const rows = fc.uniqueArray(fc.tuple(fc.nat(2 * PAGE_ROWS), record), { selector: ([rno]) => rno, maxLength: 30 });
const all = { offset: 0, limit: 100 };

it('a page that was written and read again answers as before', () => {
  fc.assert(
    fc.property(rows, rows, record, (runs, others, { status, origin, agent_id, resource_id }) => {
      const ids = new Map(runs.map(([rno, { run_id }]) => [rno, run_id]));
      const [columns, again] = [new RunColumns((rno) => ids.get(rno)), new RunColumns((rno) => ids.get(rno))];
      for (const [rno, run] of runs) columns.put(rno, rno % 3, run);
      // The process that reads has given its codes in another order.
      for (const [rno, run] of others) again.put(3 * PAGE_ROWS + rno, 7, { ...run, created_at: 99 });
      for (const page of columns.pages()) expect(again.restore(page, columns.encode(page)!)).toBe(true);
      const cut = { offset: 0, limit: runs.length };
      for (const filter of [
        {},
        { status },
        { origin, agent_id },
        { resource_id: resource_id ?? 'a', updated_at_to: 9e12 },
      ]) {
        const found = columns.select(filter, { ...all, limit: 10 ** 6 });
        expect(again.select({ ...filter, created_at_to: 9 }, { ...all, limit: 10 ** 6 })).toEqual(found);
      }
      expect(again.select({}, cut).ordinals).toEqual(columns.select({}, cut).ordinals);
      again.removeThreads(new Set([7]));
      again.removeThreads(new Set([0]));
      columns.removeThreads(new Set([0]));
      expect(again.select({}, cut)).toEqual(columns.select({}, cut));
    }),
  );
});

it('a row that is added to a page of equal rows is not like them', () => {
  const thread = (n: number, resource_id: string | null): ThreadFacts => ({
    ...{ thread_id: `${n}`, status: 'idle', parent_thread_id: resource_id, resource_id, created_at: n, updated_at: n },
  });
  for (const rows of [PAGE_ROWS - 1, PAGE_ROWS]) {
    const [columns, again] = [new ThreadColumns(() => undefined), new ThreadColumns(() => undefined)];
    for (let n = 0; n < rows; n++) columns.put(n, thread(n, 'a'));
    again.restore(0, columns.encode(0)!);
    again.put(rows, thread(rows, null));
    again.put(0, { ...thread(0, 'a'), status: 'running' });
    expect(again.select({ resource_id: 'a', parent_thread_id: 'a' }, all).total).toBe(rows);
    expect(again.select({ parent_thread_id: null }, all)).toEqual({ total: 1, ordinals: [rows] });
    expect(again.select({ status: 'running' }, all)).toEqual({ total: 1, ordinals: [0] });
    expect(again.select({ status: 'idle' }, all).total).toBe(rows);
    again.remove(1);
    expect(again.select({ resource_id: 'a' }, all).total).toBe(rows - 1);
  }
});

it.each(['', 'null', '{}', '{"format":"0"}', '[1]'])('%j is no page', (stored) => {
  const columns = new ThreadColumns(() => undefined);
  expect(columns.restore(0, stored)).toBe(false);
  expect(columns.size).toBe(0);
});

const run = (n: number, status: RunRecord['status'] = 'done'): RunRecord =>
  ({
    run_id: `run ${n}`,
    agent_id: 'agent',
    parent_run_id: null,
    resource_id: null,
    status,
    origin: 'user',
    termination_code: null,
    created_at: n,
    updated_at: n,
  }) as RunRecord;

/** A server's lists over a disk, as they are after a start. */
async function opened(disk?: MemoryStore['disk'], batch: (ops: Op[]) => Outcome = () => 'ok') {
  const store = new MemoryStore(disk, { batch: (_, ops) => batch(ops) });
  const clock = new FakeClock();
  const journal = await Journal.open(store);
  const lists = new Lists(store);
  const { runs, threads } = lists;
  const blocks = new ColumnBlocks({ journal, runs, threads, clock, logger: silentLogger });
  const stop = new AbortController();
  let running: Promise<void> | undefined;
  const own = { blocks: [] as number[], marks: [] as number[] };
  return {
    store,
    clock,
    journal,
    runs,
    blocks,
    async load() {
      const restored = await blocks.load(store, () => true);
      await lists.read(store, restored, () => true);
      running = blocks.run(stop.signal);
      return restored;
    },
    async put(rno: number, status?: RunRecord['status']) {
      const record = run(rno, status);
      await blocks.commit([putRow(keys.run(rno), { tno: 0, ...record } satisfies RunRow)]);
      runs.put(rno, 0, record);
    },
    /** Time passes until what can be written has been. */
    async rest(ms = QUIET_MS) {
      for (let passed = 0; passed <= ms + 60_000; passed += 30_000) {
        clock.advance(30_000);
        for (let i = 0; i < 3; i++) await nextTurn();
        clock.advance(100);
        await nextTurn();
      }
    },
    kept: () => {
      own.blocks = [];
      own.marks = [];
      for (const [key] of store.disk.rows(keys.runBlocks()))
        if (keys.isBlock(key)) own.blocks.push(keys.ordinalOf(key));
        else own.marks.push(keys.parsePair(key)[1]);
      return own;
    },
    async end() {
      stop.abort();
      await running;
      await store.close();
      return store.disk;
    },
  };
}

describe('a page', () => {
  it('is written when it has been quiet; a change leaves one mark until it is written again', async () => {
    const { load, put, rest, kept } = await opened();
    await load();
    await put(1);
    expect(kept()).toEqual({ blocks: [], marks: [] });
    await rest();
    expect(kept()).toEqual({ blocks: [0], marks: [] });
    await put(2);
    await put(1);
    await put(1, 'waiting');
    await put(PAGE_ROWS);
    expect(kept()).toEqual({ blocks: [0], marks: [1, 2] });
    await rest();
    expect(kept()).toEqual({ blocks: [0, 1], marks: [] });
  });

  it('is not written while a commit that touches it is under way', async () => {
    let open: () => void = () => {};
    const gate = new Promise<void>((resolve) => (open = resolve));
    let slow = false;
    const { load, put, rest, kept } = await opened(undefined, () => (slow ? { slow: gate } : 'ok'));
    await load();
    await put(1);
    slow = true;
    const late = put(2);
    await rest();
    slow = false;
    open();
    await late;
    expect(kept()).toEqual({ blocks: [], marks: [] });
    await rest();
    expect(kept()).toEqual({ blocks: [0], marks: [] });
  });

  it('that never rests is written now and then', async () => {
    const { load, put, clock, rest, kept } = await opened();
    await load();
    for (let i = 0; i < 12; i++) {
      await put(i);
      clock.advance(30_000);
      for (let turn = 0; turn < 3; turn++) await nextTurn();
    }
    expect(kept().blocks).toEqual([0]);
    await rest();
    for (let i = 0; i < 1023; i++) await put(i);
    for (let i = 0; i < 12; i++) {
      await put(i);
      clock.advance(30_000);
      for (let turn = 0; turn < 3; turn++) await nextTurn();
    }
    expect(kept().marks).toHaveLength(1023);
    await put(1024);
    clock.advance(30_000);
    for (let turn = 0; turn < 3; turn++) await nextTurn();
    expect(kept()).toEqual({ blocks: [0], marks: [] });
  });

  it.each(['change', 'block'])('is right though a commit was lost: of the %s', async (which) => {
    let lost = false;
    const isIt = (ops: Op[]) => ops.some(({ key }) => keys.isRun(key)) === (which === 'change');
    const first = await opened(undefined, (ops) => (lost && isIt(ops) ? ((lost = false), 'fail-lost') : 'ok'));
    await first.load();
    await first.put(1, 'running');
    await first.rest();
    lost = true;
    const change = first.put(1);
    if (which === 'change') await expect(change).rejects.toMatchObject({ code: 'storage_unavailable' });
    else await change;
    await first.rest();
    await eventually(() => expect(first.journal.status).toBe('open'));
    expect(lost).toBe(false);
    await first.put(1);
    expect(first.kept()).toEqual({ blocks: [0], marks: [1] });
    const second = await opened(await first.end());
    expect(await second.load()).toEqual({ runs: [0], threads: [] });
    expect(second.runs.select({ status: 'done' }, all)).toEqual({ total: 1, ordinals: [1] });
  });

  it('whose block cannot be read is read row by row and written again', async () => {
    const first = await opened();
    await first.load();
    await first.put(1);
    await first.rest();
    await first.store.batch([{ type: 'put', key: keys.runBlock(0), value: 'torn' }]);
    const second = await opened(await first.end());
    expect(await second.load()).toEqual({ runs: [], threads: [] });
    await second.put(1, 'waiting');
    // Another build may be able to read it.
    expect(second.kept()).toEqual({ blocks: [0], marks: [1] });
    expect(second.runs.select({ status: 'waiting' }, all).total).toBe(1);
    await second.rest();
    const third = await opened(await second.end());
    expect(await third.load()).toEqual({ runs: [0], threads: [] });
  });

  it('in which something is committed while it is read is read row by row', async () => {
    const first = await opened();
    await first.load();
    await first.put(1, 'running');
    await first.put(2);
    await first.rest();
    const second = await opened(await first.end());
    await second.put(1);
    expect(await second.load()).toEqual({ runs: [], threads: [] });
    expect(second.runs.select({ status: 'done' }, all)).toEqual({ total: 2, ordinals: [1, 2] });
    const third = await opened(await second.end());
    expect(await third.load()).toEqual({ runs: [0], threads: [] });
    expect(third.runs.select({ status: 'done' }, all)).toEqual({ total: 2, ordinals: [1, 2] });
  });
});

it('after any history a start finds the rows as they are', async () => {
  const rno = fc.nat(2).map((n) => n * (PAGE_ROWS - 1));
  const status = fc.constantFrom(...runStatuses);
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant('put'), rno, status }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('remove'), rno, status }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('rest', 'start', 'start late'), rno, status }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      let server = await opened();
      await server.load();
      const expected = new Map<number, RunRecord['status']>();
      const removed = new Set<number>();
      // The ordinal of a run that is gone is never given again.
      const put = async (n: number, as: RunRecord['status']) =>
        removed.has(n) ? undefined : (await server.put(n, as), expected.set(n, as));
      for (const next of [...steps, { do: 'start' } as (typeof steps)[number]]) {
        if (next.do === 'put') await put(next.rno, next.status);
        else if (next.do === 'remove') {
          server.runs.take(next.rno, undefined);
          await server.blocks.commit([{ type: 'del', key: keys.run(next.rno) }]);
          expected.delete(next.rno);
          removed.add(next.rno);
        } else if (next.do === 'rest') await server.rest();
        else {
          server = await opened(await server.end());
          const loading = server.load();
          if (next.do === 'start late') await put(next.rno, next.status);
          await loading;
        }
        for (const wanted of runStatuses) {
          const found = server.runs.select({ status: wanted }, all).ordinals;
          expect(found).toEqual([...expected.keys()].filter((n) => expected.get(n) === wanted).sort((a, b) => a - b));
        }
      }
      await server.end();
    }),
    { numRuns: 60 },
  );
});
