/**
 * `agent-server doctor`: whether a data directory holds together, told without a server.
 *
 * Nothing is written to the rows and nothing is repaired. The directory is opened as a server would open it, so LevelDB
 * replays its own log; that is why a directory in use is refused. The report says what contradicts what, with codes that
 * stay (`report.ts`); a healthy directory has no faults, however often its server was killed.
 */

import * as keys from '../../store/keys.js';
import { checkFormat } from '../../store/format.js';
import { openLevelStore } from '../../store/level.js';
import type { Store } from '../../store/port.js';
import { checkActors } from './actors.js';
import { checkColumns } from './columns.js';
import { eachRow, rowName, type Data } from './data.js';
import { checkIndexes } from './indexes.js';
import { checkLogs } from './logs.js';
import { readRecords } from './records.js';
import { FaultCode, Findings, type DoctorReport } from './report.js';
import { checkThreads } from './threads.js';

export { FaultCode, type Checked, type DoctorReport, type Fault } from './report.js';

/**
 * Checks every row of a data directory.
 *
 * Throws `StoreLocked` when a server has it open, `StoreMissing` when there is nothing, `FormatError` when it is not data
 * of this format: then nothing was checked.
 */
export async function checkDataDirectory(directory: string): Promise<DoctorReport> {
  const store = await openLevelStore(directory, { create: false });
  try {
    return await checkStore(store);
  } finally {
    await store.close();
  }
}

/** The same for a store that is open and that nobody writes to. */
export async function checkStore(store: Pick<Store, 'get' | 'getNow' | 'getMany' | 'range'>): Promise<DoctorReport> {
  await checkFormat(store);
  const data: Data = { store, findings: new Findings(), threads: new Map(), runs: new Map(), graves: new Set() };
  await checkFamilies(data);
  await readRecords(data);
  for (const check of [checkThreads, checkActors, checkIndexes, checkLogs, checkColumns]) await check(data);
  return data.findings.report();
}

/** There are no rows but those of families that are known; those that nothing else is held against can be read. */
async function checkFamilies(data: Data): Promise<void> {
  const { store, findings } = data;
  await eachRow(data, 'M', () => {});
  let from = keys.everything().gte;
  for (const letter of keys.FAMILIES) {
    const { gte, lt } = keys.familyOf(letter);
    for await (const [key] of store.range({ gte: from, lt: gte }))
      findings.fault(FaultCode.row, rowName(key), 'belongs to no family of rows');
    from = lt;
  }
  for await (const [key] of store.range({ gte: from, lt: keys.everything().lt }))
    findings.fault(FaultCode.row, rowName(key), 'belongs to no family of rows');
}
