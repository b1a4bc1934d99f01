/** Live actors: each can be read, belongs to the active run of its thread, and is known to its parent. */

import * as keys from '../../store/keys.js';
import { childOf, parentOf, runOf } from '../thread/apply.js';
import type { ActorRow } from '../thread/rows.js';
import { fromRow } from '../thread/xstate.js';
import { machines } from '../machines/index.js';
import { eachRow, hasThread, rowName, threadName, type Data } from './data.js';
import { FaultCode } from './report.js';

export async function checkActors(data: Data): Promise<void> {
  const { findings, threads, graves } = data;
  const trees = new Map<number, Map<string, ActorRow>>();
  await eachRow<ActorRow>(data, 'A', (key, row) => {
    const { tno, path } = keys.parseActor(key);
    if (!hasThread(data, tno, key)) return;
    findings.checked.actors += 1;
    checkRow(data, rowName(key), row);
    const rows = trees.get(tno) ?? new Map<string, ActorRow>();
    trees.set(tno, rows.set(path, row));
  });
  for (const [tno, rows] of trees) checkTree(data, tno, rows);
  for (const [tno, { active }] of threads)
    if (active && !trees.has(tno) && !graves.has(tno))
      findings.fault(FaultCode.actor, threadName(data, tno), `nobody runs its active run ${active.run_id}`);
}

function checkRow({ findings }: Data, where: string, row: ActorRow): void {
  try {
    fromRow(row);
  } catch (error) {
    findings.fault(FaultCode.actor, where, `cannot be read: ${(error as Error).message}`);
  }
  for (const [id, { src, due }] of Object.entries(row.fx ?? {}))
    if (src === 'timer' && !Number.isInteger(due))
      findings.fault(FaultCode.deadline, where, `timer ${id} is due at no time`);
}

function checkTree(data: Data, tno: number, rows: ReadonlyMap<string, ActorRow>): void {
  const { findings, threads } = data;
  const { active } = threads.get(tno)!;
  const fault = (detail: string) => findings.fault(FaultCode.actor, threadName(data, tno), detail);
  if (active && !rows.has(active.key)) fault(`nobody runs its active run ${active.run_id}`);
  for (const [path, { children = [] }] of rows) {
    if (active?.key !== String(runOf(path))) fault(`actor ${path} belongs to no active run`);
    const parent = parentOf(path);
    if (parent !== '' && !rows.get(parent)?.children.some(([id]) => childOf(parent, id) === path))
      fault(`actor ${path} is not known to its parent`);
    for (const [id, src] of children)
      if (Object.hasOwn(machines, src) && !rows.has(childOf(path, id))) fault(`actor ${childOf(path, id)} is missing`);
  }
}
