/**
 * Parents and children (CONTRACT 1.13, 5.5): when a run is stopped, its children are. Nothing of this is a row of its own:
 * that a parent has ended is durable, so whoever finds an open child of a stopped parent stops it, also after a crash.
 */

import { ErrorCode, hasCode } from '../../errors.js';
import * as keys from '../../store/keys.js';
import type { Reads } from '../../store/reads.js';
import type { RunRecord } from '../records.js';
import type { Logger } from '../logger.js';
import type { RunName, RunRow } from '../thread/rows.js';

/** Longest chain of delegations. */
export const MAX_DEPTH = 16;

/** Ends of a run that its children do not outlive. */
const STOPS_CHILDREN = new Set(['cancelled', 'superseded', 'error', 'timeout_reached']);

/** Whether the run has ended in a way that its children must not outlive. */
const stopsChildren = (run: RunRecord): boolean =>
  run.status === 'done' && STOPS_CHILDREN.has(run.termination_code ?? '');

/** The children of a run that have not ended. */
async function openChildren(store: Reads, rno: number): Promise<RunRecord[]> {
  const children: RunRecord[] = [];
  for await (const [key] of store.range(keys.runsOfParent(rno))) {
    const row = await store.get(keys.run(keys.indexedOf(key)));
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

/** Stops the children of stopped runs. */
export class Family {
  constructor(
    private readonly port: {
      store: Reads;
      logger: Logger;
      readRun(run_id: string): Promise<RunRecord | undefined>;
      cancel(run_id: string): Promise<unknown>;
    },
  ) {}

  /** A run has ended. */
  ended(rno: number, run: RunRecord): void {
    if (stopsChildren(run)) void this.#guarded(this.stopChildren(rno), run.run_id);
  }

  /** A thread was read: the parent of its open run may have been stopped while the process died. */
  loaded(run: RunRecord): void {
    const { origin, parent_run_id } = run;
    if (origin === 'subagent' && parent_run_id !== null)
      void this.#guarded(this.#stopOrphan(run, parent_run_id), run.run_id);
  }

  /** Ends the open children of a run. */
  async stopChildren(rno: number): Promise<void> {
    for (const { run_id } of await openChildren(this.port.store, rno)) await this.#stop(run_id);
  }

  /** A run that has ended by itself meanwhile is no failure. */
  async #stop(run_id: string): Promise<void> {
    await this.port.cancel(run_id).catch((error: unknown) => {
      if (!hasCode(error, ErrorCode.runNotActive)) throw error;
    });
  }

  async #stopOrphan({ run_id }: RunRecord, parent_run_id: string): Promise<void> {
    const parent = await this.port.readRun(parent_run_id);
    // A parent that is not there was deleted with its thread.
    if (!parent || stopsChildren(parent)) await this.#stop(run_id);
  }

  async #guarded(work: Promise<void>, run_id: string): Promise<void> {
    await work.catch((error: unknown) => {
      this.port.logger.warn({ err: error, run_id }, 'a child of a stopped run could not be stopped');
    });
  }
}
