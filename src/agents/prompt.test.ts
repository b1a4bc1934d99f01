import { describe, expect, it } from 'vitest';
import { toPrompt as toPromptOf } from './prompt.js';
import type { HistoryMessage, TracePart } from './model-call.js';

const asks = (...ids: string[]): HistoryMessage => ({
  role: 'assistant',
  content: '',
  tool_calls: ids.map((id) => ({ id, name: `tool_${id}`, arguments: { of: id } })),
});
const answers = (tool_call_id: string, is_error = false): HistoryMessage => ({
  role: 'tool',
  content: `result ${tool_call_id}`,
  tool_call_id,
  ...(is_error ? { is_error } : {}),
});

const MODEL = 'anthropic.messages/claude';
const toPrompt = (system: string | undefined, history: HistoryMessage[]) => toPromptOf(system, history, MODEL);

describe('toPrompt', () => {
  it('puts the system prompt first and keeps further system messages where they are', () => {
    const prompt = toPrompt('One.', [
      { role: 'system', content: 'Two.' },
      { role: 'system', content: 'Three.' },
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'hello' },
    ]);
    expect(prompt).toEqual([
      { role: 'system', content: 'One.' },
      { role: 'system', content: 'Two.' },
      { role: 'system', content: 'Three.' },
      { role: 'user', content: [{ type: 'text', text: 'hi' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'hello' }] },
    ]);
  });

  it('puts the results of a round into one message, errors as error texts', () => {
    const prompt = toPrompt(undefined, [asks('a', 'b'), answers('b', true), answers('a')]);
    expect(prompt).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', toolCallId: 'a', toolName: 'tool_a', input: { of: 'a' } },
          { type: 'tool-call', toolCallId: 'b', toolName: 'tool_b', input: { of: 'b' } },
        ],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'b',
            toolName: 'tool_b',
            output: { type: 'error-text', value: 'result b' },
          },
          { type: 'tool-result', toolCallId: 'a', toolName: 'tool_a', output: { type: 'text', value: 'result a' } },
        ],
      },
    ]);
  });

  it('matches the results of a later round whose ids were used before', () => {
    const prompt = toPrompt(undefined, [asks('a'), answers('a'), asks('a'), answers('a')]);
    expect(prompt.map((message) => message.role)).toEqual(['assistant', 'tool', 'assistant', 'tool']);
  });

  it('leaves out an assistant message that says nothing', () => {
    expect(toPrompt('', [{ role: 'assistant', content: '' }])).toEqual([]);
  });

  it.each([
    ['{"x":', { raw_arguments: '{"x":' }],
    [[1], { raw_arguments: [1] }],
    [null, { raw_arguments: null }],
  ])('sends arguments that are no object (%j) as an object', (args, input) => {
    const call = { role: 'assistant' as const, content: '', tool_calls: [{ id: 'a', name: 't', arguments: args }] };
    const [first] = toPrompt(undefined, [call, answers('a')]);
    expect(first).toMatchObject({ content: [{ input }] });
  });

  it.each<[string, HistoryMessage[]]>([
    ['a call without a result', [asks('a', 'b'), answers('a')]],
    ['a call whose result comes after somebody else spoke', [asks('a'), { role: 'user', content: 'x' }, answers('a')]],
    ['a result without a call', [answers('a')]],
    ['a result that comes twice', [asks('a'), answers('a'), answers('a')]],
  ])('refuses %s', (_, history) => {
    expect(() => toPrompt(undefined, history)).toThrow(
      expect.objectContaining({ name: 'InferenceError', retryable: false }) as Error,
    );
  });
});

describe('an answer with a trace', () => {
  const signed = { anthropic: { signature: 'sig' } };
  const parts: TracePart[] = [
    { type: 'reasoning', text: 'hm', metadata: signed },
    { type: 'text', length: 3 },
    { type: 'call', id: 'a', metadata: { google: { thoughtSignature: 's' } } },
    { type: 'text', length: 2 },
  ];
  const message = (change: Partial<HistoryMessage> = {}): HistoryMessage => ({
    ...asks('a'),
    content: 'Hello',
    trace: { model: MODEL, parts },
    ...change,
  });
  const told = (change?: Partial<HistoryMessage>) => toPrompt(undefined, [message(change), answers('a')])[0]!.content;
  const call = { type: 'tool-call', toolCallId: 'a', toolName: 'tool_a', input: { of: 'a' } };

  it('is told to its model part by part, in the order and with the words of the provider', () => {
    expect(told()).toEqual([
      { type: 'reasoning', text: 'hm', providerOptions: signed },
      { type: 'text', text: 'Hel' },
      { ...call, providerOptions: { google: { thoughtSignature: 's' } } },
      { type: 'text', text: 'lo' },
    ]);
  });

  it.each<[string, Partial<HistoryMessage>]>([
    ['to another model', { trace: { model: 'anthropic.messages/other', parts } }],
    ['when the text was changed', { trace: { model: MODEL, parts: parts.slice(0, 3) } }],
    ['when a call is missing in it', { trace: { model: MODEL, parts: [{ type: 'text', length: 5 }] } }],
    ['when it has a call of its own', { trace: { model: MODEL, parts: [...parts, { type: 'call', id: 'x' }] } }],
  ])('is told in our words %s', (_, change) => {
    expect(told(change)).toEqual([{ type: 'text', text: 'Hello' }, call]);
  });

  it('that says nothing is left out with its thoughts', () => {
    const silent = message({ content: '', tool_calls: [], trace: { model: MODEL, parts: parts.slice(0, 1) } });
    expect(toPrompt(undefined, [silent])).toEqual([]);
  });
});
