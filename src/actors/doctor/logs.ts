/**
 * Logs: dense, from `run_start` to one `run_finish` when the run has ended, with the encoders' state that follows from the
 * events, and saying what the run's record says (CONTRACT 1.5, QUALITY promises 1 and 2).
 */

import { AgentServerError } from '../../errors.js';
import * as keys from '../../store/keys.js';
import { hasLog } from '../../store/log.js';
import { advance, initialEncoderState, type StoredEvent } from '../events.js';
import { loadChunks, loadUnfolded } from '../log/chunks.js';
import { eachRow, rowName, runName, type Data, type RunFacts } from './data.js';
import { FaultCode } from './report.js';

/** Chunks read at once. */
const PIECE = 64;

export async function checkLogs(data: Data): Promise<void> {
  const kept = await keptLogs(data);
  const [first] = kept;
  for (const [rno, run] of data.runs) {
    if (data.graves.has(run.tno)) continue;
    try {
      await checkLog(data, rno, run, { isKept: kept.has(rno), mayBeExpiring: rno === first });
    } catch (error) {
      if (error instanceof AgentServerError) throw error; // The store itself cannot be read.
      data.findings.fault(FaultCode.log, runName(data, rno), (error as Error).message);
    }
  }
  await checkStrays(data);
}

/** The runs that stand among the ended ones whose events are kept, the first to end first. */
async function keptLogs(data: Data): Promise<Set<number>> {
  const kept = new Set<number>();
  await eachRow(data, 'Z', (key) => {
    const [at, rno] = keys.parsePair(key);
    const run = data.runs.get(rno);
    if (run?.status === 'done' && run.at === at) kept.add(rno);
    else data.findings.fault(FaultCode.index, rowName(key), `run #${rno} did not end then`);
  });
  return kept;
}

async function checkLog(
  data: Data,
  rno: number,
  run: RunFacts,
  { isKept, mayBeExpiring }: { isKept: boolean; mayBeExpiring: boolean },
): Promise<void> {
  const { store, findings } = data;
  const fault = (detail: string, code: FaultCode = FaultCode.log) => findings.fault(code, runName(data, rno), detail);
  const rest = (await hasLog(store, rno)) ? 'whole' : (await hasRows(data, rno)) ? 'without its first event' : 'none';
  if (rest === 'none') {
    if (isKept || (run.status !== 'done' && run.code !== 'queued')) fault('has no log');
    return;
  }
  if (run.code === 'queued') return fault('has a log before its turn has come');
  // The logs that expire go one after the other, each from its first event on (`retention/expiry.ts`).
  if (rest !== 'whole') return mayBeExpiring ? undefined : fault('has a log without its first event');
  findings.checked.logs += 1;
  if (run.status === 'done' && !isKept)
    fault('has ended, and does not stand among those whose events are kept', FaultCode.index);
  const isFolded = (await store.get(keys.foldedLog(rno))) !== undefined;
  if (isFolded && (await loadUnfolded(store, rno, -1, { limit: 1 })).length > 0)
    fault('is there both folded and in chunks');
  if (isFolded && run.status !== 'done') fault('is folded though its run goes on');

  let state = initialEncoderState;
  let next = 0;
  let last: StoredEvent | undefined;
  for (;;) {
    const chunks = await loadChunks(store, rno, next - 1, { limit: PIECE });
    for (const { n, enc, events } of chunks) {
      if (JSON.stringify(enc) !== JSON.stringify(state)) fault(`at event ${n}`, FaultCode.enc);
      for (const event of events) {
        if (last?.[0] === 'run_finish') fault(`event ${next} follows the end`);
        if ((event[0] === 'run_start') !== (next === 0)) fault(`event ${next} is ${event[0]}`);
        state = advance(state, event);
        last = event;
        next += 1;
      }
    }
    if (chunks.length < PIECE) break;
  }
  findings.checked.events += next;
  checkEnd(run, last, state.paused, fault);
}

function checkEnd(
  run: RunFacts,
  last: StoredEvent | undefined,
  paused: boolean,
  fault: (detail: string, code?: FaultCode) => void,
): void {
  const ended = last?.[0] === 'run_finish' ? last[2].termination.code : null;
  if (run.status === 'done') {
    if (ended === null) fault(`ends with ${last?.[0] ?? 'nothing'}`);
    else if (ended !== run.code) fault(`ended ${run.code} and its log says ${ended}`, FaultCode.run);
  } else if (ended !== null) fault(`is ${run.status} and its log has ended`, FaultCode.run);
  else if ((run.status === 'waiting') !== paused)
    fault(`is ${run.status} and its log ${paused ? 'stands at a pause' : 'goes on'}`, FaultCode.run);
}

async function hasRows({ store }: Data, rno: number): Promise<boolean> {
  for await (const _ of store.range({ ...keys.logOf(rno), limit: 1 })) return true;
  return false;
}

/** Rows of logs of runs that are not there: seeks from one log to the next. */
async function checkStrays({ store, findings, runs }: Data): Promise<void> {
  const all = keys.familyOf('E');
  for (let from = all.gte; ;) {
    let rno: number | undefined;
    for await (const [key] of store.range({ gte: from, lt: all.lt, limit: 1 })) {
      rno = keys.ordinalOf(key);
      if (!runs.has(rno)) findings.fault(FaultCode.orphan, rowName(key), `there is no run #${rno}`);
    }
    if (rno === undefined) return;
    from = keys.logOf(rno).lt;
  }
}
