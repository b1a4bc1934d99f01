import { describe, expect, it } from 'vitest';
import { defineAgent } from '../agent.js';
import { MAX_TEXT } from './pattern.js';
import {
  stopAfterStep,
  timeoutOf,
  type StepCall,
  type StepFacts,
  type StopCondition,
  type StopConditionDefinition,
} from './stop-conditions.js';
import { MAX_STEPS, noMemory, remember } from './stop-memory.js';

const call = (
  name: string,
  outcome: StepCall['outcome'] = 'succeeded',
  args: StepCall['arguments'] = {},
): StepCall => ({
  name,
  arguments: args,
  outcome,
});

const facts = (change: Partial<StepFacts> = {}): StepFacts => ({
  text: '',
  calls: [call('work')],
  usage: { total_tokens: 100 },
  rounds: 2,
  consecutive_failures: 0,
  signatures: ['a', 'b'],
  ...change,
});

describe('after a step', () => {
  it.each<[string, StopCondition, Partial<StepFacts>, string | null]>([
    [
      'the tool was called',
      { type: 'stop_on_tool', tool: 'finish' },
      { calls: [call('work'), call('finish')] },
      'tool_called',
    ],
    ['a tool of the pattern', { type: 'stop_on_tool', tool: 'fin*' }, { calls: [call('finish')] }, 'tool_called'],
    ['another tool', { type: 'stop_on_tool', tool: 'finish' }, {}, null],
    ['the tool failed', { type: 'stop_on_tool', tool: 'work' }, { calls: [call('work', 'failed')] }, null],
    ['the tool was denied', { type: 'stop_on_tool', tool: 'work' }, { calls: [call('work', 'denied')] }, null],
    ['the text matches', { type: 'content_match', pattern: 'DONE$' }, { text: 'all DONE' }, 'content_matched'],
    [
      'the last words match',
      { type: 'content_match', pattern: 'DONE$' },
      { text: `${'x'.repeat(MAX_TEXT)}DONE`, calls: [] },
      'content_matched',
    ],
    ['the text does not match', { type: 'content_match', pattern: 'DONE' }, { text: 'done' }, null],
    ['the budget is used up', { type: 'token_budget', tokens: 100 }, {}, 'token_budget_exceeded'],
    ['the budget is not used up', { type: 'token_budget', tokens: 101 }, {}, null],
    ['an answer is complete over budget', { type: 'token_budget', tokens: 1 }, { calls: [] }, null],
    [
      'calls fail',
      { type: 'consecutive_errors', count: 3 },
      { consecutive_failures: 3 },
      'consecutive_errors_exceeded',
    ],
    ['fewer calls fail', { type: 'consecutive_errors', count: 3 }, { consecutive_failures: 2 }, null],
    ['rounds are spent', { type: 'max_rounds', rounds: 2 }, {}, 'max_rounds_reached'],
    ['rounds are left', { type: 'max_rounds', rounds: 3 }, {}, null],
    [
      'it goes in circles',
      { type: 'loop_detection', window: 4, threshold: 2 },
      { signatures: ['a', 'x', 'y', 'a'] },
      'loop_detected',
    ],
    [
      'the circle is wider than the window',
      { type: 'loop_detection', window: 3, threshold: 2 },
      { signatures: ['a', 'x', 'y', 'a'] },
      null,
    ],
    [
      'an old circle is over',
      { type: 'loop_detection', window: 4, threshold: 3 },
      { signatures: ['a', 'a', 'a', 'b'] },
      null,
    ],
    ['time passes', { type: 'timeout', ms: 1 }, {}, null],
  ])('in which %s', (_, condition, change, code) => {
    expect(stopAfterStep([condition], facts(change))?.code ?? null).toBe(code);
  });

  it('says which tool or pattern it was', () => {
    expect(stopAfterStep([{ type: 'stop_on_tool', tool: 'w*' }], facts())).toEqual({
      code: 'tool_called',
      detail: 'work',
    });
    const match: StopCondition = { type: 'content_match', pattern: 'x+' };
    expect(stopAfterStep([match], facts({ text: 'xx' }))).toEqual({ code: 'content_matched', detail: 'x+' });
  });

  it('takes the first condition that holds', () => {
    const conditions: StopCondition[] = [
      { type: 'token_budget', tokens: 1000 },
      { type: 'max_rounds', rounds: 1 },
      { type: 'stop_on_tool', tool: '*' },
    ];
    expect(stopAfterStep(conditions, facts())?.code).toBe('max_rounds_reached');
    expect(stopAfterStep([], facts())).toBeNull();
  });
});

