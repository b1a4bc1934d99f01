/** Blocks of columns: what is written comes back, and a block is there only as long as it is right. */

import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { FakeClock } from '../../../test/support/fake-clock.js';
import { Journal } from '../../store/journal.js';
import * as keys from '../../store/keys.js';
import { MemoryStore, type Outcome } from '../../store/memory.js';
import type { Op } from '../../store/port.js';
import { silentLogger } from '../host/logger.js';
import { runOrigins, runStatuses, type RunRecord } from '../records.js';
import { ColumnBlocks, QUIET_MS } from './blocks.js';
import { RunColumns } from './run-columns.js';
import { PAGE_ROWS } from './table.js';
import { ThreadColumns } from './thread-columns.js';

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
      const [columns, again] = [new RunColumns(), new RunColumns()];
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
      again.removeThread(7);
      again.removeThread(0);
      columns.removeThread(0);
      expect(again.select({}, cut)).toEqual(columns.select({}, cut));
    }),
  );
});

it.each(['', 'null', '{}', '{"format":"0"}', '[1]'])('%j is no page', (stored) => {
  const columns = new ThreadColumns();
  expect(columns.restore(0, stored)).toBe(false);
  expect(columns.size).toBe(0);
});

const run = (n: number): RunRecord =>
  ({
    run_id: `run ${n}`,
    agent_id: 'agent',
    parent_run_id: null,
    resource_id: null,
    status: 'done',
    origin: 'user',
  }) as RunRecord;
const change = (rno: number): Op[] => [{ type: 'put', key: keys.run(rno), value: '1' }];

async function opened(batch: (ops: Op[]) => Outcome = () => 'ok', disk?: MemoryStore['disk']) {
  const store = new MemoryStore(disk, { batch: (_, ops) => batch(ops) });
  const clock = new FakeClock();
  const journal = await Journal.open(store);
  const [runs, threads] = [new RunColumns(), new ThreadColumns()];
  const blocks = new ColumnBlocks({ journal, runs, threads, clock, logger: silentLogger });
  const stop = new AbortController();
  const put = async (rno: number) => {
    await blocks.commit(change(rno));
    runs.put(rno, 0, run(rno));
  };
  const written = () => store.disk.rows(keys.runBlocks()).map(([key]) => keys.ordinalOf(key));
  return {
    store,
    clock,
    journal,
    runs,
    blocks,
    put,
    written,
    stop,
    nextTurn: () => new Promise((r) => setImmediate(r)),
  };
}

describe('a page', () => {
  it('is written when it has been quiet, and its block goes with the next change', async () => {
    const { clock, blocks, put, written, stop, nextTurn } = await opened();
    await put(1);
    const running = blocks.run(stop.signal);
    await put(PAGE_ROWS + 1);
    clock.advance(QUIET_MS - 1);
    await nextTurn();
    expect(written()).toEqual([]);
    await put(1);
    await vi.waitFor(() => (clock.advance(30_000), expect(written()).toContain(1)), { interval: 1 });
    await vi.waitFor(() => (clock.advance(QUIET_MS), expect(written()).toEqual([0, 1])), { interval: 1 });
    const gone = put(2);
    await gone;
    expect(written()).toEqual([1]);
    stop.abort();
    await running;
  });

  it('is not written while a commit that touches it is under way', async () => {
    let open: () => void = () => {};
    const gate = new Promise<void>((resolve) => (open = resolve));
    let slow = false;
    const { clock, blocks, put, written, stop, nextTurn } = await opened(() => (slow ? { slow: gate } : 'ok'));
    await put(1);
    const running = blocks.run(stop.signal);
    slow = true;
    const late = put(2);
    for (let i = 0; i < 5; i++) {
      clock.advance(QUIET_MS);
      await nextTurn();
    }
    slow = false;
    open();
    await late;
    expect(written()).toEqual([]);
    await vi.waitFor(() => (clock.advance(QUIET_MS), expect(written()).toEqual([0])), { interval: 1 });
    stop.abort();
    await running;
  });

  it('keeps its block when the change was lost, and loses it with the next one', async () => {
    let lost = false;
    const { clock, blocks, put, written, stop, journal } = await opened(() =>
      lost ? ((lost = false), 'fail-lost') : 'ok',
    );
    await put(1);
    const running = blocks.run(stop.signal);
    await vi.waitFor(() => (clock.advance(QUIET_MS), expect(written()).toEqual([0])), { interval: 1 });
    lost = true;
    await expect(put(2)).rejects.toMatchObject({ code: 'storage_unavailable' });
    await vi.waitFor(() => expect(journal.status).toBe('open'), { interval: 1 });
    expect(written()).toEqual([0]);
    await put(2);
    expect(written()).toEqual([]);
    stop.abort();
    await running;
  });

  it('comes back from its block; one that cannot be read is removed', async () => {
    const first = await opened();
    await first.put(1);
    await first.put(PAGE_ROWS);
    const running = first.blocks.run(first.stop.signal);
    await vi.waitFor(() => (first.clock.advance(QUIET_MS), expect(first.written()).toEqual([0, 1])), { interval: 1 });
    first.stop.abort();
    await running;
    await first.store.batch([{ type: 'put', key: keys.runBlock(1), value: 'torn' }]);
    await first.store.close();
    const second = await opened(undefined, first.store.disk);
    expect(await second.blocks.load(second.store)).toEqual({ runs: [0], threads: [] });
    expect(second.runs.select({}, all)).toEqual({ total: 1, ordinals: [1] });
    expect(second.written()).toEqual([0]);
    await second.put(2);
    expect(second.written()).toEqual([]);
  });
});
