/**
 * What tool calls came to after they had been closed: nothing of it reaches the closed log, but an operator may need to
 * know that a payment was made after all (CONTRACT 1.13, 1.15).
 *
 * A row of the ledger each, and one of an index by which a run finds its own. They live as long as their thread.
 */

import { redact } from '../../redact.js';
import * as keys from '../../store/keys.js';
import type { Key, Op } from '../../store/port.js';
import type { Reads } from '../../store/reads.js';
import type { LateOutcome } from '../inspection.js';
import type { CallOutcome, ExecuteInput } from '../machines/logics.js';
import { delRow, putRow } from '../thread/rows.js';

/** As the effect ended: with an outcome of the tool, or by a fault. */
type Ending = { output: CallOutcome } | { error: { message: string } };
export type LateOutcomeRow = {
  kind: 'late_outcome';
  at: number;
  thread_id: string;
  rno: number;
  tool_call_id: string;
  name: string;
  outcome: Ending;
};

export const lateOutcomeRow = (
  facts: Pick<LateOutcomeRow, 'at' | 'thread_id' | 'rno'>,
  input: unknown,
  outcome: unknown,
): LateOutcomeRow => {
  const { call_id: tool_call_id, name } = input as ExecuteInput;
  return { kind: 'late_outcome', ...facts, tool_call_id, name, outcome: outcome as Ending };
};

/** @param n number of the ledger's row. */
export const putLateOutcome = (n: number, row: LateOutcomeRow): Op[] => [
  putRow(keys.ledger(n), row),
  putRow(keys.lateOutcome(row.rno, n), 0),
];

/** An index row with what it points to. */
export const delLateOutcome = (key: Key): Op[] => [delRow(key), delRow(keys.ledger(keys.indexedOf(key)))];

/** The newest shown of one run. */
const MAX_SHOWN = 200;

/** What calls of a run came to late, oldest first; of one call, if given. Without secrets. */
export async function lateOutcomesOf(store: Reads, rno: number, tool_call_id?: string): Promise<LateOutcome[]> {
  const numbers: number[] = [];
  for await (const [key] of store.range({ ...keys.lateOutcomesOf(rno), reverse: true, limit: MAX_SHOWN }))
    numbers.unshift(keys.indexedOf(key));
  const rows = await store.getMany(numbers.map(keys.ledger));
  return rows
    .flatMap((row) => (row === undefined ? [] : [JSON.parse(row) as LateOutcomeRow]))
    .filter((row) => tool_call_id === undefined || row.tool_call_id === tool_call_id)
    .map(viewOf);
}

function viewOf({ at, tool_call_id, name, outcome: ending }: LateOutcomeRow): LateOutcome {
  const facts = { at, tool_call_id, name };
  if ('error' in ending) return { ...facts, outcome: 'failed', result: null, error: ending.error.message };
  const { output } = ending;
  return {
    ...facts,
    outcome: output.outcome,
    result: 'result' in output ? redact(output.result) : null,
    error: 'error' in output ? output.error : null,
  };
}
