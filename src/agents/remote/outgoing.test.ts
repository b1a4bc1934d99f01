import { describe, expect, test } from 'vitest';
import type { HistoryMessage } from '../model-call.js';
import { toTrace } from './memory.js';
import { outgoing } from './outgoing.js';
import type { RemoteMemory } from './types.js';

const REMOTE = 'a2a/http://far';
const memory: RemoteMemory = {
  conversation: 'c',
  context_id: 'theirs',
  task_id: null,
  question: null,
  told: {},
  counted: { input_tokens: 0, output_tokens: 0 },
};
const user = (content: string): HistoryMessage => ({ role: 'user', content });
const said = (content: string, more: Partial<RemoteMemory> = {}): HistoryMessage => ({
  role: 'assistant',
  content,
  trace: toTrace(REMOTE, content, { ...memory, ...more }),
});
const result = (content: string): HistoryMessage => ({ role: 'tool', content, tool_call_id: 'q' });
const plan = (history: HistoryMessage[], more: { step?: number; conversation?: string; context?: string[] } = {}) =>
  outgoing({ history, step: 0, conversation: 'c', context: [], ...more }, REMOTE);
const contents = ({ parts }: ReturnType<typeof outgoing>) => parts.map(({ content }) => content?.value as unknown);

describe('what is told', () => {
  test('a first word begins our conversation', () => {
    const { context_id, answers, ...rest } = plan([user('hi')]);
    expect(contents({ context_id, ...rest })).toEqual(['hi']);
    expect([context_id, answers]).toEqual(['c', undefined]);
  });

  test('then only what is new, in the conversation the remote named', () => {
    const next = plan([user('hi'), said('hello'), user('and?'), user('well?')]);
    expect(contents(next)).toEqual(['and?', 'well?']);
    expect(next.context_id).toBe('theirs');
  });

  test('a conversation that was cut begins anew and is told what was said', () => {
    const next = plan([user('hi'), said('hello'), user('again')], { conversation: 'd' });
    expect(contents(next)).toEqual(['The conversation so far:\n\nuser: hi\n\nassistant: hello', 'again']);
    expect(next.context_id).toBe('d');
  });

  test('what others have said meanwhile is reported', () => {
    const next = plan([
      user('hi'),
      said('hello'),
      user('you?'),
      { role: 'assistant', content: 'me' },
      user('and you?'),
    ]);
    expect(contents(next)).toEqual(['The conversation so far:\n\nuser: you?\n\nassistant: me', 'and you?']);
  });

  test('context goes in front', () => {
    expect(contents(plan([user('hi')], { context: ['it is noon'] }))).toEqual(['it is noon', 'hi']);
  });

  test('nothing at all is an error that no retry mends', () => {
    expect(() => plan([])).toThrow(expect.objectContaining({ retryable: false }));
  });
});

describe('an answer', () => {
  const asked = said('which?', { task_id: 't', question: 'm' });

  test('goes to the task that asked', () => {
    const next = plan([user('hi'), asked, result('Oslo')], { step: 1 });
    expect(contents(next)).toEqual(['Oslo']);
    expect(next.answers).toMatchObject({ task_id: 't', question: 'm' });
  });

  test('that is an object travels as data', () => {
    expect(plan([user('hi'), asked, result('{"approved":true}')], { step: 1 }).parts).toMatchObject([
      { content: { $case: 'data', value: { approved: true } } },
    ]);
  });

  test('to a question of a run that was stopped is none: the next run begins a task', () => {
    const next = plan([user('hi'), asked, result('cancelled before it ran'), user('other')]);
    expect(next.answers).toBeUndefined();
    expect(contents(next)).toEqual(['other']);
  });
});
