/** What each canonical event becomes, as a table; and what a pause is in the three encoders. */

import { describe, expect, it } from 'vitest';
import {
  advance,
  initialEncoderState,
  type EncoderState,
  type StoredEvent,
  type TerminationCode,
} from '../../actors/events.js';
import type { Said } from '../../../test/support/fake-engine.js';
import { uiEncoder, type Pauses } from './encoder.js';

const run = { run_id: 'r', thread_id: 't' };
const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };

const say = {
  begin: ['run_start', { agent_id: 'a', parent_run_id: null, parent_thread_id: null, origin: 'ai_sdk' }] as Said,
  step: (message_id = 'm'): Said => ['step_start', { message_id }],
  text: (delta: string): Said => ['text_delta', { delta }],
  thought: (delta: string): Said => ['reasoning_delta', { delta }],
  call: (id = 'c', name = 'pay'): Said[] => [
    ['tool_call_start', { id, name }],
    ['tool_call_ready', { id, name, arguments: { a: 1 } }],
  ],
  complete: ['inference_complete', { model: 'x', usage, duration_ms: 1 }] as Said,
  end: (finish_reason: 'stop' | 'tool-calls' | 'other' | 'length' = 'stop'): Said => ['step_end', { finish_reason }],
  ask: (kind: 'approval' | 'frontend' | 'input' | 'in_doubt', id = 'c'): Said => [
    'tool_call_suspended',
    { id, name: 'pay', arguments: { a: 1 }, suspension: { id: `fc_${id}`, kind, message: 'well?' } },
  ],
  wait: ['run_waiting', { pending: [] }] as Said,
  resume: ['run_resumed', { decisions: ['d'] }] as Said,
  done: (id = 'c'): Said => [
    'tool_call_done',
    { id, name: 'pay', message_id: 'x', outcome: 'succeeded', result: { ok: true } },
  ],
  over: (outcome: 'failed' | 'denied' | 'cancelled', id = 'c'): Said => [
    'tool_call_done',
    { id, name: 'pay', message_id: 'x', outcome, error: 'no' },
  ],
  retry: ['inference_retry', { attempt: 1, reason: 'lost', messages_upto: 0 }] as Said,
  finish: (code: TerminationCode = 'natural', detail: string | null = null): Said => [
    'run_finish',
    { termination: { code, detail }, result: null, usage },
  ],
};

const stored = (said: Said[]): StoredEvent[] => said.map(([type, data]) => [type, 0, data] as unknown as StoredEvent);

/** The chunks of the last `count` events, the others in front of them in chunks of their own. */
function chunksOf(said: Said[], count = said.length, pauses: Pauses = 'split'): unknown[] {
  const events = stored(said);
  const enc = events.slice(0, events.length - count).reduce<EncoderState>(advance, initialEncoderState);
  const chunk = { n: events.length - count, t0: 0, enc, events: events.slice(events.length - count) };
  return [...uiEncoder(pauses)(chunk, run, 0)].flat().map((json) => JSON.parse(json) as unknown);
}

const start = { type: 'start', messageId: 'm', messageMetadata: { runId: 'r', threadId: 't' } };
const step = { type: 'start-step' };
const stepEnd = { type: 'finish-step' };
const acting = [say.begin, say.step(), ...say.call(), say.complete, say.end('tool-calls')];
const called = { type: 'tool-input-available', toolCallId: 'c', toolName: 'pay', input: { a: 1 } };

/** What tells the client the name of a part. */
const named = (partId: string) => ({ providerMetadata: { agentServer: { partId } } });

describe('a run from its start', () => {
  it('of plain text', () => {
    expect(
      chunksOf([say.begin, say.step(), say.text('a'), say.text('b'), say.complete, say.end(), say.finish()]),
    ).toEqual([
      start,
      step,
      { type: 'text-start', id: 'm:1', ...named('m:1') },
      { type: 'text-delta', id: 'm:1', delta: 'a' },
      { type: 'text-delta', id: 'm:1', delta: 'b' },
      { type: 'text-end', id: 'm:1' },
      stepEnd,
      { type: 'finish', finishReason: 'stop' },
    ]);
  });

  it('that stops at an approval', () => {
    expect(chunksOf([...acting, say.ask('approval'), say.wait])).toEqual([
      start,
      step,
      { type: 'tool-input-start', toolCallId: 'c', toolName: 'pay' },
      called,
      { type: 'tool-approval-request', approvalId: 'c', toolCallId: 'c' },
      stepEnd,
      { type: 'finish', finishReason: 'tool-calls' },
    ]);
  });

  it('that never came to its turn', () => {
    expect(chunksOf([say.begin, say.finish('cancelled')])).toEqual([{ type: 'abort' }]);
    expect(chunksOf([say.begin, ['error', { message: 'gone', code: 'x' }], say.finish('error', 'gone')])).toEqual([
      { type: 'error', errorText: 'gone' },
      { type: 'finish', finishReason: 'error' },
    ]);
  });
});

