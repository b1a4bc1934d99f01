import { describe, expect, it } from 'vitest';
import { advance, initialEncoderState, type StoredEvent, type Suspension } from '../../actors/events.js';
import type { Said } from '../../../test/support/fake-engine.js';
import type { AgUiFields, AgUiMessage } from './events.js';
import { translate, type Face } from './translate.js';

const old: Face = { thread_id: 't', run_id: 'r', v1: false };
const v1: Face = { ...old, v1: true };
const named = { threadId: 't', runId: 'r' };
const usage = { input_tokens: 1, output_tokens: 2, total_tokens: 3 };
const history: AgUiMessage[] = [{ id: 'u', role: 'user', content: 'hi' }];

/** What each event becomes after the ones before it. */
function told(said: Said[], face = old): AgUiFields[][] {
  let state = initialEncoderState;
  return said.map(([type, data]) => {
    const event = [type, 0, data] as unknown as StoredEvent;
    const fields = translate(state, event, face, (upto) => (upto === 7 ? history : []));
    state = advance(state, event);
    return fields;
  });
}

/** What the last event becomes. */
const last = (said: Said[], face = old): AgUiFields[] => told(said, face).at(-1)!;

const step: Said = ['step_start', { message_id: 'm' }];
const text: Said = ['text_delta', { delta: 'a' }];
const thought: Said = ['reasoning_delta', { delta: 'b' }];
const call: Said = ['tool_call_start', { id: 'c', name: 'look_up' }];
const args: Said = ['tool_call_delta', { id: 'c', args_delta: '{}' }];
const ready: Said = ['tool_call_ready', { id: 'c', name: 'look_up', arguments: {} }];
const stepEnd: Said = ['step_end', { finish_reason: 'stop' }];
const start = (parent_run_id: string | null): Said => [
  'run_start',
  { agent_id: 'a', parent_run_id, parent_thread_id: null, origin: 'ag_ui' },
];
const suspension = (kind: Suspension['kind'], id = 'c'): Suspension => ({
  id: `fc_${id}`,
  tool_call_id: id,
  name: 'look_up',
  kind,
  message: `${kind}?`,
});
const finish = (
  code: Extract<Said, ['run_finish', unknown]>[1]['termination']['code'],
  detail: string | null = null,
): Said => ['run_finish', { termination: { code, detail }, result: null, usage }];

describe('text and reasoning', () => {
  const started = { type: 'TEXT_MESSAGE_START', messageId: 'm', role: 'assistant' };
  const content = { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: 'a' };
  const textEnd = { type: 'TEXT_MESSAGE_END', messageId: 'm' };
  const thinking = (part: number) => [
    { type: 'REASONING_START', messageId: `m:${part}` },
    { type: 'REASONING_MESSAGE_START', messageId: `m:${part}`, role: 'reasoning' },
  ];
  const thoughtOf = (part: number) => ({ type: 'REASONING_MESSAGE_CONTENT', messageId: `m:${part}`, delta: 'b' });
  const thoughtEnd = (part: number) => [
    { type: 'REASONING_MESSAGE_END', messageId: `m:${part}` },
    { type: 'REASONING_END', messageId: `m:${part}` },
  ];

  it.each<[string, Said[], object[]]>([
    ['the first delta opens', [step, text], [started, content]],
    ['the next one does not', [step, text, text], [content]],
    ['reasoning opens its own', [step, thought], [...thinking(1), thoughtOf(1)]],
    ['reasoning goes on', [step, thought, thought], [thoughtOf(1)]],
    ['reasoning closes text', [step, text, thought], [textEnd, ...thinking(2), thoughtOf(2)]],
    ['text closes reasoning', [step, thought, text], [...thoughtEnd(1), started, content]],
    ['text that goes on is the same message', [step, text, thought, text], [...thoughtEnd(2), started, content]],
    [
      'a call closes text',
      [step, text, call].slice(0, 3),
      [textEnd, expect.objectContaining({ type: 'TOOL_CALL_START' })],
    ],
    [
      'the end of the step closes text',
      [step, text, stepEnd],
      [textEnd, { type: 'STEP_FINISHED', stepName: 'step_0' }],
    ],
    [
      'the end of the step closes reasoning',
      [step, thought, stepEnd],
      [...thoughtEnd(1), { type: 'STEP_FINISHED', stepName: 'step_0' }],
    ],
    ['an empty delta adds nothing', [step, text, ['text_delta', { delta: '' }]], []],
  ])('%s', (_, said, expected) => {
    expect(last(said)).toEqual(expected);
  });
});

