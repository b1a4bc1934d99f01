/** The openai-compatible provider against real HTTP endpoints on loopback. */

import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LLMock } from '@copilotkit/aimock';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../agent.js';
import { executeTool } from '../execution.js';
import { infer } from '../inference.js';
import { createModelResolver } from './resolver.js';
import { defineTool } from '../tool.js';
import type { Agent, HistoryMessage, InferenceError, ModelEvent } from '../types.js';

const KEY = 'sk-test-5e3c7a';

const weather = defineTool({
  name: 'get_weather',
  description: 'The weather of a city.',
  input: z.object({ city: z.string() }),
  effect: 'readOnly',
  execute: ({ city }) => ({ city, celsius: 21 }),
});

const agentAt = (base_url: string): Agent =>
  defineAgent(
    { id: 'a', model: 'local:some-model', system_prompt: 'Be brief.', tools: [weather] },
    createModelResolver({ local: { kind: 'openai-compatible', base_url, api_key_env: 'TEST_KEY' } }, { TEST_KEY: KEY }),
  );

function ask(agent: Agent, history: HistoryMessage[], signal = new AbortController().signal) {
  const events: ModelEvent[] = [];
  const outcome = infer({
    agent,
    history,
    used_call_ids: new Set(),
    idle_timeout_ms: 20_000,
    signal,
    append: async (batch) => void events.push(...batch),
  });
  return { events, outcome };
}

const user = (content: string): HistoryMessage => ({ role: 'user', content });
const failure = (outcome: Promise<unknown>): Promise<InferenceError> =>
  outcome.then(
    () => Promise.reject(new Error('the call succeeded')),
    (error: InferenceError) => error,
  );

describe('an OpenAI-compatible endpoint', () => {
  let mock: LLMock;
  let agent: Agent;
  beforeAll(async () => {
    mock = new LLMock({ port: 0, chunkSize: 4 });
    await mock.start();
    agent = agentAt(`${mock.url}/v1`);
  });
  afterAll(() => mock.stop());
  beforeEach(() => void mock.reset());

  it('streams text and reports its usage', async () => {
    mock.onMessage('hello', { content: 'Hello from far away.', usage: { prompt_tokens: 12, completion_tokens: 5 } });
    const { events, outcome } = ask(agent, [user('hello')]);
    expect(await outcome).toMatchObject({
      text: 'Hello from far away.',
      calls: [],
      finish_reason: 'stop',
      model: 'some-model',
      usage: { input_tokens: 12, output_tokens: 5, total_tokens: 17 },
    });
    expect(events.length).toBeGreaterThan(2);
    expect(events.every(([type]) => type === 'text_delta')).toBe(true);
    const { body, headers } = mock.getLastRequest()!;
    expect(body).toMatchObject({
      model: 'some-model',
      stream: true,
      stream_options: { include_usage: true },
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'hello' },
      ],
      tools: [{ type: 'function', function: { name: 'get_weather', parameters: { type: 'object' } } }],
    });
    expect(headers.authorization).not.toBeUndefined();
  });

  it('goes through a tool round: the call, its result fed back, the final text', async () => {
    mock.on({ userMessage: 'weather', hasToolResult: true }, { content: 'It is 21 degrees in Oslo.' });
    mock.onMessage('weather', { toolCalls: [{ id: 'call_1', name: 'get_weather', arguments: '{"city":"Oslo"}' }] });
    const history = [user('weather in Oslo?')];
    const { events, outcome } = ask(agent, history);
    const { calls, finish_reason, text } = await outcome;
    expect({ calls, finish_reason }).toEqual({
      calls: [{ id: 'call_1', name: 'get_weather', arguments: { city: 'Oslo' } }],
      finish_reason: 'tool-calls',
    });
    expect(events[0]).toEqual(['tool_call_start', { id: 'call_1', name: 'get_weather' }]);
    expect(events.at(-1)).toEqual(['tool_call_ready', calls[0]]);

    const context = {
      signal: new AbortController().signal,
      run_id: 'r',
      thread_id: 't',
      agent_id: 'a',
      call_id: 'call_1',
    };
    const done = await executeTool(weather, calls[0]!.arguments, { ...context, progress() {} });
    if (done.outcome !== 'succeeded') throw new Error(done.outcome);
    history.push({ role: 'assistant', content: text, tool_calls: calls });
    history.push({ role: 'tool', content: JSON.stringify(done.result), tool_call_id: 'call_1' });

    expect((await ask(agent, history).outcome).text).toBe('It is 21 degrees in Oslo.');
    expect(mock.getLastRequest()!.body).toMatchObject({
      messages: [
        {},
        {},
        { role: 'assistant', tool_calls: [{ id: 'call_1', function: { arguments: '{"city":"Oslo"}' } }] },
        { role: 'tool', tool_call_id: 'call_1', content: '{"city":"Oslo","celsius":21}' },
      ],
    });
  });

  it('that answers 500 may be asked again, and then answers', async () => {
    mock.onMessage('hello', { content: 'Now I can.' });
    mock.nextRequestError(500, { message: 'out of memory' });
    const error = await failure(ask(agent, [user('hello')]).outcome);
    expect(error).toMatchObject({ name: 'InferenceError', retryable: true, retry_after_ms: null });
    expect(error.message).toBe('the model provider answered 500: out of memory');
    expect((await ask(agent, [user('hello')]).outcome).text).toBe('Now I can.');
  });

  it('that answers 401 is not asked again', async () => {
    mock.nextRequestError(401, { message: 'bad key' });
    expect(await failure(ask(agent, [user('hello')]).outcome)).toMatchObject({
      retryable: false,
      message: 'the model provider answered 401: bad key',
    });
  });

  it('that breaks off in mid-stream may be asked again', async () => {
    mock.onMessage('hello', { content: 'This will not come to its end.' }, { truncateAfterChunks: 3 });
    expect(await failure(ask(agent, [user('hello')]).outcome)).toMatchObject({
      name: 'InferenceError',
      retryable: true,
    });
  });
});

