/** Every kind of provider over real HTTP, against a server on loopback that speaks the providers' own protocols. */

import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { askModel, failureOf, user } from '../../../test/support/model-call.js';
import type { JsonObject } from '../../json.js';
import { defineAgent } from '../agent.js';
import { executeTool } from '../execution.js';
import { defineTool } from '../tool.js';
import type { Agent } from '../types.js';
import type { HistoryMessage, InferenceOutcome } from '../model-call.js';
import { createModelResolver } from './resolver.js';

const KEY = 'sk-test-5e3c7a';

const weather = defineTool({
  name: 'get_weather',
  description: 'The weather of a city.',
  input: z.object({ city: z.string() }),
  effect: 'readOnly',
  execute: ({ city }) => ({ city, celsius: 21 }),
});

type Spec = {
  kind: string;
  path: string;
  model: string;
  usage: Record<string, number>;
  /** What it takes to be shown reasoning. */
  provider_options?: Record<string, JsonObject>;
  /** What the request after a round of calls must hold besides calls and results, as text. */
  thoughts: RegExp;
};

const specs: Spec[] = [
  {
    kind: 'openai',
    path: '/v1',
    model: 'gpt-5',
    usage: { input_tokens: 12, output_tokens: 5 },
    provider_options: { openai: { reasoningSummary: 'auto' } },
    thoughts: /"type":"reasoning","id":"[^"]+","encrypted_content":"[^"]+"/,
  },
  {
    kind: 'anthropic',
    path: '/v1',
    model: 'claude-sonnet-4-5',
    usage: { input_tokens: 12, output_tokens: 5 },
    provider_options: { anthropic: { thinking: { type: 'enabled', budgetTokens: 1024 } } },
    thoughts: /"type":"thinking","thinking":"Where is it\?","signature":"[^"]+"/,
  },
  {
    kind: 'google',
    path: '/v1beta',
    model: 'gemini-2.5-flash',
    usage: { promptTokenCount: 12, candidatesTokenCount: 5 },
    provider_options: { google: { thinkingConfig: { includeThoughts: true } } },
    thoughts: /"text":"Where is it\?","thought":true/,
  },
  {
    kind: 'openai-compatible',
    path: '/v1',
    model: 'deepseek-reasoner',
    usage: { prompt_tokens: 12, completion_tokens: 5 },
    thoughts: /"reasoning_content":"Where is it\?"/,
  },
];

