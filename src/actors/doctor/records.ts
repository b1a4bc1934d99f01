/** Reads the records of threads and runs, and holds them against their names and numbers. */

import * as keys from '../../store/keys.js';
import { MAX_ORDINAL } from '../../store/keys.js';
import type { RunName, RunRow, ThreadName, ThreadRow } from '../thread/rows.js';
import type { ThreadContext } from '../machines/thread.js';
import { eachRow, rowName, runName, threadName, type Data } from './data.js';
import { FaultCode } from './report.js';

export async function readRecords(data: Data): Promise<void> {
  const { findings, threads, runs, graves } = data;
  await eachRow(data, 'G', (key) => void graves.add(keys.ordinalOf(key)));
  await eachRow<ThreadRow>(data, 'T', (key, { actor, ...row }) => {
    findings.checked.threads += 1;
    threads.set(keys.ordinalOf(key), {
      id: row.thread_id,
      value: actor.value as string,
      active: (actor.context as ThreadContext).active,
      next_cursor: row.next_cursor,
      next_entry: row.next_entry,
      next_outbox: row.next_outbox,
      messages: row.message_count,
      queued: row.queued_count,
    });
  });
  await eachRow<RunRow>(data, 'R', (key, row) => {
    findings.checked.runs += 1;
    const { tno, run_id: id, status, termination_code: code, parent_run_id: parent_id, updated_at: at } = row;
    runs.set(keys.ordinalOf(key), { tno, id, status, code, parent_id, at });
  });
  checkThreadsOfRuns(data);
  await checkNames(data);
  await checkOrdinals(data);
}

function checkThreadsOfRuns(data: Data): void {
  const { findings, threads, runs, graves } = data;
  for (const [rno, { tno }] of runs)
    if (!threads.has(tno) && !graves.has(tno))
      findings.fault(FaultCode.orphan, runName(data, rno), `there is no thread #${tno}`);
}

/** Every record is named, and what a name names has that name. */
async function checkNames(data: Data): Promise<void> {
  const { findings, threads, runs, graves } = data;
  const named = { threads: new Set<number>(), runs: new Set<number>() };
  await eachRow<ThreadName & Partial<RunName>>(data, 'N', (key, row) => {
    const kind = String.fromCharCode(key[1]!);
    const id = key.toString('utf8', 2);
    if (kind === 't') {
      named.threads.add(row.tno);
      if (threads.get(row.tno)?.id !== id) findings.fault(FaultCode.name, `thread ${id}`, 'names no thread of this id');
    } else if (kind === 'r') {
      named.runs.add(row.rno!);
      const run = runs.get(row.rno!);
      if (!graves.has(row.tno) && (run?.id !== id || run.tno !== row.tno))
        findings.fault(FaultCode.name, `run ${id}`, 'names no run of this id');
    } else findings.fault(FaultCode.row, rowName(key), 'a name of no kind');
  });
  for (const tno of threads.keys())
    if (!named.threads.has(tno) && !graves.has(tno))
      findings.fault(FaultCode.name, threadName(data, tno), 'cannot be found by its id');
  for (const [rno, { tno }] of runs)
    if (!named.runs.has(rno) && !graves.has(tno))
      findings.fault(FaultCode.name, runName(data, rno), 'cannot be found by its id');
}

/** Numbers in use lie below those that will be given next (`store/ordinals.ts`). */
async function checkOrdinals({ store, findings, threads, runs }: Data): Promise<void> {
  for (const [name, records] of [
    ['thread', threads],
    ['run', runs],
  ] as const) {
    let end = 0;
    for await (const [, value] of store.range(keys.metas(`ordinals/${name}/`))) end = Math.max(end, Number(value));
    if (!(end <= MAX_ORDINAL + 1)) findings.fault(FaultCode.row, `M ordinals/${name}`, 'is no number');
    for (const ordinal of records.keys())
      if (ordinal >= end) findings.fault(FaultCode.ordinal, `${name} #${ordinal}`, 'its number will be given again');
  }
}
