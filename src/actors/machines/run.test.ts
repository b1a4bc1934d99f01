import { describe, expect, test } from 'vitest';
import { ignored as __, refused as no, take, testTable, type Given } from '../../../test/support/machine-table.js';
import type { Calls } from './calls.js';
import type { ExecutionMode } from '../../agents/types.js';
import type { RunContext } from './run.js';

const context = (change: Partial<RunContext> = {}): RunContext => ({
  run_id: 'r',
  agent_id: 'a',
  parent_run_id: null,
  parent_thread_id: null,
  origin: 'user',
  mode: 'parallel_streaming',
  limits: { max_rounds: 3, max_retries: 1, retry_ms: 100, cancel_ms: 50, timeout_ms: null },
  state_changed: false,
  stop_conditions: [],
  facts: null,
  step: 0,
  attempt: 0,
  failures: 0,
  backoff_ms: 0,
  usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
  calls: {},
  ending: null,
  ...change,
});
const suspension = { id: 'fc_c1', tool_call_id: 'c1', name: 'pay', kind: 'approval' as const, message: '?' };
const open: Calls = { '0.0': { id: 'c1', is: 'open' }, '0.1': { id: 'c2', is: 'open' } };
const half: Calls = { '0.0': { id: 'c1', is: 'suspended', suspension }, '0.1': { id: 'c2', is: 'open' } };
const asked: Calls = { '0.0': { id: 'c1', is: 'suspended', suspension } };
const kids: [string, string][] = [
  ['0.0', 'tool_call'],
  ['0.1', 'tool_call'],
];
const usage = { input_tokens: 1, output_tokens: 2, total_tokens: 3 };
const answer = (calls: object[]) => ({
  type: 'xstate.done.actor.model',
  output: {
    text: 'hi',
    calls,
    finish_reason: calls.length > 0 ? 'tool-calls' : 'stop',
    model: 'm',
    usage,
    duration_ms: 5,
  },
});
const plan = { key: '0.0', id: 'c1', name: 'pay', arguments: {}, effect: 'once', timeout_ms: null, gate: 'open' };
const fault = (retryable: boolean) => ({
  type: 'xstate.error.actor.model',
  error: { message: 'broken', retryable, retry_after_ms: null },
});
const decide = {
  type: 'DECIDE',
  decisions: [
    { key: '0.0', decision: { target_id: 'c1', decision_id: 'd', action: 'resume', result: {}, updated_at: 0 } },
  ],
};

testTable({
  kind: 'run',
  states: {
    inferring: { value: { running: 'inferring' }, context: context() },
    backing_off: { value: { running: 'backing_off' }, context: context() },
    acting: { value: { running: 'acting' }, context: context({ calls: half }), children: kids },
    waiting: { value: 'waiting', context: context({ calls: asked }), children: kids },
    cancelling: {
      value: 'cancelling',
      context: context({ calls: open, ending: { code: 'cancelled', detail: null, response: null } }),
      children: kids,
    },
  },
  events: {
    CANCEL: { type: 'CANCEL', code: 'cancelled', detail: null },
    FAULT: { type: 'FAULT', message: 'x' },
    DECIDE: decide,
    SUSPENDED: { type: 'SUSPENDED', key: '0.1', suspension },
    DECIDED: { type: 'DECIDED', key: '0.1' },
    SETTLED: { type: 'SETTLED', key: '0.1', outcome: 'succeeded' },
    AWAKE: { type: 'AWAKE', key: '0.0' },
    lost: { type: 'fx.lost' },
    text: answer([]),
    calls: answer([plan]),
    retryable: fault(true),
    fatal: fault(false),
    backoff: { type: 'xstate.done.actor.backoff', output: null },
    timeout: { type: 'xstate.done.actor.timeout', output: null },
    deadline: { type: 'xstate.done.actor.deadline', output: null },
  },
  // prettier-ignore
  rows: {
    inferring:   { CANCEL: 'done', FAULT: 'done', DECIDE: __, SUSPENDED: __, DECIDED: __, SETTLED: __, AWAKE: __, lost: 'running.inferring', text: 'done', calls: 'running.acting', retryable: 'running.backing_off', fatal: 'done', backoff: __, timeout: 'done', deadline: __ },
    backing_off: { CANCEL: 'done', FAULT: 'done', DECIDE: __, SUSPENDED: __, DECIDED: __, SETTLED: __, AWAKE: __, lost: __, text: __, calls: __, retryable: no, fatal: no, backoff: 'running.inferring', timeout: 'done', deadline: __ },
    acting:      { CANCEL: 'cancelling', FAULT: 'cancelling', DECIDE: 'running.acting', SUSPENDED: 'waiting', DECIDED: 'running.acting', SETTLED: 'waiting', AWAKE: 'running.acting', lost: __, text: __, calls: __, retryable: no, fatal: no, backoff: __, timeout: 'cancelling', deadline: __ },
    waiting:     { CANCEL: 'cancelling', FAULT: 'cancelling', DECIDE: 'running.acting', SUSPENDED: __, DECIDED: __, SETTLED: 'waiting', AWAKE: 'running.acting', lost: __, text: __, calls: __, retryable: no, fatal: no, backoff: __, timeout: __, deadline: __ },
    cancelling:  { CANCEL: __, FAULT: 'cancelling', DECIDE: __, SUSPENDED: 'cancelling', DECIDED: __, SETTLED: 'cancelling', AWAKE: __, lost: __, text: __, calls: __, retryable: no, fatal: no, backoff: __, timeout: __, deadline: 'cancelling' },
  },
});

