/** Runs of the whole server against a model behind real HTTP: text, a tool loop, a failing and a hanging provider. */

import { LLMock } from '@copilotkit/aimock';
import { createServer as createHttpServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { CanonicalEvent } from '../src/actors/events.js';
import { createModelResolver } from '../src/agents/providers/resolver.js';
import { createServer, defineAgent, defineTool } from '../src/index.js';
import { collectSse, readSse } from './support/sse-client.js';

const KEY = 'sk-test-77';
const close: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of close.splice(0).reverse()) await end();
});

async function serve(base_url: string, tools: Parameters<typeof defineAgent>[0]['tools'] = []): Promise<string> {
  const resolver = createModelResolver({ local: { kind: 'openai-compatible', base_url, api_key_env: 'KEY' } }, { KEY });
  const agent = defineAgent({ id: 'a', model: 'local:some-model', tools }, resolver);
  const server = createServer({ agents: [agent], data: null, port: 0, limits: { retry_ms: 1 } });
  const url = await server.listen();
  close.push(() => server.close());
  return url;
}

const start = (url: string, content: string, run_id = 'run'): Promise<Response> =>
  fetch(`${url}/v1/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ agentId: 'a', runId: run_id, messages: [{ role: 'user', content }] }),
  });
const events = async (response: Response) =>
  (await collectSse(response)).map(({ data }) => JSON.parse(data) as CanonicalEvent);
const textOf = (log: CanonicalEvent[]) =>
  log.reduce((text, event) => text + (event.type === 'text_delta' ? event.data.delta : ''), '');

describe('a model that behaves', () => {
  let mock: LLMock;
  beforeEach(async () => {
    mock = new LLMock({ port: 0, chunkSize: 4, auth: { apiKeys: [KEY] } });
    await mock.start();
    close.push(() => mock.stop());
  });

  test('streams its text and is counted', async () => {
    mock.onMessage('hello', {
      content: 'Hello from far away.',
      usage: { prompt_tokens: 12, completion_tokens: 5 },
    });
    const url = await serve(`${mock.url}/v1`);
    const log = await events(await start(url, 'hello'));
    expect(textOf(log)).toBe('Hello from far away.');
    expect(log.filter((event) => event.type === 'text_delta').length).toBeGreaterThan(2);
    expect(await (await fetch(`${url}/v1/runs/run`)).json()).toMatchObject({
      status: 'done',
      termination_code: 'natural',
      input_tokens: 12,
      output_tokens: 5,
    });
  });

  test('goes through a loop of two steps with its tool', async () => {
    const cities: string[] = [];
    const weather = defineTool({
      name: 'get_weather',
      description: 'The weather of a city.',
      input: z.object({ city: z.string() }),
      effect: 'readOnly',
      execute: ({ city }) => {
        cities.push(city);
        return { city, celsius: 21 };
      },
    });
    mock.on({ userMessage: 'weather', hasToolResult: true }, { content: 'It is warm.' });
    mock.onMessage('weather', {
      toolCalls: ['Oslo', 'Rome'].map((city, i) => ({
        id: `call_${i}`,
        name: 'get_weather',
        arguments: JSON.stringify({ city }),
      })),
    });
    const log = await events(await start(await serve(`${mock.url}/v1`, [weather]), 'weather?'));
    expect(cities.sort()).toEqual(['Oslo', 'Rome']);
    expect(log.filter((event) => event.type === 'inference_complete')).toHaveLength(2);
    expect(log.flatMap((event) => (event.type === 'tool_call_done' ? [event.data] : []))).toMatchObject([
      { outcome: 'succeeded', result: { celsius: 21 } },
      { outcome: 'succeeded', result: { celsius: 21 } },
    ]);
    expect(textOf(log)).toBe('It is warm.');
  });

  test('that fails once is asked again, and the log says so', async () => {
    mock.onMessage('hello', { content: 'Now I can.' });
    mock.nextRequestError(500, { message: 'out of memory' });
    const log = await events(await start(await serve(`${mock.url}/v1`), 'hello'));
    const retry = log.find((event) => event.type === 'inference_retry');
    expect(retry?.data).toMatchObject({ attempt: 1, reason: expect.stringContaining('500') as string });
    expect(textOf(log)).toBe('Now I can.');
  });

  test('that refuses for good ends the run, and the thread takes the next one', async () => {
    mock.onMessage('hello', { error: { message: 'no such model', type: 'invalid_request_error' }, status: 404 });
    mock.onMessage('again', { content: 'Hello.' });
    const url = await serve(`${mock.url}/v1`);
    const log = await events(await start(url, 'hello'));
    expect(log.at(-1)).toMatchObject({ type: 'run_finish', data: { termination: { code: 'error' } } });
    expect(log.at(-2)).toMatchObject({ type: 'error', data: { message: expect.stringContaining('404') as string } });
    expect(JSON.stringify(log)).not.toContain(KEY);
    expect(textOf(await events(await start(url, 'again', 'second')))).toBe('Hello.');
  });
});

test('a provider that hangs is cancelled: its connection is closed and the run ends', async () => {
  let hungUp = () => {};
  const closed = new Promise<void>((resolve) => (hungUp = resolve));
  const provider: Server = createHttpServer((request, response) => {
    request.socket.once('close', hungUp);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`data: ${JSON.stringify({ id: '1', choices: [{ index: 0, delta: { content: 'Once' } }] })}\n\n`);
  });
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  close.push(async () => {
    provider.closeAllConnections();
    await new Promise((resolve) => provider.close(resolve));
  });
  const url = await serve(`http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`);
  const log: CanonicalEvent[] = [];
  for await (const { data } of readSse(await start(url, 'hello'))) {
    const event = JSON.parse(data) as CanonicalEvent;
    log.push(event);
    if (event.type === 'text_delta')
      expect((await fetch(`${url}/v1/runs/run/cancel`, { method: 'POST' })).status).toBe(202);
  }
  await closed;
  expect(log.at(-1)).toMatchObject({ type: 'run_finish', data: { termination: { code: 'cancelled' } } });
});
