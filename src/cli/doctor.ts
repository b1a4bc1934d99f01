/**
 * `agent-server doctor`: whether a data directory holds together, told without a server. The report is JSON whatever the
 * format: it is for programs and bug reports. Exit 1 when it names faults, 2 when there is nothing that can be checked.
 */

import { resolve } from 'node:path';
import { checkDataDirectory, type DoctorReport } from '../actors/doctor/index.js';
import { CliError } from './client/errors.js';
import { ExitCode } from './client/exit-codes.js';
import { exitCodeOf, lineOf } from './failure.js';
import { itemEnvelope } from './output/envelope.js';
import type { Session } from './session/session.js';

export async function doctor({ out }: Session, { data = './data' }: { data?: string }): Promise<ExitCode> {
  const report = await check(resolve(data));
  await out.json(out.format === 'jsonl' ? report : itemEnvelope('DoctorReport', report));
  return report.ok ? ExitCode.ok : ExitCode.failed;
}

async function check(directory: string): Promise<DoctorReport> {
  try {
    return await checkDataDirectory(directory);
  } catch (error) {
    throw new CliError(exitCodeOf(error), lineOf(error), { cause: error });
  }
}
