/**
 * Writes the data directory of such a server through the store's own layer: rows, blocks of columns, ordinals. What no
 * list reads is left out: logs, and all messages but the last two of a thread.
 */

import { newThread } from '../../dist/actors/thread/cells.js';
import { threadRow } from '../../dist/actors/thread/rows.js';
import { RunColumns } from '../../dist/actors/lists/run-columns.js';
import { ThreadColumns } from '../../dist/actors/lists/thread-columns.js';
import { openFormat } from '../../dist/store/format.js';
import * as keys from '../../dist/store/keys.js';
import { openLevelStore } from '../../dist/store/level.js';
import { Ordinals } from '../../dist/store/ordinals.js';

const OPS = 5_000;

/** @param {string} directory @param {import('./records.mjs').Records} records */
export async function writeData(directory, records) {
  const store = await openLevelStore(directory, { durability: 'process' });
  await openFormat(store);
  /** @type {import('../../dist/store/port.js').Op[]} */
  let ops = [];
  const put = (/** @type {Buffer} */ key, /** @type {unknown} */ value) =>
    void ops.push({ type: 'put', key, value: typeof value === 'string' ? value : JSON.stringify(value) });
  const flush = async (least = OPS) => {
    if (ops.length < least) return;
    await store.batch(ops);
    ops = [];
  };

  const columns = {
    runs: new RunColumns((rno) => records.runId(rno)),
    threads: new ThreadColumns((tno) => records.threadId(tno)),
  };
  const had = new Uint32Array(records.threads);
  const last = new Uint32Array(records.threads);
  for (let rno = 0; rno < records.runs; rno++) {
    const run = records.run(rno);
    const tno = records.threadOf(rno);
    had[tno] = (had[tno] ?? 0) + 1;
    last[tno] = rno;
    columns.runs.put(rno, tno, run);
    put(keys.run(rno), { tno, ...run });
    put(keys.runName(run.run_id), { rno, tno, hash: null });
    put(keys.runOfThread(tno, rno), 0);
    await flush();
  }
  for (let tno = 0; tno < records.threads; tno++) {
    const { run_id, updated_at } = records.run(last[tno] ?? 0);
    const { thread_id, resource_id, created_at, messages } = records.thread(tno, had[tno] ?? 0, updated_at);
    const thread = {
      ...newThread({ thread_id, resource_id, parent_thread_id: null, at: created_at }),
      ...{ updated_at, next_cursor: messages, message_count: messages, rev: messages },
    };
    columns.threads.put(tno, { ...thread, status: 'idle' });
    put(keys.thread(tno), threadRow(thread));
    put(keys.threadName(thread_id), { tno });
    const said = { run_id, step: null, created_at: updated_at };
    for (const [cursor, role, content] of [
      [messages - 2, 'user', `Question ${tno}`],
      [messages - 1, 'assistant', `Answer ${tno}`],
    ])
      put(keys.message(tno, Number(cursor)), { cursor, id: `${tno}-${cursor}`, role, content, ...said });
    await flush();
  }
  for (const [pages, block] of /** @type {const} */ ([
    [columns.runs, keys.runBlock],
    [columns.threads, keys.threadBlock],
  ]))
    for (const page of pages.pages()) {
      put(block(page), pages.encode(page));
      await flush(1);
    }
  for (const [name, used] of /** @type {const} */ ([
    ['run', records.runs],
    ['thread', records.threads],
  ]))
    ops.push(...(await Ordinals.open(store, name, Math.ceil(used / 1024) * 1024)).next().ops);
  await flush(1);
  await store.close();
}
