/**
 * The lists of a running engine against the rows of its store (DESIGN "Lists and exact totals"): after any history of
 * starts, decisions, forks, deletions and restarts every filter gives exactly the records that a look at all rows gives.
 */

import { expect, test } from 'vitest';
import type { ListQuery, RunRecord, ThreadView } from '../src/actors/index.js';
import { viewOf, type RunRow, type ThreadRow } from '../src/actors/thread/rows.js';
import { QUIET_MS } from '../src/actors/lists/kept-pages.js';
import { runCodes, runOrigins, runStatuses, threadStatuses } from '../src/actors/records.js';
import * as keys from '../src/store/keys.js';
import { MemoryStore } from '../src/store/memory.js';
import { bench, type Bench } from './support/engine.js';
import { FakeClock } from './support/fake-clock.js';
import { random } from './chaos/random.js';
import { asker, echo } from './support/service.js';

/** An integer below `n`. */
type Pick = (n: number) => number;

const STEPS = 120;
const SEEDS = [1, 2, 3];
const THREADS = ['a', 'b', 'c', 'd'];
const RESOURCES = ['r1', 'r2'];
const agents = [echo('one'), echo('two'), asker('asker')];

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function allRuns({ store }: Bench): RunRecord[] {
  const runs = store.disk.rows(keys.allRuns()).map(([, row]) => {
    const { tno: _, ...run } = JSON.parse(row) as RunRow;
    return run;
  });
  return runs.sort((a, b) => a.created_at - b.created_at || compare(a.run_id, b.run_id));
}

function allThreads({ store }: Bench): ThreadView[] {
  const threads = store.disk.rows(keys.allThreads()).map(([, row]) => viewOf(JSON.parse(row) as ThreadRow));
  return threads.sort((a, b) => a.created_at - b.created_at || compare(a.thread_id, b.thread_id));
}

/** Gives the number of runs that matched. */
async function compareRuns(b: Bench, pick: Pick): Promise<number> {
  const all = allRuns(b);
  const maybe = <T>(values: readonly T[]): T | undefined => (pick(3) === 0 ? values[pick(values.length)] : undefined);
  const some = maybe(all);
  const filter = {
    thread_id: maybe(THREADS),
    status: maybe(runStatuses),
    origin: maybe(runOrigins),
    termination_code: maybe(runCodes),
    agent_id: maybe(['one', 'two', 'asker', 'nobody']),
    resource_id: maybe(RESOURCES),
    parent_run_id: maybe([some?.run_id ?? 'nobody']),
    created_at_from: maybe(all)?.created_at,
    updated_at_to: maybe(all)?.updated_at,
  };
  const expected = all.filter(
    (run) =>
      Object.entries(filter).every(
        ([name, value]) => value === undefined || !(name in run) || run[name as keyof RunRecord] === value,
      ) &&
      run.created_at >= (filter.created_at_from ?? 0) &&
      run.updated_at <= (filter.updated_at_to ?? Infinity),
  );
  const order = pick(2) === 0 ? 'asc' : 'desc';
  if (order === 'desc') expected.reverse();
  const [offset, limit] = [pick(4), 1 + pick(20)];
  const page = await b.engine.list({ kind: 'runs', ...filter, order, offset, limit });
  expect(page).toEqual({
    items: expected.slice(offset, offset + limit),
    total: expected.length,
    has_more: expected.length > offset + limit,
  });
  return expected.length;
}

