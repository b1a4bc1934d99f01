import { describe, expect, it } from 'vitest';
import { FakeEngine, say, type Said } from '../../../test/support/fake-engine.js';
import { chunksOf } from '../../../test/ag-ui/log.js';
import type { Engine } from '../../actors/engine.js';
import type { SuspensionKind } from '../../actors/events.js';
import { JoinPoint, questionsOf } from './run-log.js';

const asks = (id: string, kind: SuspensionKind = 'approval'): Said => [
  'tool_call_suspended',
  { id, name: 'x', arguments: {}, suspension: { id: `fc_${id}`, kind, message: '?' } },
];
const answered = (target_id: string, decision_id = 'd1'): Said => [
  'tool_call_resumed',
  { target_id, decision_id, action: 'resume', result: null },
];
const done = (id: string, message_id: string): Said => [
  'tool_call_done',
  { id, name: 'x', message_id, outcome: 'succeeded', result: 1 },
];
const step = (message_id: string): Said => ['step_start', { message_id }];
const stepEnd: Said = ['step_end', { finish_reason: 'stop' }];
const state: Said = ['state_delta', { delta: [] }];

describe('questionsOf', () => {
  async function questions(...said: Said[]) {
    const fake = new FakeEngine();
    fake.script = () => said;
    const engine = fake as unknown as Engine;
    const { run } = await engine.deliver({
      type: 'start',
      start: { agent_id: 'assistant', origin: 'user', messages: [], on_busy: 'enqueue' },
    });
    return (await questionsOf(engine, run.run_id)).map(({ call_id, seq, answered: at }) => [call_id, seq, at]);
  }

  it.each<[string, Said[], unknown[]]>([
    ['an open one', [say.start(), asks('c')], [['c', 1, null]]],
    ['one that was answered while the run went on', [asks('c'), say.text('x'), answered('c')], [['c', 0, 2]]],
    ['one whose answer let the run go on', [asks('c'), say.waiting(), say.resumed(), answered('c')], [['c', 0, 2]]],
    [
      'one answered beside another',
      [asks('a'), asks('b'), say.waiting(), say.resumed(), answered('a'), say.waiting()],
      [
        ['a', 0, 3],
        ['b', 1, null],
      ],
    ],
    ['one that was closed unanswered', [asks('c'), done('c', 'm')], [['c', 0, 1]]],
    ['one asked again', [asks('c'), say.resumed(), answered('c'), asks('c', 'in_doubt')], [['c', 3, null]]],
  ])('%s', async (_, said, expected) => {
    expect(await questions(...said)).toEqual(expected);
  });
});

describe('JoinPoint', () => {
  function pointAfter(...said: Said[]): JoinPoint {
    const point = new JoinPoint();
    for (const [i, event] of chunksOf(said)[0]!.events.entries()) point.see(i, event);
    return point;
  }

  it.each<[string, Said[], number, string[]]>([
    ['behind the start', [say.start()], 1, []],
    ['the step under way', [say.start(), step('m'), say.text('a')], 1, ['m']],
    ['the last step, with its results', [say.start(), step('m'), stepEnd, done('c', 'x')], 1, ['m', 'x']],
    ['the next step', [say.start(), step('m'), stepEnd, done('c', 'x'), step('n')], 4, ['n']],
    ['the pause that holds', [say.start(), step('m'), stepEnd, done('c', 'x'), say.waiting()], 4, []],
    ['behind the pause that is over', [say.start(), step('m'), say.waiting(), say.resumed(), done('c', 'x')], 4, ['x']],
    ['behind a change of the state', [say.start(), step('m'), stepEnd, state, done('c', 'x')], 4, ['x']],
  ])('is %s', (_, said, seq, written) => {
    const point = pointAfter(...said);
    expect([point.seq, [...point.written], point.over, point.stateMoved]).toEqual([seq, written, false, false]);
  });

  it('stays, and notes what is written behind it', () => {
    const point = pointAfter(say.start(), step('m'));
    for (const [i, event] of chunksOf([stepEnd, done('c', 'x'), step('n')])[0]!.events.entries())
      point.note(2 + i, event);
    expect([point.seq, [...point.written], point.stateMoved]).toEqual([1, ['m', 'x', 'n'], false]);
    point.note(5, chunksOf([state])[0]!.events[0]!);
    expect(point.stateMoved).toBe(true);
  });

  it('knows a run that is over', () => {
    expect(pointAfter(say.start(), say.finish()).over).toBe(true);
  });
});
