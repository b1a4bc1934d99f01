/** The state of a task, of a run (CONTRACT-PROTOCOLS 8.3). Pure. */

import { TaskState } from '@a2a-js/sdk';
import type { TerminationCode } from '../../../actors/events.js';
import type { RunCode, RunRecord } from '../../../actors/records.js';

/** The state in which each end leaves the task. What was stopped by a limit of its agent did not do what it was asked. */
const endState = {
  natural: TaskState.TASK_STATE_COMPLETED,
  tool_called: TaskState.TASK_STATE_COMPLETED,
  content_matched: TaskState.TASK_STATE_COMPLETED,
  cancelled: TaskState.TASK_STATE_CANCELED,
  superseded: TaskState.TASK_STATE_CANCELED,
  error: TaskState.TASK_STATE_FAILED,
  max_rounds_reached: TaskState.TASK_STATE_FAILED,
  timeout_reached: TaskState.TASK_STATE_FAILED,
  token_budget_exceeded: TaskState.TASK_STATE_FAILED,
  consecutive_errors_exceeded: TaskState.TASK_STATE_FAILED,
  loop_detected: TaskState.TASK_STATE_FAILED,
} satisfies Record<TerminationCode, TaskState>;

export type End = { code: TerminationCode; detail: string | null };

/** A task whose turn came when its agent was gone was never taken up. */
const wasRejected = ({ code, detail }: End): boolean => code === 'error' && !!detail?.startsWith('agent not found: ');

export const stateOfEnd = (end: End): TaskState =>
  wasRejected(end) ? TaskState.TASK_STATE_REJECTED : endState[end.code];

/** The state of a task as its run's record has it. */
export function stateOf({ status, termination_code, termination_detail }: RunRecord): TaskState {
  if (status === 'running') return TaskState.TASK_STATE_WORKING;
  if (status === 'waiting')
    return termination_code === 'queued' ? TaskState.TASK_STATE_SUBMITTED : TaskState.TASK_STATE_INPUT_REQUIRED;
  return stateOfEnd({ code: termination_code as TerminationCode, detail: termination_detail });
}

const terminal: ReadonlySet<TaskState> = new Set([...Object.values(endState), TaskState.TASK_STATE_REJECTED]);
export const isTerminal = (state: TaskState): boolean => terminal.has(state);

/**
 * Which runs are in a state: filters of `Engine.list`, whose results together are the answer. Empty for a state that no
 * filter finds; tasks that were rejected are among the failed ones.
 */
export function filtersFor(state: TaskState): { status?: RunRecord['status']; termination_code?: RunCode }[] {
  switch (state) {
    case TaskState.TASK_STATE_UNSPECIFIED:
      return [{}];
    case TaskState.TASK_STATE_WORKING:
      return [{ status: 'running' }];
    case TaskState.TASK_STATE_SUBMITTED:
      return [{ status: 'waiting', termination_code: 'queued' }];
    case TaskState.TASK_STATE_INPUT_REQUIRED:
      return [{ status: 'waiting', termination_code: 'input_required' }];
    default:
      return (Object.keys(endState) as TerminationCode[])
        .filter((code) => endState[code] === state)
        .map((code) => ({ status: 'done', termination_code: code }));
  }
}