describe('tool calls', () => {
  it('are opened, filled and closed, as part of the step’s message', () => {
    expect(told([step, call, args, ready]).slice(1)).toEqual([
      [{ type: 'TOOL_CALL_START', toolCallId: 'c', toolCallName: 'look_up', parentMessageId: 'm' }],
      [{ type: 'TOOL_CALL_ARGS', toolCallId: 'c', delta: '{}' }],
      [{ type: 'TOOL_CALL_END', toolCallId: 'c' }],
    ]);
  });

  it('are told whole when they did not stream', () => {
    expect(last([step, ['tool_call_ready', { id: 'c', name: 'look_up', arguments: { a: 1 } }]])).toEqual([
      { type: 'TOOL_CALL_START', toolCallId: 'c', toolCallName: 'look_up', parentMessageId: 'm' },
      { type: 'TOOL_CALL_ARGS', toolCallId: 'c', delta: '{"a":1}' },
      { type: 'TOOL_CALL_END', toolCallId: 'c' },
    ]);
  });

  it('are closed by the end of a step that was cut off', () => {
    expect(last([step, call, stepEnd])).toEqual([
      { type: 'TOOL_CALL_END', toolCallId: 'c' },
      { type: 'STEP_FINISHED', stepName: 'step_0' },
    ]);
  });

  const done = { id: 'c', name: 'look_up', message_id: 'x' };
  it.each<[string, Extract<Said, ['tool_call_done', unknown]>[1], string]>([
    ['a text as it is', { ...done, outcome: 'succeeded', result: 'fine' }, 'fine'],
    ['a value as JSON', { ...done, outcome: 'succeeded', result: { a: [null] } }, '{"a":[null]}'],
    ['nothing as null', { ...done, outcome: 'succeeded', result: null }, 'null'],
    ['what went wrong', { ...done, outcome: 'failed', error: 'no' }, 'no'],
    ['why it was denied', { ...done, outcome: 'denied', error: 'denied by the user' }, 'denied by the user'],
  ])('have a result: %s', (_, data, content) => {
    expect(last([['tool_call_done', data]])).toEqual([
      { type: 'TOOL_CALL_RESULT', messageId: 'x', toolCallId: 'c', content, role: 'tool' },
    ]);
  });
});

describe('the run', () => {
  it('starts, and tells its parent when it has one', () => {
    expect(last([start(null)])).toEqual([{ type: 'RUN_STARTED', ...named }]);
    expect(last([start('p')])).toEqual([{ type: 'RUN_STARTED', ...named, parentRunId: 'p' }]);
    expect(last([start(null)], v1)).toEqual([{ type: 'RUN_STARTED', ...named, protocolVersion: '1.0' }]);
  });

  it('starts again when it resumes', () => {
    expect(last([['run_resumed', { decisions: ['d'] }]])).toEqual([{ type: 'RUN_STARTED', ...named }]);
  });

  it('names each step once', () => {
    expect(told([step, stepEnd, ['step_start', { message_id: 'n' }]])).toEqual([
      [{ type: 'STEP_STARTED', stepName: 'step_0' }],
      [{ type: 'STEP_FINISHED', stepName: 'step_0' }],
      [{ type: 'STEP_STARTED', stepName: 'step_1' }],
    ]);
  });

  const result = { response: 'done' };
  it('finishes with its result', () => {
    const end: Said = ['run_finish', { termination: { code: 'natural', detail: null }, result, usage }];
    expect(last([end])).toEqual([{ type: 'RUN_FINISHED', ...named, result, outcome: { type: 'success' } }]);
    expect(last([end], v1)).toEqual([
      {
        type: 'RUN_FINISHED',
        ...named,
        result,
        outcome: { type: 'success' },
        usage: [{ inputTokens: 1, outputTokens: 2, totalTokens: 3 }],
      },
    ]);
  });

  it.each([
    'max_rounds_reached',
    'timeout_reached',
    'token_budget_exceeded',
    'tool_called',
    'content_matched',
    'loop_detected',
  ] as const)('that stopped early (%s) has not failed', (code) => {
    expect(last([finish(code)])).toEqual([{ type: 'RUN_FINISHED', ...named, outcome: { type: 'success' } }]);
  });

  it.each<['cancelled' | 'superseded', string | null, string]>([
    ['cancelled', null, 'the run was cancelled'],
    ['cancelled', 'interrupted', 'the run was cancelled: interrupted'],
    ['superseded', 'run-2', 'the run was superseded: run-2'],
  ])('that was stopped (%s, %s) is an error to old clients alone', (code, detail, message) => {
    expect(last([finish(code, detail)])).toEqual([{ type: 'RUN_ERROR', message, code: 'CANCELLED' }]);
    expect(last([finish(code, detail)], v1)).toEqual([
      { type: 'RUN_FINISHED', ...named, outcome: { type: 'cancelled' }, usage: [expect.any(Object)] },
    ]);
  });

  it.each(['error', 'consecutive_errors_exceeded'] as const)('that failed (%s) is an error to all', (code) => {
    for (const face of [old, v1]) {
      expect(last([finish(code, 'boom')], face)).toEqual([{ type: 'RUN_ERROR', message: 'boom', code }]);
    }
  });
});