async function compareThreads(b: Bench, pick: Pick): Promise<void> {
  const maybe = <T>(values: readonly T[]): T | undefined => (pick(2) === 0 ? values[pick(values.length)] : undefined);
  const filter = { resource_id: maybe(RESOURCES), status: maybe(threadStatuses), parent_thread_id: maybe([null, 'a']) };
  const expected = allThreads(b).filter((thread) =>
    Object.entries(filter).every(([name, value]) => value === undefined || thread[name as 'status'] === value),
  );
  const [offset, limit] = [pick(3), 1 + pick(9)];
  const cut = <T>(items: T[]) => ({
    items: items.slice(offset, offset + limit),
    total: items.length,
    has_more: items.length > offset + limit,
  });
  const query: ListQuery & { kind: 'threads' } = { kind: 'threads', ...filter };
  expect(await b.engine.list<'threads'>({ ...query, offset, limit })).toEqual(cut(expected));
  const newest = expected.sort((x, y) => y.updated_at - x.updated_at || compare(x.thread_id, y.thread_id));
  const summaries = await b.engine.list<'summaries'>({ kind: 'summaries', ...filter, offset, limit });
  expect(summaries.items.map(({ id }) => id)).toEqual(cut(newest).items.map(({ thread_id }) => thread_id));
  expect(summaries).toMatchObject({ total: newest.length });
}

async function act(b: Bench, pick: Pick): Promise<void> {
  const thread_id = THREADS[pick(THREADS.length)]!;
  const waiting = (await b.engine.list({ kind: 'approvals', offset: 0, limit: 50 })).items;
  switch (pick(8)) {
    case 0:
      return void (await b.engine.deliver({ type: 'delete_thread', thread_id }));
    case 1:
      return void (await b.engine.deliver({ type: 'fork_thread', thread_id }).catch(() => {}));
    case 2:
      return void (await b.engine
        .deliver({ type: 'edit_metadata', thread_id, patch: { title: `${pick(9)}` } })
        .catch(() => {}));
    case 3: {
      const call = waiting[pick(waiting.length || 1)];
      if (!call) return;
      await b.decide(call.run_id, call.tool_call_id);
      return void (await b.events(call.run_id));
    }
    default: {
      const parents = allRuns(b);
      const parent = pick(3) === 0 ? parents[pick(parents.length || 1)] : undefined;
      const start = {
        thread_id,
        origin: runOrigins[pick(5)]!,
        ...(pick(2) === 0 ? { resource_id: RESOURCES[pick(2)]! } : {}),
        ...(parent ? { parent_run_id: parent.run_id, parent_thread_id: 'a' } : {}),
      };
      const run = await b.start(agents[pick(3)]!.id, 'go', start).catch(() => undefined);
      if (run) await b.settle(run.run_id);
    }
  }
}

/** Lets so much time pass that the columns are written. */
async function rest({ store }: Bench, clock: FakeClock): Promise<void> {
  const isWritten = () => (clock.advance(QUIET_MS), store.disk.rows(keys.runBlocks()).length > 0);
  const hasRuns = store.disk.rows(keys.allRuns()).length > 0;
  await expect.poll(isWritten, { interval: 1 }).toBe(hasRuns);
}

test.each(SEEDS)('every list agrees with the rows (seed %i)', async (seed) => {
  const { between } = random('lists', seed);
  const pick: Pick = (n) => between(0, n - 1);
  const clock = new FakeClock();
  let b = await bench(agents, { clock });
  let restored = 0;
  let matched = 0;
  for (let step = 0; step < STEPS; step++) {
    await act(b, pick);
    clock.advance(pick(3));
    if (pick(8) === 0) await rest(b, clock);
    if (pick(10) === 0) {
      restored += b.store.disk.rows(keys.runBlocks()).length;
      if (pick(2) === 0) b.store.crash();
      else await b.engine.close(0);
      b = await bench(agents, { store: new MemoryStore(b.store.disk), clock });
    }
    // Rows of deleted threads are on their way out.
    await expect.poll(() => b.store.disk.rows(keys.allGraves()), { interval: 1 }).toEqual([]);
    for (let i = 0; i < 4; i++) matched += await compareRuns(b, pick);
    for (let i = 0; i < 2; i++) await compareThreads(b, pick);
  }
  expect(matched).toBeGreaterThan(STEPS);
  expect(restored, 'a start from blocks').toBeGreaterThan(0);
  await b.engine.close(0);
});
