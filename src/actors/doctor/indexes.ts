/** The runs of threads, the children of runs, what their calls came to late, and what open runs keep beside their records. */

import * as keys from '../../store/keys.js';
import type { Key } from '../../store/port.js';
import type { AuditRow } from '../audit/audit-log.js';
import type { LateOutcomeRow } from '../host/late-outcomes.js';
import { eachRow, rowName, runName, runOfRow, type Data } from './data.js';
import { FaultCode } from './report.js';

export async function checkIndexes(data: Data): Promise<void> {
  const { findings, runs, graves } = data;
  const ofThread = new Set<number>();
  const ofParent = new Set<number>();
  const late = await lateOutcomes(data);
  await eachRow(data, 'I', (key) => {
    const kind = String.fromCharCode(key[1]!);
    // Dead letters are entries of mailboxes and looked at with those.
    if (kind === 'd') return;
    const owner = keys.indexOwnerOf(key);
    if (kind === 'l') return checkLateOutcome(data, key, late);
    const rno = keys.indexedOf(key);
    if (kind === 't' && graves.has(owner)) return;
    const run = runOfRow(data, rno, key);
    if (!run) return;
    if (kind === 't') {
      ofThread.add(rno);
      if (run.tno !== owner) findings.fault(FaultCode.index, rowName(key), `run ${run.id} is not of thread #${owner}`);
    } else if (kind === 'p') {
      ofParent.add(rno);
      const parent = runs.get(owner);
      if (parent?.id !== run.parent_id && !(parent && graves.has(parent.tno)))
        findings.fault(FaultCode.index, rowName(key), `run ${run.id} is not a child of run #${owner}`);
    } else findings.fault(FaultCode.row, rowName(key), 'an index of no kind');
  });
  for (const [n, rno] of late)
    findings.fault(FaultCode.index, rowName(keys.ledger(n)), `${runName(data, rno)} does not know of it`);
  const byId = new Map([...runs].map(([rno, { id }]) => [id, rno]));
  for (const [rno, { tno, parent_id }] of runs) {
    if (graves.has(tno)) continue;
    if (!ofThread.has(rno)) findings.fault(FaultCode.index, runName(data, rno), 'is not among the runs of its thread');
    const parent = parent_id === null ? undefined : byId.get(parent_id);
    // A later run may have taken the id of a parent whose thread was deleted; one that is being removed has let go of it.
    if (parent !== undefined && parent < rno && !ofParent.has(rno) && !graves.has(runs.get(parent)!.tno))
      findings.fault(FaultCode.index, runName(data, rno), 'is not among the children of its parent');
  }
  await eachRow(data, 'U', (key) => {
    const run = runOfRow(data, keys.ordinalOf(key), key);
    if (run?.status === 'done') findings.fault(FaultCode.orphan, rowName(key), `run ${run.id} has ended`);
  });
}

/** The late outcomes in the ledger, by their numbers, with the ordinals of their runs. */
async function lateOutcomes(data: Data): Promise<Map<number, number>> {
  const late = new Map<number, number>();
  await eachRow<AuditRow | LateOutcomeRow>(data, 'L', (key, row) => {
    // Rows of older versions name no run, and none knows of them.
    if (row.kind === 'late_outcome' && 'rno' in row && runOfRow(data, row.rno, key))
      late.set(keys.ordinalOf(key), row.rno);
  });
  return late;
}

/** A run and the ledger know of each other; what is found is taken out of `late`. */
function checkLateOutcome(data: Data, key: Key, late: Map<number, number>): void {
  const [owner, n] = [keys.indexOwnerOf(key), keys.indexedOf(key)];
  const run = runOfRow(data, owner, key);
  if (run && late.get(n) !== owner)
    data.findings.fault(FaultCode.index, rowName(key), `the ledger has no late outcome ${n} of run ${run.id}`);
  late.delete(n);
}
