/** What stands under a thread's number: messages, mailbox entries, its outbox, its state. */

import * as keys from '../../store/keys.js';
import type { QueuedEntry } from '../thread/cells.js';
import { isTerminalEntry } from '../machines/mailbox-entry.js';
import type { Message } from '../records.js';
import { eachRow, hasShape, hasThread, runOfRow, rowName, threadName, type Data } from './data.js';
import { FaultCode } from './report.js';

export async function checkThreads(data: Data): Promise<void> {
  await checkMessages(data);
  const queued = await checkQueues(data);
  await checkEnded(data);
  await checkOutboxes(data);
  await eachRow(data, 'S', (key) => void hasThread(data, keys.ordinalOf(key), key));
  checkActive(data);
  for (const [rno, run] of data.runs)
    if (run.code === 'queued' && !queued.has(rno) && !data.graves.has(run.tno))
      data.findings.fault(FaultCode.run, `run ${run.id}`, 'waits for its turn and has no entry in the mailbox');
}

async function checkMessages(data: Data): Promise<void> {
  const { findings, threads, graves } = data;
  const counts = new Map<number, number>();
  await eachRow<Message>(data, 'C', (key, message) => {
    const [tno, cursor] = keys.parsePair(key);
    if (!hasThread(data, tno, key)) return;
    findings.checked.messages += 1;
    counts.set(tno, (counts.get(tno) ?? 0) + 1);
    if (message.cursor !== cursor)
      findings.fault(FaultCode.message, rowName(key), `says its cursor is ${message.cursor}`);
    if (cursor >= threads.get(tno)!.next_cursor)
      findings.fault(FaultCode.message, rowName(key), `its thread will give the cursor ${cursor} again`);
  });
  for (const [tno, { messages }] of threads) {
    const found = counts.get(tno) ?? 0;
    if (found !== messages && !graves.has(tno))
      findings.fault(FaultCode.thread, threadName(data, tno), `counts ${messages} messages and has ${found}`);
  }
}

/** Gives the runs that have a queued entry. */
async function checkQueues(data: Data): Promise<Set<number>> {
  const { findings, threads, graves } = data;
  const runs = new Set<number>();
  const counts = new Map<number, number>();
  await eachRow<QueuedEntry>(data, 'Q', (key, entry) => {
    const { tno, n, priority } = keys.parseQueued(key);
    if (!hasThread(data, tno, key)) return;
    findings.checked.entries += 1;
    counts.set(tno, (counts.get(tno) ?? 0) + 1);
    runs.add(entry.rno);
    const run = data.runs.get(entry.rno);
    const fault = (detail: string) => findings.fault(FaultCode.entry, `entry ${entry.entry_id}`, detail);
    if (entry.status !== 'queued') fault(`stands among the queued ones and is ${entry.status}`);
    if (entry.priority !== priority) fault(`stands at priority ${priority} and has ${entry.priority}`);
    if (run?.id !== entry.run_id || run.tno !== tno) fault('its run is not there');
    else if (run.code !== 'queued') fault(`its run does not wait for its turn: it is ${run.status}`);
    if (n >= threads.get(tno)!.next_entry) fault(`its thread will give the number ${n} again`);
  });
  for (const [tno, { queued }] of threads) {
    const found = counts.get(tno) ?? 0;
    if (found !== queued && !graves.has(tno))
      findings.fault(FaultCode.thread, threadName(data, tno), `counts ${queued} queued entries and has ${found}`);
  }
  return runs;
}

async function checkEnded(data: Data): Promise<void> {
  const { findings, threads } = data;
  const dead = new Map<string, string>();
  await eachRow<QueuedEntry>(data, 'H', (key, entry) => {
    const [tno, n] = keys.parsePair(key);
    if (!hasThread(data, tno, key)) return;
    findings.checked.entries += 1;
    const fault = (detail: string) => findings.fault(FaultCode.entry, `entry ${entry.entry_id}`, detail);
    const run = data.runs.get(entry.rno);
    if (!isTerminalEntry(entry.status)) fault(`stands among the ended ones and is ${entry.status}`);
    if (run?.id !== entry.run_id) fault('its run is not there');
    else if (entry.status !== 'accepted' && run.status !== 'done') fault(`is ${entry.status} and its run goes on`);
    if (n >= threads.get(tno)!.next_entry) fault(`its thread will give the number ${n} again`);
    if (entry.status === 'dead_letter') dead.set(rowName(keys.deadLetter(tno, n)), entry.entry_id);
  });
  await checkDeadLetters(data, dead);
}

/** Every dead letter is found by the index, and nothing else is. `dead`: ids of entries by the rows that they ought to have. */
async function checkDeadLetters(data: Data, dead: Map<string, string>): Promise<void> {
  const { findings } = data;
  for await (const [key] of data.store.range(keys.allDeadLetters())) {
    // Keys of another length are told of where all indexes are.
    if (!hasShape('I', key) || !hasThread(data, keys.indexOwnerOf(key), key)) continue;
    if (!dead.delete(rowName(key)))
      findings.fault(FaultCode.index, rowName(key), `entry ${keys.indexedOf(key)} of its thread is no dead letter`);
  }
  for (const entry_id of dead.values())
    findings.fault(FaultCode.index, `entry ${entry_id}`, 'is not among the dead letters');
}

async function checkOutboxes(data: Data): Promise<void> {
  await eachRow(data, 'O', (key) => {
    const [tno, n] = keys.parsePair(key);
    if (!hasThread(data, tno, key)) return;
    if (n >= data.threads.get(tno)!.next_outbox)
      data.findings.fault(FaultCode.thread, threadName(data, tno), `will give the number ${n} of its outbox again`);
  });
  await eachRow(data, 'W', (key) => void hasThread(data, keys.parsePair(key)[0], key));
  await eachRow(data, 'P', (key) => void runOfRow(data, keys.ordinalOf(key), key));
}

/** A thread is what its active run is. */
function checkActive(data: Data): void {
  for (const [tno, { value, active }] of data.threads) {
    if (data.graves.has(tno)) continue;
    const fault = (detail: string) => data.findings.fault(FaultCode.thread, threadName(data, tno), detail);
    if ((value === 'idle') !== (active === null)) fault(`is ${value} with ${active ? 'an' : 'no'} active run`);
    if (!active) continue;
    const run = data.runs.get(Number(active.key));
    if (run?.id !== active.run_id || run.tno !== tno) fault(`its active run ${active.run_id} is not there`);
    else if (run.status === 'done') fault(`its active run ${active.run_id} has ended`);
    else if (run.status !== value) fault(`is ${value} and its active run is ${run.status}`);
  }
}
