import { TaskState } from '@a2a-js/sdk';
import { expect, it } from 'vitest';
import { runCodes, type RunCode, type RunRecord } from '../../../actors/records.js';
import { filtersFor, isTerminal, stateOf } from './states.js';

const run = (termination_code: RunCode | null, termination_detail: string | null = null): RunRecord => {
  const waiting = termination_code === 'queued' || termination_code === 'input_required';
  const status = termination_code === null ? 'running' : waiting ? 'waiting' : 'done';
  return { status, termination_code, termination_detail } as RunRecord;
};

it.each<[RunCode | null, TaskState]>([
  [null, TaskState.TASK_STATE_WORKING],
  ['queued', TaskState.TASK_STATE_SUBMITTED],
  ['input_required', TaskState.TASK_STATE_INPUT_REQUIRED],
  ['natural', TaskState.TASK_STATE_COMPLETED],
  ['tool_called', TaskState.TASK_STATE_COMPLETED],
  ['content_matched', TaskState.TASK_STATE_COMPLETED],
  ['cancelled', TaskState.TASK_STATE_CANCELED],
  ['superseded', TaskState.TASK_STATE_CANCELED],
  ['error', TaskState.TASK_STATE_FAILED],
  ['max_rounds_reached', TaskState.TASK_STATE_FAILED],
  ['timeout_reached', TaskState.TASK_STATE_FAILED],
  ['token_budget_exceeded', TaskState.TASK_STATE_FAILED],
  ['consecutive_errors_exceeded', TaskState.TASK_STATE_FAILED],
  ['loop_detected', TaskState.TASK_STATE_FAILED],
])('a run with code %s is %i', (code, state) => {
  expect(stateOf(run(code))).toBe(state);
  expect(isTerminal(state)).toBe(run(code).status === 'done');
  expect(filtersFor(state)).toContainEqual({
    status: run(code).status,
    ...(code === null ? {} : { termination_code: code }),
  });
});

it('a task whose agent was gone when its turn came is rejected', () => {
  expect(stateOf(run('error', 'agent not found: a'))).toBe(TaskState.TASK_STATE_REJECTED);
  expect(isTerminal(TaskState.TASK_STATE_REJECTED)).toBe(true);
  expect(filtersFor(TaskState.TASK_STATE_REJECTED)).toEqual([]);
});

it('every code is found by exactly one state', () => {
  const states = Object.values(TaskState).filter(
    (state) => typeof state === 'number' && state !== TaskState.TASK_STATE_UNSPECIFIED,
  );
  const found = states.flatMap(filtersFor).flatMap(({ termination_code }) => termination_code ?? []);
  expect(found.sort()).toEqual([...runCodes].sort());
});
