/**
 * Parents and children (CONTRACT 1.13, 5.5): when a run is stopped, its children are. Nothing of this is a row of its own:
 * that a parent has ended is durable, so whoever finds an open child of a stopped parent stops it, also after a crash.
 */

import * as keys from '../../store/keys.js';
import type { Reads } from '../../store/reads.js';
import type { RunRecord } from '../records.js';
import type { RunName, RunRow } from './rows.js';

/** Longest chain of delegations. */
export const MAX_DEPTH = 16;

/** Ends of a run that its children do not outlive. */
const STOPS_CHILDREN = new Set(['cancelled', 'superseded', 'error', 'timeout_reached']);

/** Whether the run has ended in a way that its children must not outlive. */
export const stopsChildren = (run: RunRecord): boolean =>
  run.status === 'done' && STOPS_CHILDREN.has(run.termination_code ?? '');

/** The children of a run that have not ended. */
export async function openChildren(store: Reads, rno: number): Promise<RunRecord[]> {
  const children: RunRecord[] = [];
  for await (const [key] of store.range(keys.runsOfParent(rno))) {
    const row = await store.get(keys.run(keys.indexedRunOf(key)));
    if (row === undefined) continue;
    const { tno: _, ...run } = JSON.parse(row) as RunRow;
    if (run.status !== 'done' && run.origin === 'subagent') children.push(run);
  }
  return children;
}

/** The ordinal of a run's parent, and how many ancestors the parent has. */
export async function lineage(
  store: Reads,
  parent_run_id: string,
): Promise<{ rno: number; depth: number } | undefined> {
  let parent: number | undefined;
  let depth = 0;
  for (let id: string | null = parent_run_id; id !== null && depth <= MAX_DEPTH; depth++) {
    const name = await store.get(keys.runName(id));
    if (name === undefined) break;
    const { rno } = JSON.parse(name) as RunName;
    parent ??= rno;
    const row = await store.get(keys.run(rno));
    id = row === undefined ? null : (JSON.parse(row) as RunRow).parent_run_id;
  }
  return parent === undefined ? undefined : { rno: parent, depth };
}