describe.each(specs)('$kind', ({ kind, path, model, usage, provider_options, thoughts }) => {
  let mock: LLMock;
  const sent = vi.spyOn(globalThis, 'fetch');
  const lastBody = () => sent.mock.lastCall![1]!.body as string;

  beforeAll(async () => {
    mock = new LLMock({ port: 0, chunkSize: 4, auth: { apiKeys: [KEY] } });
    await mock.start();
  });
  afterAll(() => mock.stop());
  beforeEach(() => {
    mock.reset();
    sent.mockClear();
  });

  const agentWith = (key = KEY): Agent =>
    defineAgent(
      {
        id: 'a',
        model: `p:${model}`,
        system_prompt: 'Be brief.',
        tools: [weather],
        ...(provider_options && { provider_options }),
      },
      createModelResolver({ p: { kind, base_url: `${mock.url}${path}`, api_key_env: 'TEST_KEY' } }, { TEST_KEY: key }),
    );

  it('streams text and reports its usage', async () => {
    mock.onMessage('hello', { content: 'Hello from far away.', usage });
    const { events, outcome } = askModel(agentWith(), 'hello');
    expect(await outcome).toMatchObject({
      text: 'Hello from far away.',
      calls: [],
      finish_reason: 'stop',
      model: expect.stringContaining(model) as string,
      usage: { input_tokens: 12, output_tokens: 5, total_tokens: 17 },
    });
    expect(events.length).toBeGreaterThan(2);
    expect(events.every(([type]) => type === 'text_delta')).toBe(true);
    expect(lastBody()).toContain('Be brief.');
    expect(lastBody()).toContain('get_weather');
  });

  it('streams reasoning before the text', async () => {
    mock.onMessage('hello', { content: 'Hello.', reasoning: 'A greeting, then.' });
    const { events, outcome } = askModel(agentWith(), 'hello');
    expect((await outcome).text).toBe('Hello.');
    const types = events.map(([type]) => type);
    expect(types.filter((type) => type === 'reasoning_delta').length).toBeGreaterThan(1);
    expect(types.lastIndexOf('reasoning_delta')).toBeLessThan(types.indexOf('text_delta'));
    const thought = events.flatMap(([type, data]) => (type === 'reasoning_delta' ? [data.delta] : [])).join('');
    expect(thought).toBe('A greeting, then.');
  });

  const twoCalls = {
    toolCalls: [
      { id: 'call_1', name: 'get_weather', arguments: '{"city":"Oslo"}' },
      { id: 'call_2', name: 'get_weather', arguments: '{"city":"Rome"}' },
    ],
    reasoning: 'Where is it?',
  };

  it('makes several calls in one answer, told in order', async () => {
    mock.onMessage('weather', twoCalls);
    const { events, outcome } = askModel(agentWith(), 'weather?');
    const { calls, finish_reason } = await outcome;
    expect(finish_reason).toBe('tool-calls');
    expect(calls.map(({ name, arguments: args }) => [name, args])).toEqual([
      ['get_weather', { city: 'Oslo' }],
      ['get_weather', { city: 'Rome' }],
    ]);
    for (const call of calls) {
      const told = events.filter(([, data]) => 'id' in data && data.id === call.id);
      expect(told[0]).toEqual(['tool_call_start', { id: call.id, name: call.name }]);
      const args = told.flatMap(([type, data]) => (type === 'tool_call_delta' ? [data.args_delta] : [])).join('');
      expect(JSON.parse(args)).toEqual(call.arguments);
      expect(told.at(-1)).toEqual(['tool_call_ready', call]);
    }
  });

  it('goes through a round of calls: what it thought, called and got back is told to it again', async () => {
    mock.on({ userMessage: 'weather', hasToolResult: true }, { content: 'It is warm in both.' });
    mock.onMessage('weather', twoCalls);
    const first = await askModel(agentWith(), 'weather?').outcome;
    const history = [user('weather?'), answered(first), ...(await results(first))];
    expect((await askModel(agentWith(), history).outcome).text).toBe('It is warm in both.');
    const body = lastBody();
    expect(body).toMatch(thoughts);
    for (const text of ['Oslo', 'Rome', 'celsius']) expect(body).toContain(text);
  });

  it('may have a system message in the middle of its conversation', async () => {
    mock.onMessage('and now', { content: 'Fine.' });
    const history: HistoryMessage[] = [
      user('hello'),
      { role: 'assistant', content: 'Hello.' },
      { role: 'system', content: 'Speak plainly.' },
      user('and now'),
    ];
    expect((await askModel(agentWith(), history).outcome).text).toBe('Fine.');
    expect(lastBody()).toContain('Speak plainly.');
  });

  it('is waited for when it asks for patience', async () => {
    mock.onMessage('hello', { error: { message: 'slow down', type: 'rate_limit_error' }, status: 429, retryAfter: 7 });
    const error = await failureOf(askModel(agentWith(), 'hello').outcome);
    expect(error).toMatchObject({ name: 'InferenceError', retryable: true, retry_after_ms: 7_000 });
    expect(error.message).toBe('the model provider answered 429: slow down');
  });

  it('may be asked again after a failure of its own, and then answers', async () => {
    mock.onMessage('hello', { content: 'Now I can.' });
    mock.nextRequestError(500, { message: 'out of memory' });
    const error = await failureOf(askModel(agentWith(), 'hello').outcome);
    expect(error).toMatchObject({ name: 'InferenceError', retryable: true, retry_after_ms: null });
    expect(error.message).toBe('the model provider answered 500: out of memory');
    expect((await askModel(agentWith(), 'hello').outcome).text).toBe('Now I can.');
  });

  it('that breaks off in mid-stream may be asked again', async () => {
    mock.onMessage('hello', { content: 'This will not come to its end.' }, { truncateAfterChunks: 3 });
    expect(await failureOf(askModel(agentWith(), 'hello').outcome)).toMatchObject({
      name: 'InferenceError',
      retryable: true,
    });
  });

  it('refuses a wrong key for good, and the key is nowhere in the error', async () => {
    mock.onMessage('hello', { content: 'Never said.' });
    const error = await failureOf(askModel(agentWith('sk-wrong-key'), 'hello').outcome);
    expect(error.retryable).toBe(false);
    expect(error.message).toMatch(/^the model provider answered 401: /);
    expect(JSON.stringify([error, error.cause, String(error.stack)])).not.toContain('sk-wrong-key');
  });
});

const answered = ({ text, calls, trace }: InferenceOutcome): HistoryMessage => ({
  role: 'assistant',
  content: text,
  tool_calls: calls,
  // As it comes back from a store.
  ...(trace ? { trace: JSON.parse(JSON.stringify(trace)) as typeof trace } : {}),
});

const state = { get: () => ({}), merge: async () => ({}) };

function results({ calls }: InferenceOutcome): Promise<HistoryMessage[]> {
  return Promise.all(
    calls.map(async ({ id, arguments: args }) => {
      const context = { run_id: 'r', thread_id: 't', agent_id: 'a', call_id: id, progress() {}, state };
      const done = await executeTool(weather, args, { ...context, signal: new AbortController().signal });
      if (done.outcome !== 'succeeded') throw new Error(done.outcome);
      return { role: 'tool' as const, content: JSON.stringify(done.result), tool_call_id: id };
    }),
  );
}
