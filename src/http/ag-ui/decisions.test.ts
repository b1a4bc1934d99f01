import { describe, expect, it } from 'vitest';
import type { SuspensionKind } from '../../actors/events.js';
import type { JsonValue } from '../../json.js';
import { answersOf, decisionsFor } from './decisions.js';
import type { Question } from './run-log.js';

const question = (kind: SuspensionKind, more: Partial<Question> = {}): Question => ({
  call_id: 'c',
  suspension_id: 'fc_c',
  kind,
  seq: 7,
  answered: null,
  ...more,
});

const byTool = (kind: SuspensionKind, content: string, error?: string) =>
  decisionsFor(answersOf([], [], [{ call_id: 'c', content, ...(error ? { error } : {}) }]), [question(kind)], 'r')[0];
const byResume = (kind: SuspensionKind, status: 'resolved' | 'cancelled', payload?: JsonValue) =>
  decisionsFor(answersOf([], [{ interruptId: 'fc_c', status, payload }], []), [question(kind)], 'r')[0];

describe('what was asked decides how an answer is read', () => {
  it.each<[SuspensionKind, string, object]>([
    ['approval', 'yes', { action: 'resume' }],
    ['approval', 'no', { action: 'cancel' }],
    ['approval', 'whatever', { action: 'cancel', reason: 'whatever' }],
    ['approval', '{"approved":"yes"}', { action: 'cancel' }],
    ['frontend', 'no', { action: 'resume', result: 'no' }],
    ['frontend', '{"a":1}', { action: 'resume', result: { a: 1 } }],
    ['frontend', '5', { action: 'resume', result: 5 }],
    ['input', 'false', { action: 'resume', result: false }],
    ['in_doubt', '{"retry":true}', { action: 'resume', result: { retry: true } }],
    ['in_doubt', '{"paid":true}', { action: 'resume', result: { paid: true } }],
    ['in_doubt', '{"approved":false}', { action: 'cancel' }],
    ['in_doubt', 'no', { action: 'cancel' }],
  ])('%s: the tool message %j', (kind, content, expected) => {
    expect(byTool(kind, content)).toMatchObject({ target_id: 'c', ...expected });
  });

  it.each<[SuspensionKind, 'resolved' | 'cancelled', JsonValue | undefined, object]>([
    ['approval', 'resolved', undefined, { action: 'resume', result: { approved: true } }],
    [
      'approval',
      'resolved',
      { approved: true, note: 'x' },
      { action: 'resume', result: { approved: true, note: 'x' } },
    ],
    ['approval', 'resolved', { comment: 'hm' }, { action: 'cancel' }],
    ['approval', 'cancelled', undefined, { action: 'cancel', result: null }],
    ['frontend', 'resolved', undefined, { action: 'resume', result: null }],
    ['input', 'resolved', 'left', { action: 'resume', result: 'left' }],
    ['input', 'cancelled', undefined, { action: 'cancel' }],
    ['in_doubt', 'resolved', { retry: true }, { action: 'resume', result: { retry: true } }],
  ])('%s: resume %s with %j', (kind, status, payload, expected) => {
    expect(byResume(kind, status, payload)).toMatchObject(expected);
  });

  it('a tool message that reports an error is a refusal with that reason', () => {
    expect(byTool('frontend', 'x', 'no canvas')).toMatchObject({ action: 'cancel', reason: 'no canvas' });
  });
});

describe('which answers count', () => {
  const given = {
    target_id: 'fc_c',
    decision_id: 'd',
    action: 'resume' as const,
    result: 1,
    reason: null,
    updated_at: 5,
  };

  it('a decision is taken at its word', () => {
    expect(decisionsFor(answersOf([given], [], []), [question('approval')], 'r')).toEqual([
      { target_id: 'c', decision_id: 'd', action: 'resume', result: 1, updated_at: 5 },
    ]);
  });

  it('one for each question, the most explicit', () => {
    const answers = answersOf(
      [given],
      [{ interruptId: 'c', status: 'cancelled', payload: undefined }],
      [{ call_id: 'c', content: 'no' }],
    );
    expect(decisionsFor(answers, [question('approval')], 'r')).toMatchObject([{ decision_id: 'd' }]);
    expect(decisionsFor(answers.slice(1), [question('approval')], 'r')).toMatchObject([{ action: 'cancel' }]);
  });

  it('not those on questions that are answered, or on none', () => {
    expect(decisionsFor(answersOf([given], [], []), [question('approval', { answered: 9 })], 'r')).toEqual([]);
    expect(decisionsFor(answersOf([given], [], []), [], 'r')).toEqual([]);
  });

  it('the same answer sent twice is one decision; a later question of the call is another', () => {
    const [one, two] = [byTool('in_doubt', 'x'), byTool('in_doubt', 'x')];
    expect(two!.decision_id).toBe(one!.decision_id);
    const later = decisionsFor(
      answersOf([], [], [{ call_id: 'c', content: 'x' }]),
      [question('in_doubt', { seq: 20 })],
      'r',
    );
    expect(later[0]!.decision_id).not.toBe(one!.decision_id);
  });
});