describe('an event', () => {
  const begun = [say.begin, say.step()];
  const spoken = [...begun, say.text('a')];
  const asked = [...acting, say.ask('approval'), say.wait, say.resume];

  it.each<[string, Said[], Said, unknown[]]>([
    ['run_start', [], say.begin, []],
    ['the first step_start', [say.begin], say.step(), [start, step]],
    ['a later step_start', [...acting, say.done()], say.step('n'), [stepEnd, step]],
    ['step_start behind a pause', [...asked, say.done()], say.step('n'), [step]],
    ['text_delta in an open part', spoken, say.text('b'), [{ type: 'text-delta', id: 'm:1', delta: 'b' }]],
    [
      'reasoning_delta behind text',
      spoken,
      say.thought('h'),
      [
        { type: 'text-end', id: 'm:1' },
        { type: 'reasoning-start', id: 'm:2', ...named('m:2') },
        { type: 'reasoning-delta', id: 'm:2', delta: 'h' },
      ],
    ],
    [
      'text_delta behind reasoning',
      [...begun, say.thought('h')],
      say.text('a'),
      [
        { type: 'reasoning-end', id: 'm:1' },
        { type: 'text-start', id: 'm:2', ...named('m:2') },
        { type: 'text-delta', id: 'm:2', delta: 'a' },
      ],
    ],
    [
      'tool_call_start behind text',
      spoken,
      ['tool_call_start', { id: 'c', name: 'pay' }],
      [
        { type: 'text-end', id: 'm:1' },
        { type: 'tool-input-start', toolCallId: 'c', toolName: 'pay' },
      ],
    ],
    [
      'tool_call_delta',
      [...begun, say.call()[0]!],
      ['tool_call_delta', { id: 'c', args_delta: '{' }],
      [{ type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '{' }],
    ],
    ['tool_call_ready', [...begun, say.call()[0]!], say.call()[1]!, [called]],
    ['inference_complete', spoken, say.complete, []],
    ['step_end behind text', [...spoken, say.complete], say.end(), [{ type: 'text-end', id: 'm:1' }]],
    ['step_end behind calls', [...begun, ...say.call(), say.complete], say.end('tool-calls'), []],
    [
      'step_end that cuts calls off',
      [...begun, ...say.call('b'), say.call('c')[0]!],
      say.end('other'),
      ['b', 'c'].map((toolCallId) => ({
        type: 'tool-output-error',
        toolCallId,
        errorText: 'was not called: the model was cut off',
      })),
    ],
    [
      'inference_retry',
      [...begun, say.thought('h'), say.text('a'), say.retry, ...say.call('b'), say.text('x')],
      say.retry,
      [
        { type: 'text-end', id: 'm:3' },
        { type: 'tool-output-error', toolCallId: 'b', errorText: 'was not called: the model is asked again' },
        stepEnd,
        { type: 'message-metadata', messageMetadata: { voidParts: { 'm:1': true, 'm:2': true, 'm:3': true } } },
        {
          type: 'data-inference-retry',
          data: { attempt: 1, reason: 'lost', voidParts: ['m:1', 'm:2', 'm:3'] },
          transient: true,
        },
        step,
      ],
    ],
    [
      'tool_call_suspended for an approval',
      acting,
      say.ask('approval'),
      [{ type: 'tool-approval-request', approvalId: 'c', toolCallId: 'c' }],
    ],
    ['tool_call_suspended for a tool of the client', acting, say.ask('frontend'), []],
    [
      'tool_call_suspended for a question',
      acting,
      say.ask('input'),
      [
        {
          type: 'data-suspension',
          id: 'fc_c',
          data: { toolCallId: 'c', toolName: 'pay', kind: 'input', message: 'well?' },
        },
      ],
    ],
    [
      'tool_call_suspended of an approved call in doubt',
      asked,
      say.ask('in_doubt'),
      [
        called,
        {
          type: 'data-suspension',
          id: 'fc_c#2',
          data: { toolCallId: 'c', toolName: 'pay', kind: 'in_doubt', message: 'well?' },
        },
      ],
    ],
    [
      'tool_call_suspended for a second approval',
      asked,
      say.ask('approval'),
      [{ type: 'tool-approval-request', approvalId: 'c#2', toolCallId: 'c' }],
    ],
    [
      'tool_call_resumed',
      asked,
      ['tool_call_resumed', { target_id: 'c', decision_id: 'd', action: 'resume', result: null }],
      [],
    ],
    [
      'tool_call_done, succeeded',
      acting,
      say.done(),
      [{ type: 'tool-output-available', toolCallId: 'c', output: { ok: true } }],
    ],
    [
      'tool_call_done, failed',
      acting,
      say.over('failed'),
      [{ type: 'tool-output-error', toolCallId: 'c', errorText: 'no' }],
    ],
    [
      'tool_call_done, cancelled',
      acting,
      say.over('cancelled'),
      [{ type: 'tool-output-error', toolCallId: 'c', errorText: 'no' }],
    ],
    [
      'tool_call_done, denied by a person',
      asked,
      say.over('denied'),
      [{ type: 'tool-output-denied', toolCallId: 'c' }],
    ],
    [
      'tool_call_done, denied by a rule',
      acting,
      say.over('denied'),
      [{ type: 'tool-output-error', toolCallId: 'c', errorText: 'no' }],
    ],
    [
      'tool_call_done, denied where a result was asked for',
      [...acting, say.ask('frontend'), say.wait, say.resume],
      say.over('denied'),
      [{ type: 'tool-output-error', toolCallId: 'c', errorText: 'no' }],
    ],
    [
      'activity_snapshot',
      acting,
      [
        'activity_snapshot',
        { message_id: 'tool_call:c', activity_type: 'tool-call-progress', content: { progress: 0.5 }, replace: true },
      ],
      [
        {
          type: 'data-activity-snapshot',
          id: 'tool_call:c',
          data: {
            messageId: 'tool_call:c',
            activityType: 'tool-call-progress',
            content: { progress: 0.5 },
            replace: true,
          },
        },
      ],
    ],
    [
      'activity_delta',
      acting,
      ['activity_delta', { message_id: 'tool_call:c', activity_type: 'x', patch: [] }],
      [
        {
          type: 'data-activity-delta',
          id: 'tool_call:c',
          data: { messageId: 'tool_call:c', activityType: 'x', patch: [] },
          transient: true,
        },
      ],
    ],
    ['state_snapshot', begun, ['state_snapshot', { snapshot: {} }], []],
    ['error', begun, ['error', { message: 'x', code: 'y' }], []],
  ])('%s', (_, before, event, chunks) => {
    expect(chunksOf([...before, event], 1)).toEqual(chunks);
  });
});

