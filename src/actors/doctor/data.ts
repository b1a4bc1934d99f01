/**
 * The data under examination: the store, and what the records say, which every other check is held against.
 *
 * Threads and runs are kept in memory while the check lasts, some hundred bytes each; everything else is read row by row.
 */

import { AgentServerError } from '../../errors.js';
import * as keys from '../../store/keys.js';
import type { Key, Store } from '../../store/port.js';
import type { RunCode, RunStatus } from '../records.js';
import { FaultCode, type Findings } from './report.js';

export type ThreadFacts = {
  id: string;
  /** Value of its machine. */
  value: string;
  active: { key: string; run_id: string } | null;
  next_cursor: number;
  next_entry: number;
  next_outbox: number;
  messages: number;
  queued: number;
};

export type RunFacts = {
  tno: number;
  id: string;
  status: RunStatus;
  code: RunCode | null;
  parent_id: string | null;
  /** Time of its last change. */
  at: number;
};

export type Data = {
  store: Pick<Store, 'get' | 'getNow' | 'getMany' | 'range'>;
  findings: Findings;
  threads: Map<number, ThreadFacts>;
  runs: Map<number, RunFacts>;
  /** Threads whose rows are being removed: whatever is left of them is no fault. */
  graves: Set<number>;
};

/** What a row is called in a report. */
export const rowName = (key: Key): string => `${String.fromCharCode(key[0]!)} ${key.toString('hex', 1)}`;
export const threadName = ({ threads }: Data, tno: number): string => `thread ${threads.get(tno)?.id ?? `#${tno}`}`;
export const runName = ({ runs }: Data, rno: number): string => `run ${runs.get(rno)?.id ?? `#${rno}`}`;

/** Length of the keys of a family: exactly, or at least. */
type Shape = { bytes: number } | { atLeast: number };
const SHAPES: Readonly<Record<string, Shape>> = {
  A: { atLeast: 8 },
  C: { bytes: 13 },
  G: { bytes: 7 },
  H: { bytes: 13 },
  I: { bytes: 14 },
  L: { bytes: 7 },
  M: { atLeast: 2 },
  N: { atLeast: 3 },
  O: { bytes: 13 },
  P: { bytes: 7 },
  Q: { bytes: 14 },
  R: { bytes: 7 },
  S: { bytes: 7 },
  T: { bytes: 7 },
  U: { bytes: 7 },
  W: { bytes: 13 },
  Z: { bytes: 13 },
};

/** Whether a key has the length of those of its family. */
export function hasShape(letter: string, key: Key): boolean {
  const shape = SHAPES[letter]!;
  return 'bytes' in shape ? key.length === shape.bytes : key.length >= shape.atLeast;
}

/** Visits the rows of a family. One that cannot be read, or is not what the visitor needs, is a fault. */
export async function eachRow<T>(
  { store, findings }: Data,
  letter: string,
  visit: (key: Key, row: T) => void | Promise<void>,
): Promise<void> {
  for await (const [key, value] of store.range(keys.familyOf(letter))) {
    try {
      if (!hasShape(letter, key)) throw new RangeError('a key of another length');
      await visit(key, JSON.parse(value) as T);
    } catch (error) {
      if (error instanceof AgentServerError) throw error; // The store itself cannot be read.
      findings.fault(FaultCode.row, rowName(key), `cannot be read: ${(error as Error).message}`);
    }
  }
}

/** Whether a row may be looked at: it is a fault when its thread is not there, and none when that is being removed. */
export function hasThread(data: Data, tno: number, key: Key): boolean {
  if (data.graves.has(tno)) return false;
  if (data.threads.has(tno)) return true;
  data.findings.fault(FaultCode.orphan, rowName(key), `there is no thread #${tno}`);
  return false;
}

/** The run of a row, unless it is not there (a fault) or being removed. */
export function runOfRow(data: Data, rno: number, key: Key): RunFacts | undefined {
  const run = data.runs.get(rno);
  if (!run) data.findings.fault(FaultCode.orphan, rowName(key), `there is no run #${rno}`);
  return run && !data.graves.has(run.tno) ? run : undefined;
}
