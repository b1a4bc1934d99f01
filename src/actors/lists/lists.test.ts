/** How the columns are read at start while threads already change: what was committed wins, what was deleted stays away. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import * as keys from '../../store/keys.js';
import { MemoryStore } from '../../store/memory.js';
import type { Key } from '../../store/port.js';
import { Cells, newThread } from '../thread/cells.js';
import { putRow, threadRow } from '../thread/rows.js';
import { begin } from '../thread/xstate.js';
import type { RunRecord } from '../records.js';
import { Lists } from './lists.js';

const THREADS = 4;
const all = { offset: 0, limit: 50 };
const run = (n: number, change: Partial<RunRecord> = {}): RunRecord => ({
  run_id: `run ${n}`,
  thread_id: `thread ${n}`,
  agent_id: 'agent',
  parent_run_id: null,
  parent_thread_id: null,
  origin: 'user',
  status: 'running',
  termination_code: null,
  termination_detail: null,
  created_at: n,
  updated_at: n,
  metadata: null,
  input_tokens: 0,
  output_tokens: 0,
  source_mailbox_entry_id: null,
  resource_id: null,
  ...change,
});
const thread = (n: number) => newThread({ thread_id: `thread ${n}`, resource_id: null, parent_thread_id: null, at: n });

/** A store with a run on each thread, whose reading stops in front of each row until the test lets it go on. */
async function stored() {
  const store = new MemoryStore();
  for (let n = 0; n < THREADS; n++)
    await store.batch([putRow(keys.thread(n), threadRow(thread(n))), putRow(keys.run(n), { tno: n, ...run(n) })]);
  const steps: (() => void)[] = [];
  const paused = {
    getNow: (key: Key) => store.getNow(key),
    async *range(range: Parameters<MemoryStore['range']>[0]) {
      for await (const row of store.range(range)) {
        await new Promise<void>((resolve) => steps.push(resolve));
        yield row;
      }
    },
  };
  return {
    store: paused,
    async goOn(rows = Infinity) {
      await nextTurn();
      for (let i = 0; i < rows && steps.length > 0; i++) {
        steps.shift()!();
        await nextTurn();
      }
    },
  };
}

const commit = (lists: Lists, n: number, change: Partial<RunRecord>): void => {
  const cells = new Cells();
  cells.values.set('thread', { ...thread(n), updated_at: 99 });
  cells.values.set('a', { kind: 'thread', snapshot: begin('thread')[0], fx: {}, since: 0 });
  const changed = new Map<string, unknown>([
    ['thread', cells.get('thread')],
    [`r${n}`, run(n, change)],
  ]);
  lists.committed(n, changed, cells);
};

test.each([0, 1, 3, 5, 7])('changes after %i rows were read', async (rows) => {
  const { store, goOn } = await stored();
  const lists = new Lists(store);
  let whole = false;
  void lists.ready.then(() => (whole = true));
  lists.deleted(3);
  const reading = lists.read(store, { runs: [], threads: [] }, () => true);
  await goOn(rows);
  expect(whole).toBe(false);
  commit(lists, 0, { status: 'done', termination_code: 'natural', updated_at: 99 });
  commit(lists, 9, {});
  lists.deleted(1);
  await goOn();
  await reading;
  await lists.ready;
  expect(lists.threads.select({}, all).ordinals).toEqual([0, 2, 9]);
  expect(lists.runs.select({}, all).ordinals).toEqual([0, 2, 9]);
  expect(lists.runs.select({ status: 'done' }, all).ordinals).toEqual([0]);
  expect(lists.runs.select({ updated_at_from: 99 }, all).ordinals).toEqual([0]);
  expect(lists.threads.selectNewest({}, all).ordinals).toEqual([0, 9, 2]);
});

test('a reading that nobody wants any more ends, and whoever waits is refused', async () => {
  const { store, goOn } = await stored();
  const lists = new Lists(store);
  let wanted = true;
  const reading = lists.read(store, { runs: [], threads: [] }, () => wanted);
  await goOn(2);
  wanted = false;
  lists.abandon();
  await goOn();
  await reading;
  await expect(lists.ready).rejects.toMatchObject({ code: 'not_initialised' });
});
