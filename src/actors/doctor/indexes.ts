/** The runs of threads, the children of runs, and what open runs keep beside their records. */

import * as keys from '../../store/keys.js';
import { eachRow, rowName, runName, runOfRow, type Data } from './data.js';
import { FaultCode } from './report.js';

export async function checkIndexes(data: Data): Promise<void> {
  const { findings, runs, graves } = data;
  const ofThread = new Set<number>();
  const ofParent = new Set<number>();
  await eachRow(data, 'I', (key) => {
    const kind = String.fromCharCode(key[1]!);
    // A dead letter is an entry of a mailbox, not a run.
    if (kind === 'd') return;
    const owner = key.readUIntBE(2, 6);
    const rno = keys.indexedRunOf(key);
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
  const byId = new Map([...runs].map(([rno, { id }]) => [id, rno]));
  for (const [rno, { tno, parent_id }] of runs) {
    if (graves.has(tno)) continue;
    if (!ofThread.has(rno)) findings.fault(FaultCode.index, runName(data, rno), 'is not among the runs of its thread');
    const parent = parent_id === null ? undefined : byId.get(parent_id);
    // A later run may have taken the id of a parent whose thread was deleted.
    if (parent !== undefined && parent < rno && !ofParent.has(rno))
      findings.fault(FaultCode.index, runName(data, rno), 'is not among the children of its parent');
  }
  await eachRow(data, 'U', (key) => {
    const run = runOfRow(data, keys.ordinalOf(key), key);
    if (run?.status === 'done') findings.fault(FaultCode.orphan, rowName(key), `run ${run.id} has ended`);
  });
}
