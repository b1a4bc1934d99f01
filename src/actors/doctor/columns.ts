/** The blocks of columns, with what has changed since, give what the records give (`lists/blocks.ts`). */

import { AgentServerError } from '../../errors.js';
import { ColumnBlocks } from '../lists/blocks.js';
import { Lists } from '../lists/lists.js';
import { silentLogger } from '../logger.js';
import { systemClock } from '../time/clock.js';
import type { Data } from './data.js';
import { FaultCode } from './report.js';

const always = (): boolean => true;
const journal = { commit: (): Promise<void> => Promise.reject(new Error('a check writes nothing')) };

export async function checkColumns(data: Data): Promise<void> {
  try {
    await comparePages(data);
  } catch (error) {
    if (error instanceof AgentServerError) throw error; // The store itself cannot be read.
    data.findings.fault(FaultCode.columns, 'columns', `cannot be checked: ${(error as Error).message}`);
  }
}

async function comparePages({ store, findings }: Data): Promise<void> {
  const [kept, read] = [new Lists(store), new Lists(store)];
  const blocks = new ColumnBlocks({
    journal,
    clock: systemClock(),
    logger: silentLogger,
    runs: kept.runs,
    threads: kept.threads,
  });
  const pages = await blocks.load(store, always);
  await read.read(store, { runs: [], threads: [] }, always);
  for (const table of ['runs', 'threads'] as const)
    for (const page of pages[table])
      if (kept[table].encode(page) !== read[table].encode(page))
        findings.fault(FaultCode.columns, `page ${page} of ${table}`, 'its block does not agree with the records');
}