describe('an endpoint that misbehaves', () => {
  let server: Server | undefined;
  const serve = async (listener: RequestListener): Promise<Agent> => {
    server = createServer(listener);
    await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
    return agentAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
  };
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
    server = undefined;
  });

  it('by never answering is left at once on abort, and its connection is closed', async () => {
    const abort = new AbortController();
    let closed!: () => void;
    const hungUp = new Promise<void>((resolve) => (closed = resolve));
    const agent = await serve((request) => {
      request.socket.once('close', closed);
      abort.abort();
    });
    await expect(ask(agent, [user('hello')], abort.signal).outcome).rejects.toMatchObject({ name: 'AbortError' });
    await hungUp;
  });

  it('by falling silent in mid-stream is left at once on abort', async () => {
    const agent = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify({ id: '1', choices: [{ delta: { content: 'Once' } }] })}\n\n`);
    });
    const abort = new AbortController();
    const outcome = infer({
      agent,
      history: [user('hello')],
      used_call_ids: new Set(),
      idle_timeout_ms: 20_000,
      signal: abort.signal,
      append: async () => abort.abort(),
    });
    await expect(outcome).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('by asking for patience is waited for', async () => {
    const agent = await serve((_, response) => {
      response.writeHead(429, { 'retry-after': '7', 'content-type': 'application/json' });
      response.end('{"error":{"message":"slow down"}}');
    });
    expect(await failure(ask(agent, [user('hello')]).outcome)).toMatchObject({
      retryable: true,
      retry_after_ms: 7_000,
    });
  });

  it('by quoting the key it was given does not bring it into the error', async () => {
    const agent = await serve((request, response) => {
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: `Incorrect: ${request.headers.authorization}` } }));
    });
    const error = await failure(ask(agent, [user('hello')]).outcome);
    expect(error.message).toBe('the model provider answered 401: Incorrect: Bearer ***');
    expect(JSON.stringify(error.cause)).not.toContain(KEY);
  });

  it('by not being there may be asked again', async () => {
    const agent = await serve(() => {});
    await new Promise((resolve) => server!.close(resolve));
    const error = await failure(ask(agent, [user('hello')]).outcome);
    expect(error).toMatchObject({ retryable: true });
    expect(error.message).toContain('ECONNREFUSED');
  });

  it('by sending what is not the protocol may be asked again', async () => {
    const agent = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end('data: {"choices": "none"}\n\n');
    });
    expect(await failure(ask(agent, [user('hello')]).outcome)).toMatchObject({
      name: 'InferenceError',
      retryable: true,
    });
  });
});

describe('createModelResolver', () => {
  const local = { kind: 'openai-compatible', base_url: 'http://127.0.0.1:1/v1', api_key_env: 'TEST_KEY' };

  it('knows the scripted models without being told', () => {
    expect(createModelResolver().resolve('scripted:assistant').modelId).toBe('scripted:assistant');
  });

  it('takes a model id with colons', () => {
    expect(createModelResolver({ local }, { TEST_KEY: 'k' }).resolve('local:llama3.2:1b').modelId).toBe('llama3.2:1b');
  });

  it('reads the key when the model is used: missing it is an error then, and a warning before', () => {
    const env: Record<string, string> = {};
    const models = createModelResolver({ local }, env);
    const missing = 'provider "local" has no API key: the environment variable TEST_KEY is not set';
    expect(models.warnings()).toEqual([missing]);
    expect(models.fault('local:m')).toBeUndefined();
    expect(() => models.resolve('local:m')).toThrow(missing);
    env.TEST_KEY = 'k';
    expect(models.resolve('local:m').modelId).toBe('m');
    expect(models.warnings()).toEqual([]);
  });

  it.each([
    ['m', 'model "m" must be "<provider>:<model id>"'],
    ['local:', 'model "local:" must be "<provider>:<model id>"'],
    ['nobody:m', 'model "nobody:m": unknown provider "nobody"; known are scripted, local'],
    ['toString:m', 'model "toString:m": unknown provider "toString"; known are scripted, local'],
    ['scripted:nope', 'no scripted model "nope"; there are assistant, approver, worker, painter, slow, failing'],
  ])('says what is wrong with %s', (model, fault) => {
    const models = createModelResolver({ local }, {});
    expect(models.fault(model)).toBe(fault);
    expect(() => models.resolve(model)).toThrow(fault);
  });

  it.each([
    [{ x: { kind: 'opnai' } }, 'providers.x.kind: '],
    [{ x: { kind: 'openai-compatible', base_url: 'ftp://h' } }, 'providers.x.base_url: must be an http or https URL'],
    [{ x: { kind: 'openai-compatible' } }, 'providers.x.base_url: '],
    [{ x: { ...local, api_key: 'sk-1' } }, 'providers.x: unknown key "api_key"'],
    [{ 'a:b': local }, 'providers.a:b: '],
  ])('refuses %j', (providers, problem) => {
    expect(() => createModelResolver(providers)).toThrow(problem);
  });
});