const sent = (g: Given, event: { type: string }) =>
  take('run', g, event).wants.flatMap((want) => (want.want === 'send' ? [`${want.id} ${want.event.type}`] : []));
const emitted = (g: Given, event: { type: string }) =>
  take('run', g, event).wants.flatMap((want) => (want.want === 'emit' ? [want.event.type] : []));

describe('the order of a step (CONTRACT 11)', () => {
  test('an answer with text ends the run', () => {
    const g = { value: { running: 'inferring' }, context: context() };
    expect(emitted(g, answer([]))).toEqual(['inference_complete', 'message', 'step_end', 'run_finish']);
  });
  test('a cancelled inference keeps its text and closes its step before the run ends', () => {
    const g = { value: { running: 'inferring' }, context: context() };
    expect(emitted(g, { type: 'CANCEL', code: 'cancelled', detail: null } as never)).toEqual([
      'message',
      'step_end',
      'run_finish',
    ]);
  });
  test('the last round ends the run, however much the model wants', () => {
    const calls: Calls = { '2.0': { id: 'c', is: 'open' } };
    const g = {
      value: { running: 'acting' },
      context: context({ step: 2, calls }),
      children: [['2.0', 'tool_call']] as [string, string][],
    };
    const end = take('run', g, { type: 'SETTLED', key: '2.0' });
    expect(end.path).toBe('done');
    expect(end.wants).toContainEqual({
      want: 'emit',
      event: expect.objectContaining({ type: 'run_finish', termination: { code: 'max_rounds_reached', detail: null } }),
    });
  });
  test('retries are bounded', () => {
    const g = { value: { running: 'inferring' }, context: context({ failures: 1 }) };
    expect(take('run', g, fault(true)).path).toBe('done');
  });
});

describe('the execution modes (CONTRACT 5.3)', () => {
  const three = [0, 1, 2].map((i) => ({ ...plan, key: `0.${i}`, id: `c${i}` }));
  const begin = (mode: ExecutionMode) =>
    sent({ value: { running: 'inferring' }, context: context({ mode }) }, answer(three));
  test('which calls are let go at first', () => {
    expect(begin('parallel_streaming')).toEqual(['0.0 GO', '0.1 GO', '0.2 GO']);
    expect(begin('parallel_batch_approval')).toEqual(['0.0 GO', '0.1 GO', '0.2 GO']);
    expect(begin('sequential')).toEqual(['0.0 GO']);
  });
  const acting = (mode: ExecutionMode, calls: Calls): Given => ({
    value: { running: 'acting' },
    context: context({ mode, calls }),
    children: Object.keys(calls).map((key) => [key, 'tool_call']),
  });
  test('sequential goes on when the call before has ended', () => {
    const calls: Calls = {
      '0.0': { id: 'a', is: 'open' },
      '0.1': { id: 'b', is: 'queued' },
      '0.2': { id: 'c', is: 'queued' },
    };
    expect(sent(acting('sequential', calls), { type: 'SETTLED', key: '0.0' } as never)).toEqual(['0.1 GO']);
  });
  test('batch approval lets the approved go when no question is left', () => {
    const calls: Calls = { '0.0': { id: 'a', is: 'open' }, '0.1': { id: 'b', is: 'suspended', suspension } };
    const first = take('run', acting('parallel_batch_approval', calls), { type: 'DECIDED', key: '0.0' });
    expect(first.path).toBe('waiting');
    const last: Calls = { '0.0': { id: 'a', is: 'decided' }, '0.1': { id: 'b', is: 'open' } };
    expect(sent(acting('parallel_batch_approval', last), { type: 'DECIDED', key: '0.1' } as never)).toEqual([
      '0.0 GO',
      '0.1 GO',
    ]);
  });
  test('parallel lets an approved call go at once, whatever else is asked', () => {
    expect(sent(acting('parallel_streaming', { ...half }), { type: 'DECIDED', key: '0.0' } as never)).toEqual([
      '0.0 GO',
    ]);
  });
});