describe('a pause', () => {
  const waiting = (...pending: Suspension[]): Said => ['run_waiting', { pending }];
  const interrupts = (fields: AgUiFields[]) => (fields[0] as { outcome: { interrupts: unknown } }).outcome.interrupts;

  it('for frontend calls alone is an ordinary end', () => {
    expect(last([waiting(suspension('frontend'))])).toEqual([{ type: 'RUN_FINISHED', ...named }]);
    expect(last([waiting(suspension('frontend'), suspension('frontend', 'd'))], v1)).toEqual([
      { type: 'RUN_FINISHED', ...named, outcome: { type: 'success', pendingToolCallIds: ['c', 'd'] } },
    ]);
  });

  it.each<[Suspension['kind'], string, object]>([
    [
      'approval',
      'tool_call',
      { responseSchema: { type: 'object', properties: { approved: { type: 'boolean' } }, required: ['approved'] } },
    ],
    ['input', 'input_required', {}],
    ['in_doubt', 'agent-server:in_doubt', {}],
  ])('for %s is an interrupt', (kind, reason, more) => {
    expect(interrupts(last([waiting(suspension(kind))]))).toEqual([
      { id: 'fc_c', reason, message: `${kind}?`, toolCallId: 'c', ...more },
    ]);
  });

  it('shows the schema of the answer, and frontend calls are no interrupts', () => {
    const responseSchema = { type: 'string' };
    const asked = { ...suspension('input'), response_schema: responseSchema };
    expect(interrupts(last([waiting(suspension('frontend', 'd'), asked)]))).toEqual([
      { id: 'fc_c', reason: 'input_required', message: 'input?', toolCallId: 'c', responseSchema },
    ]);
  });
});

describe('everything else', () => {
  it('a retry closes what is open and shows the thread as it was before the step', () => {
    expect(last([step, call, text, ['inference_retry', { attempt: 1, reason: 'x', messages_upto: 7 }]])).toEqual([
      { type: 'TEXT_MESSAGE_END', messageId: 'm' },
      { type: 'TOOL_CALL_END', toolCallId: 'c' },
      { type: 'MESSAGES_SNAPSHOT', messages: history },
    ]);
  });

  it.each<[Said, object[]]>([
    [
      ['activity_snapshot', { message_id: 'a', activity_type: 'x', content: { n: 1 }, replace: true }],
      [{ type: 'ACTIVITY_SNAPSHOT', messageId: 'a', activityType: 'x', content: { n: 1 }, replace: true }],
    ],
    [
      ['activity_delta', { message_id: 'a', activity_type: 'x', patch: [] }],
      [{ type: 'ACTIVITY_DELTA', messageId: 'a', activityType: 'x', patch: [] }],
    ],
    [['state_snapshot', { snapshot: { a: null } }], [{ type: 'STATE_SNAPSHOT', snapshot: { a: null } }]],
    [['state_delta', { delta: [] }], [{ type: 'STATE_DELTA', delta: [] }]],
    [
      [
        'messages_snapshot',
        { messages: [{ cursor: 0, id: 'u', role: 'user', content: 'hi', run_id: null, step: null, created_at: 1 }] },
      ],
      [{ type: 'MESSAGES_SNAPSHOT', messages: history }],
    ],
    [['inference_complete', { model: 'm', usage, duration_ms: 1 }], []],
    [['error', { message: 'x', code: 'internal' }], []],
    [
      [
        'tool_call_suspended',
        { id: 'c', name: 'x', arguments: {}, suspension: { id: 'fc_c', kind: 'approval', message: '?' } },
      ],
      [],
    ],
    [['tool_call_resumed', { target_id: 'c', decision_id: 'd', action: 'resume', result: null }], []],
  ])('%j', (said, expected) => {
    expect(last([said])).toEqual(expected);
  });
});