describe('the memory of a run', () => {
  const after = (...steps: StepCall[][]) => steps.reduce(remember, noMemory);

  it.each<[string, StepCall[][], number]>([
    ['failures across steps', [[call('a', 'failed'), call('b', 'failed')], [call('a', 'failed')]], 3],
    ['failures since the last success', [[call('a', 'failed'), call('b'), call('c', 'failed')]], 1],
    ['no refusals of people', [[call('a', 'failed'), call('b', 'denied'), call('c', 'cancelled')]], 1],
    ['nothing', [[]], 0],
  ])('counts %s', (_, steps, count) => expect(after(...steps).consecutive_failures).toBe(count));

  it('knows equal calls again, whatever the order of their keys and what came of them', () => {
    const { signatures } = after(
      [call('a', 'succeeded', { x: 1, y: { b: 2, a: [1, 2] } })],
      [call('a', 'failed', { y: { a: [1, 2], b: 2 }, x: 1 })],
    );
    expect(signatures[0]).toBe(signatures[1]);
  });

  it.each<[StepCall[], StepCall[]]>([
    [[call('a')], [call('b')]],
    [[call('a', 'succeeded', { x: 1 })], [call('a', 'succeeded', { x: '1' })]],
    [[call('a', 'succeeded', { x: [1, 2] })], [call('a', 'succeeded', { x: [2, 1] })]],
    [[call('a', 'succeeded', { x: 1 })], [call('a', 'succeeded', [['x', 1]])]],
    [[call('a')], [call('a'), call('a')]],
    [
      [call('a'), call('b')],
      [call('b'), call('a')],
    ],
  ])('tells %j from %j', (one, other) => {
    const { signatures } = after(one, other);
    expect(signatures[0]).not.toBe(signatures[1]);
  });

  it('is plain JSON, stays small and changes nothing it was given', () => {
    const before = after([call('a')]);
    const kept = structuredClone(before);
    let memory = before;
    for (let i = 0; i < 2 * MAX_STEPS; i++)
      memory = remember(memory, [call('a', 'failed', { i, long: 'x'.repeat(999) })]);
    expect(memory.signatures).toHaveLength(MAX_STEPS);
    expect(JSON.parse(JSON.stringify(memory))).toEqual(memory);
    expect(JSON.stringify(memory).length).toBeLessThan(1_100);
    expect(before).toEqual(kept);
  });

  it('finds a run that goes in circles', () => {
    const loop: StopCondition = { type: 'loop_detection', window: 10, threshold: 3 };
    let memory = noMemory;
    const codes = ['a', 'b', 'a', 'b', 'a'].map((name) => {
      memory = remember(memory, [call(name)]);
      return stopAfterStep([loop], facts({ signatures: memory.signatures }))?.code ?? null;
    });
    expect(codes).toEqual([null, null, null, null, 'loop_detected']);
  });
});

describe('timeoutOf', () => {
  it('is the shortest one', () => {
    const conditions: StopCondition[] = [
      { type: 'timeout', ms: 9 },
      { type: 'max_rounds', rounds: 1 },
      { type: 'timeout', ms: 5 },
    ];
    expect(timeoutOf(conditions)).toBe(5);
    expect(timeoutOf([])).toBeNull();
  });
});

describe('conditions of a definition', () => {
  const define = (conditions: unknown[]) =>
    defineAgent({ id: 'a', model: 'scripted:assistant', stop_conditions: conditions as StopConditionDefinition[] })
      .stop_conditions;

  it('are kept, with the usual window and threshold', () => {
    expect(define([{ type: 'loop_detection' }, { type: 'timeout', ms: 5 }])).toEqual([
      { type: 'loop_detection', window: 10, threshold: 3 },
      { type: 'timeout', ms: 5 },
    ]);
  });

  it.each<[string, unknown, string]>([
    [
      'an unknown type',
      { type: 'stop_on_tol', tool: 'x' },
      'stop_conditions[0].type: unknown "stop_on_tol", did you mean "stop_on_tool"?',
    ],
    ['no type', { tool: 'x' }, 'stop_conditions[0].type: must be one of stop_on_tool, content_match'],
    ['what is no object', 'timeout', 'stop_conditions[0]: '],
    ['an unknown key', { type: 'timeout', ms: 1, sec: 1 }, 'stop_conditions[0]: unknown key "sec"'],
    ['a missing key', { type: 'token_budget' }, 'stop_conditions[0].tokens: '],
    ['nothing to count', { type: 'consecutive_errors', count: 0 }, 'stop_conditions[0].count: '],
    ['a bad pattern', { type: 'content_match', pattern: '[' }, 'stop_conditions[0].pattern: error parsing regexp'],
    [
      'a loop longer than its window',
      { type: 'loop_detection', window: 2, threshold: 3 },
      'stop_conditions[0]: threshold must not be above window',
    ],
  ])('refuse %s', (_, condition, problem) => expect(() => define([condition])).toThrow(problem));
});
