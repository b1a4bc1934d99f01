/**
 * Tasks: a task is a run, seen as work of one agent (CONTRACT-PROTOCOLS 8.1).
 *
 * A task belongs to the agent it was asked of, also after that agent has handed it over to another one (CONTRACT 5.5);
 * for every other agent it is not there. Whoever holds the id of the mailbox entry may name the task by it.
 */

import { runNotFound } from '../../errors.js';
import type { Engine } from '../../actors/engine.js';
import type { RunRecord } from '../../actors/records.js';
import { isRunOf } from '../agent-of-run.js';

/** The run of a task. Throws `run_not_found` when the agent has no such task. */
export async function taskRun(engine: Engine, agent_id: string, task_id: string): Promise<RunRecord> {
  const run = await findRun(engine, task_id);
  if (!run || !(await isRunOf(engine, run, agent_id))) throw runNotFound(task_id);
  return run;
}

const findRun = async (engine: Engine, task_id: string): Promise<RunRecord | undefined> =>
  (await engine.read({ kind: 'run', run_id: task_id })) ?? engine.read({ kind: 'entry_run', entry_id: task_id });
