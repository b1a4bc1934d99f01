/** What is news in a request, and how it is read. */

import { describe, expect, it } from 'vitest';
import { readChatRequest } from './request.js';

const NOW = 1_700_000_000_000;
const read = (body: object) => readChatRequest({ id: 't', ...body }, NOW);
const newsIn = (...messages: object[]) => read({ messages }).news;
const user = (id: string | undefined, ...parts: (string | object)[]) => ({
  ...(id === undefined ? {} : { id }),
  role: 'user',
  parts: parts.map((part) => (typeof part === 'string' ? { type: 'text', text: part } : part)),
});
const assistant = (...parts: object[]) => ({ id: 'a', role: 'assistant', parts });

describe('user input', () => {
  it.each([
    ['a text', user('u', 'hi'), 'hi'],
    ['several texts as one', user('u', 'a', 'b'), 'ab'],
    ['a content', { id: 'u', role: 'user', content: 'hi' }, 'hi'],
    ['parts rather than content', { id: 'u', role: 'user', content: 'x', parts: [{ type: 'text', text: 'hi' }] }, 'hi'],
    ['content when there are no parts', { id: 'u', role: 'user', content: 'hi', parts: [] }, 'hi'],
    ['a text and what nobody can say', user('u', { type: 'data-x', data: 1 }, 'hi'), 'hi'],
    [
      'a link',
      user('u', 'see', { type: 'file', mediaType: 'image/png', filename: 'a.png', url: 'https://x.example/a.png' }),
      'see\n\n[a.png (image/png): https://x.example/a.png]',
    ],
    [
      'a text file without a text',
      user('u', { type: 'file', mediaType: 'application/json', url: 'data:application/json,%7B%7D' }),
      '[file]\n{}',
    ],
  ])('is %s', (_, message, content) => {
    expect(newsIn(message)).toEqual({ is: 'input', messages: [{ id: 'u', role: 'user', content }] });
  });

  it('is what stands behind the last message of anybody else', () => {
    expect(newsIn(user('1', 'a'), assistant(), user('2', 'b'), user('3', 'c'))).toMatchObject({
      messages: [{ id: '2' }, { id: '3' }],
    });
  });

  it('leaves out, in front of the last, what has no id and what cannot be read', () => {
    const picture = { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AA==' };
    expect(newsIn(user(undefined, 'a'), user('2', picture), user('3', 'c'))).toMatchObject({ messages: [{ id: '3' }] });
    expect(newsIn(user(undefined, 'c'))).toEqual({ is: 'input', messages: [{ role: 'user', content: 'c' }] });
  });

  it('may take the place of a message', () => {
    expect(read({ messages: [user('u', 'hi')], messageId: ' u ' }).news).toMatchObject({
      is: 'input',
      message_id: 'u',
    });
    expect(read({ messages: [user('u', 'hi')], messageId: ' ' }).news).not.toHaveProperty('message_id');
  });

  it.each([
    ['data:text/plain;base64,/w==', 'the file is not text in UTF-8'],
    ['data:text/plain,%ff', 'the file is not text in UTF-8'],
    ['blob:x', 'expected an http, https or data URL'],
    [7, 'expected a string'],
  ])('refuses a file at %s', (url, error) => {
    const file = { type: 'file', mediaType: 'text/plain', url };
    expect(() => newsIn(user('u', 'hi', file))).toThrow(`bad request: messages[0].parts[1].url: ${error}`);
  });

  it('reads a data URL without a type as the text it is', () => {
    expect(newsIn(user('u', { type: 'file', url: 'data:,a%20b' }))).toMatchObject({
      messages: [{ content: '[file]\na b' }],
    });
  });
});

describe('decisions', () => {
  const tool = (state: string, more: object = {}, id = 'c') => ({ type: 'tool-pay', toolCallId: id, state, ...more });
  const decided = (...parts: object[]) => {
    const news = newsIn(assistant(...parts));
    if (news.is !== 'decisions') throw new Error('no decisions');
    return news;
  };
  const one = (part: object): object => decided(part).decisions[0]!;

  it.each([
    [
      'an approval',
      tool('approval-responded', { approval: { id: 'c', approved: true } }),
      { target_id: 'c', action: 'resume', result: { approved: true }, decision_id: 'a:c:approval:c' },
    ],
    [
      'a denial',
      tool('approval-responded', { approval: { id: 'c', approved: false, reason: 'no' } }),
      { target_id: 'c', action: 'cancel', result: { approved: false }, reason: 'no', decision_id: 'a:c:approval:c' },
    ],
    [
      'an approval of a call that asks again',
      tool('approval-responded', { approval: { id: 'c#2', approved: true } }),
      { target_id: 'c', action: 'resume', result: { approved: true }, decision_id: 'a:c:approval:c#2' },
    ],
    [
      'an output',
      tool('output-available', { output: [1] }),
      { target_id: 'c', action: 'resume', result: [1], decision_id: 'a:c:result:' },
    ],
    [
      'no output at all',
      tool('output-available'),
      { target_id: 'c', action: 'resume', result: null, decision_id: 'a:c:result:' },
    ],
    [
      'a failure',
      tool('output-error', { errorText: 'broken' }),
      { target_id: 'c', action: 'cancel', result: null, reason: 'broken', decision_id: 'a:c:result:' },
    ],
    [
      'an output where an approval was asked for: no',
      tool('output-available', { approval: { id: 'c' }, output: 'rather not' }),
      {
        target_id: 'c',
        action: 'cancel',
        result: { approved: false },
        reason: 'rather not',
        decision_id: 'a:c:approval:c',
      },
    ],
    [
      'an output where an approval was asked for: yes',
      tool('output-available', { approval: { id: 'c' }, output: { approved: true } }),
      {
        target_id: 'c',
        action: 'resume',
        result: { approved: true },
        decision_id: 'a:c:approval:c',
      },
    ],
    [
      'an output of a call that was approved',
      tool('output-available', { approval: { id: 'c', approved: true }, output: 'done' }),
      { target_id: 'c', action: 'resume', result: 'done', decision_id: 'a:c:result:' },
    ],
    [
      'a dynamic tool',
      { ...tool('output-available', { output: 1 }), type: 'dynamic-tool', toolName: 'pay' },
      { target_id: 'c', action: 'resume', result: 1, decision_id: 'a:c:result:' },
    ],
  ])('are read out of %s', (_, part, decision) => {
    expect(one(part)).toEqual({ ...decision, updated_at: NOW });
  });

  it.each([
    ['c', 'c'],
    ['c#2', 'c'],
    ['fc_c', 'fc_c'],
  ])('are read in the form of the interface: %s', (approvalId, target_id) => {
    const part = { type: 'tool-approval-response', approvalId, approved: false, reason: 'no' };
    expect(one(part)).toMatchObject({ target_id, action: 'cancel', result: { approved: false }, reason: 'no' });
  });

  it('are told apart by the question they answer', () => {
    const question = { type: 'data-suspension', id: 'fc_c#2', data: { toolCallId: 'c' } };
    const other = { type: 'data-suspension', id: 'fc_d', data: { toolCallId: 'd' } };
    const [decision] = decided(tool('output-available', { output: 1 }), question, other).decisions;
    expect(decision).toMatchObject({ decision_id: 'a:c:result:fc_c#2' });
  });

  it('of a message without an id are new each time', () => {
    const ids = [1, 2].map(() => {
      const news = newsIn({ role: 'assistant', parts: [tool('output-available', { output: 1 })] });
      return news.is === 'decisions' ? news.decisions[0]!.decision_id : '';
    });
    expect(ids[0]).not.toBe(ids[1]);
  });

  it('are one for each call: the first', () => {
    const { decisions } = decided(
      { type: 'tool-approval-response', approvalId: 'c', approved: false },
      tool('approval-responded', { approval: { id: 'c', approved: true } }),
    );
    expect(decisions).toMatchObject([{ target_id: 'c', action: 'cancel' }]);
  });

  it('say which ones the client waits for: those of the last step', () => {
    const news = decided(
      { type: 'step-start' },
      tool('output-available', { output: 1 }, 'old'),
      { type: 'step-start' },
      tool('output-available', { output: 1 }, 'new'),
    );
    expect([news.decisions.map(({ target_id }) => target_id), [...news.latest]]).toEqual([['old', 'new'], ['new']]);
  });

  it('bring along the run that the client believes to have asked', () => {
    const part = tool('output-available');
    expect(newsIn({ ...assistant(part), metadata: { runId: 'r' } })).toMatchObject({ run_id: 'r' });
    expect(newsIn({ ...assistant(part), metadata: { runId: 7 } })).not.toHaveProperty('run_id');
  });

  it.each([
    ['open', tool('input-available')],
    ['asked', tool('approval-requested', { approval: { id: 'c' } })],
    ['denied', tool('output-denied', { approval: { id: 'c', approved: false } })],
    ['preliminary', tool('output-available', { output: 1, preliminary: true })],
    ['without an answer', tool('approval-responded', { approval: { id: 'c' } })],
    ['without a call', { type: 'tool-pay', state: 'output-available' }],
    ['an answer to nothing', { type: 'tool-approval-response', approved: true }],
    ['an answer that is none', { type: 'tool-approval-response', approvalId: 'c', approved: 'yes' }],
    ['a text', { type: 'text', text: 'yes' }],
  ])('are not in a part that is %s', (_, part) => {
    expect(() => newsIn(assistant(part))).toThrow('request must include user input or suspension decisions');
  });
});

describe('the rest of a request', () => {
  it('is taken as it is', () => {
    const messages = [user('u', 'hi')];
    expect(
      read({ messages, runId: ' r ', parentThreadId: 'p', onBusy: 'enqueue', on_disconnect: 'cancel', more: 1 }),
    ).toEqual({
      thread_id: 't',
      run_id: 'r',
      parent_thread_id: 'p',
      on_busy: 'enqueue',
      on_disconnect: 'cancel',
      news: { is: 'input', messages: [{ id: 'u', role: 'user', content: 'hi' }] },
    });
  });

  it('may have fields of the application, also those of the older shape', () => {
    expect(read({ messages: [user('u', 'hi')], sessionId: 's', input: 'x' }).news.is).toBe('input');
  });

  it('is absent when it is null or blank', () => {
    const body = { messages: [user('u', 'hi')], runId: ' ', parentThreadId: null, trigger: null, messageId: null };
    expect(Object.keys(read(body))).toEqual(['thread_id', 'news']);
  });
});