describe('the end of a run', () => {
  const why = (termination: string): object => ({ type: 'message-metadata', messageMetadata: { termination } });
  const finish = (finishReason: string): object => ({ type: 'finish', finishReason });
  const error = { type: 'error', errorText: 'why' };

  it.each<[TerminationCode, unknown[]]>([
    ['natural', [finish('length')]],
    ['error', [error, finish('error')]],
    ['consecutive_errors_exceeded', [error, finish('error')]],
    ['cancelled', [why('cancelled'), { type: 'abort' }]],
    ['superseded', [why('superseded'), { type: 'abort' }]],
    ['max_rounds_reached', [why('max_rounds_reached'), finish('length')]],
    ['timeout_reached', [why('timeout_reached'), finish('length')]],
    ['token_budget_exceeded', [why('token_budget_exceeded'), finish('length')]],
    ['tool_called', [why('tool_called'), finish('tool-calls')]],
    ['content_matched', [why('content_matched'), finish('stop')]],
    ['loop_detected', [why('loop_detected'), finish('other')]],
  ])('%s', (code, chunks) => {
    const before = [say.begin, say.step(), say.complete, say.end('length')];
    expect(chunksOf([...before, say.finish(code, 'why')], 1)).toEqual([stepEnd, ...chunks]);
  });

  it.each<[string, Said[], unknown[]]>([
    ['a tool call', [...acting, say.done()], [stepEnd]],
    ['a pause', [...acting, say.ask('approval'), say.wait, say.over('cancelled')], []],
    ['calls that were cut off', [say.begin, say.step(), ...say.call(), say.end('other')], [stepEnd]],
    ['a call in the middle of its arguments', [say.begin, say.step(), say.call()[0]!, say.end('other')], [stepEnd]],
  ])('behind %s has an empty step, so that no client takes it for something to go on with', (_, before, first) => {
    expect(chunksOf([...before, say.finish('cancelled')], 1)).toEqual([
      ...first,
      step,
      why('cancelled'),
      stepEnd,
      { type: 'abort' },
    ]);
  });
});

describe('a pause', () => {
  const before = [...acting, say.ask('approval')];
  const finish = { type: 'finish', finishReason: 'tool-calls' };

  it('is not shown when the stream goes through it', () => {
    expect(chunksOf([...before, say.wait, say.resume], 2, 'bridged')).toEqual([stepEnd]);
  });

  it('is an end when the stream ends there, and only there', () => {
    expect(chunksOf([...before, say.wait], 1, 'ending')).toEqual([stepEnd, finish]);
    expect(chunksOf([...before, say.wait, say.resume, say.done()], 3, 'ending')).toEqual([
      stepEnd,
      { type: 'tool-output-available', toolCallId: 'c', output: { ok: true } },
    ]);
  });

  it('is an end and a new beginning when streams begin anew behind it', () => {
    expect(chunksOf([...before, say.wait, say.resume], 2, 'split')).toEqual([stepEnd, finish, start]);
  });
});
