/** The record of a run is a projection of its log; messages carry the ids that the events carry (CONTRACT 1.4, 3.1). */

import { describe, expect, test } from 'vitest';
import type { TerminationCode } from '../events.js';
import type { EmittedEvent } from '../machines/emitted.js';
import { Cells } from './cells.js';
import { Draft } from './draft.js';
import { record } from './recorder.js';

const AT = 1_000;
const usage = { input_tokens: 3, output_tokens: 4, total_tokens: 7 };

function opened(overrides?: object): Draft {
  const cells = new Cells();
  cells.values.set('thread', { thread_id: 't', next_cursor: 5, message_count: 2, next_outbox: 0 });
  cells.values.set('r1', {
    run_id: 'r',
    thread_id: 't',
    agent_id: 'a',
    status: 'waiting',
    termination_code: 'queued',
    termination_detail: null,
    input_tokens: 0,
    output_tokens: 0,
    updated_at: 0,
  });
  if (overrides) cells.values.set('x1', overrides);
  return new Draft(cells, AT);
}
const start: EmittedEvent = {
  type: 'run_start',
  agent_id: 'a',
  parent_run_id: null,
  parent_thread_id: null,
  origin: 'user',
};
const finish = (response: string | null, code: TerminationCode = 'natural'): EmittedEvent => ({
  type: 'run_finish',
  termination: { code, detail: 'why' },
  result: response === null ? null : { response },
  usage,
});
const events = (draft: Draft) => draft.logs.get(1)!.events.map(({ type, data }) => [type, data] as const);

describe('the record follows the log', () => {
  test('start, pause, resumption, tokens, end', () => {
    const draft = opened();
    record(draft, 1, start);
    expect(draft.get('r1')).toMatchObject({ status: 'running', termination_code: null, updated_at: AT });
    const pending = [
      { id: 'fc_c', tool_call_id: 'c', name: 'pay', kind: 'approval', message: 'may I?' } as const,
      { id: 'fc_d', tool_call_id: 'd', name: 'look', kind: 'input', message: 'where?' } as const,
    ];
    record(draft, 1, { type: 'run_waiting', pending });
    expect(draft.get('r1')).toMatchObject({
      status: 'waiting',
      termination_code: 'input_required',
      termination_detail: 'pay: may I?; look: where?',
    });
    record(draft, 1, { type: 'run_resumed', decisions: ['d1'] });
    expect(draft.get('r1')).toMatchObject({ status: 'running', termination_code: null, termination_detail: null });
    for (let i = 0; i < 2; i++) record(draft, 1, { type: 'inference_complete', model: 'm', usage, duration_ms: 1 });
    expect(draft.get('r1')).toMatchObject({ input_tokens: 6, output_tokens: 8 });
    record(draft, 1, finish('bye'));
    expect(draft.get('r1')).toMatchObject({
      status: 'done',
      termination_code: 'natural',
      termination_detail: 'why',
    });
  });

  test('a handoff changes the agent and is no event', () => {
    const draft = opened();
    record(draft, 1, { type: 'handoff', agent_id: 'b' });
    expect(draft.get('r1')).toMatchObject({ agent_id: 'b', updated_at: AT });
    expect(draft.logs.size).toBe(0);
  });
});

describe('messages', () => {
  test('an answer has the id of its step, a result the id in its event', () => {
    const draft = opened();
    record(draft, 1, start);
    record(draft, 1, { type: 'step_start' });
    const { message_id } = events(draft)[1]![1] as { message_id: string };
    const tool_calls = [{ id: 'c', name: 'look', arguments: {} }];
    record(draft, 1, { type: 'message', partial: false, content: 'let me see', tool_calls });
    record(draft, 1, { type: 'tool_call_done', id: 'c', name: 'look', outcome: 'succeeded', result: { n: 1 } });
    record(draft, 1, { type: 'tool_call_done', id: 'd', name: 'look', outcome: 'failed', error: 'no' });
    const done = events(draft).flatMap(([type, data]) =>
      type === 'tool_call_done' ? [data as { message_id: string }] : [],
    );
    expect(draft.messages).toMatchObject([
      { cursor: 5, id: message_id, role: 'assistant', content: 'let me see', tool_calls, run_id: 'r', step: 0 },
      { cursor: 6, id: done[0]!.message_id, role: 'tool', content: '{"n":1}', tool_call_id: 'c', step: 0 },
      { cursor: 7, id: done[1]!.message_id, role: 'tool', content: 'no', tool_call_id: 'd', is_error: true },
    ]);
    expect(draft.messages[1]).not.toHaveProperty('is_error');
    expect(draft.get('thread')).toMatchObject({ next_cursor: 8, message_count: 5 });
  });

  test('a step that was cut off leaves what had streamed, without what a retry made void', () => {
    const draft = opened();
    record(draft, 1, start);
    record(draft, 1, { type: 'step_start' });
    record(draft, 1, { type: 'text_delta', delta: 'void' });
    record(draft, 1, { type: 'inference_retry', attempt: 1, reason: 'down' });
    expect(events(draft).at(-1)![1]).toEqual({ attempt: 1, reason: 'down', messages_upto: 5 });
    for (const delta of ['what ', 'stays']) record(draft, 1, { type: 'text_delta', delta });
    record(draft, 1, { type: 'message', partial: true });
    expect(draft.messages).toMatchObject([{ role: 'assistant', content: 'what stays' }]);
  });

  test('an answer that says nothing leaves none', () => {
    const draft = opened();
    record(draft, 1, start);
    record(draft, 1, { type: 'step_start' });
    record(draft, 1, { type: 'message', partial: true });
    record(draft, 1, { type: 'message', partial: false, content: '', tool_calls: [] });
    expect(draft.messages).toEqual([]);
  });
});

const startOf = (draft: Draft) => {
  const cell = draft.get('o0')!;
  if (!('start' in cell)) throw new Error('the row is no start');
  return cell.start;
};

describe('a run that has a task at a remote agent', () => {
  const remote = { agent_id: 'far', step: 0, task: { task_id: 't', context_id: 'c' } };

  test('stops it when it ends without it', () => {
    const draft = opened({ remote });
    record(draft, 1, finish(null, 'cancelled'));
    expect(draft.get('o0')).toEqual({ stop: remote });
    expect(draft.get('x1')).toBeUndefined();
  });

  test('leaves it alone when it ended with it', () => {
    const draft = opened({ remote });
    record(draft, 1, finish('said'));
    expect(draft.get('o0')).toBeUndefined();
  });
});

describe('a run that somebody wants to know the end of', () => {
  test('leaves word in the outbox, under an id that follows from the run', () => {
    const notify = { thread_id: 'parent', agent_id: 'boss' };
    const [one, two] = [opened({ notify }), opened({ notify })];
    for (const draft of [one, two]) record(draft, 1, finish('forty-two'));
    expect(startOf(one)).toMatchObject({
      ...notify,
      origin: 'internal',
      on_busy: 'enqueue',
      parent_run_id: 'r',
      messages: [{ visibility: 'internal', content: expect.stringContaining('forty-two') }],
    });
    expect(startOf(two).run_id).toBe(startOf(one).run_id);
    expect(one.get('x1')).toBeUndefined();
  });

  test('any other leaves none', () => {
    const draft = opened({ model: 'x:y' });
    record(draft, 1, finish(null));
    expect(draft.get('o0')).toBeUndefined();
    expect(draft.get('x1')).toBeUndefined();
  });
});
