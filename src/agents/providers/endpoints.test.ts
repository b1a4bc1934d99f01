/** Endpoints that keep no promise, on loopback. */

import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { askModel, failureOf, user } from '../../../test/support/model-call.js';
import { defineAgent } from '../agent.js';
import { infer } from '../inference.js';
import type { Agent } from '../types.js';
import { createModelResolver } from './resolver.js';

const KEY = 'sk-test-5e3c7a';

const agentAt = (base_url: string, kind = 'openai-compatible'): Agent =>
  defineAgent(
    { id: 'a', model: 'local:gemini-3-pro' },
    createModelResolver({ local: { kind, base_url, api_key_env: 'TEST_KEY' } }, { TEST_KEY: KEY }),
  );

describe('an endpoint that misbehaves', () => {
  let server: Server | undefined;
  const serve = async (listener: RequestListener, kind?: string): Promise<Agent> => {
    server = createServer(listener);
    await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
    return agentAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, kind);
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
    await expect(askModel(agent, 'hello', abort.signal).outcome).rejects.toMatchObject({ name: 'AbortError' });
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
    expect(await failureOf(askModel(agent, 'hello').outcome)).toMatchObject({
      retryable: true,
      retry_after_ms: 7_000,
    });
  });

  it('by quoting the key it was given does not bring it into the error', async () => {
    const agent = await serve((request, response) => {
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: `Incorrect: ${request.headers.authorization}` } }));
    });
    const error = await failureOf(askModel(agent, 'hello').outcome);
    expect(error.message).toBe('the model provider answered 401: Incorrect: Bearer ***');
    expect(JSON.stringify(error.cause)).not.toContain(KEY);
  });

  it('by not being there may be asked again', async () => {
    const agent = await serve(() => {});
    await new Promise((resolve) => server!.close(resolve));
    const error = await failureOf(askModel(agent, 'hello').outcome);
    expect(error).toMatchObject({ retryable: true });
    expect(error.message).toContain('ECONNREFUSED');
  });

  it('by sending what is not the protocol may be asked again', async () => {
    const agent = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end('data: {"choices": "none"}\n\n');
    });
    expect(await failureOf(askModel(agent, 'hello').outcome)).toMatchObject({
      name: 'InferenceError',
      retryable: true,
    });
  });

  it('by asking for patience in the body, as Google does, is waited for', async () => {
    const agent = await serve((_, response) => {
      const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.5s' }];
      response.writeHead(429, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { code: 429, message: 'quota', status: 'RESOURCE_EXHAUSTED', details } }));
    }, 'google');
    expect(await failureOf(askModel(agent, 'hello').outcome)).toMatchObject({
      retryable: true,
      retry_after_ms: 34_500,
      message: 'the model provider answered 429: quota',
    });
  });
});

describe('a model that signs its calls', () => {
  it('is shown its signature with the result', async () => {
    const bodies: string[] = [];
    const said = [{ functionCall: { name: 'look', args: {} }, thoughtSignature: 'c2lnbmVk' }, { text: 'Seen.' }];
    const server = createServer((request, response) => {
      void text(request).then((body) => answer(body, response));
    });
    const answer = (body: string, response: ServerResponse) => {
      bodies.push(body);
      const candidate = { content: { role: 'model', parts: [said[bodies.length - 1]] }, finishReason: 'STOP' };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`data: ${JSON.stringify({ candidates: [candidate] })}\n\n`);
    };
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const agent = agentAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1beta`, 'google');
      const { calls, trace } = await askModel(agent, 'look').outcome;
      expect(trace?.parts).toEqual([
        {
          type: 'call',
          id: calls[0]!.id,
          metadata: { google: expect.objectContaining({ thoughtSignature: 'c2lnbmVk' }) as object },
        },
      ]);
      const history = [
        user('look'),
        { role: 'assistant' as const, content: '', tool_calls: calls, trace: trace! },
        { role: 'tool' as const, content: 'a bird', tool_call_id: calls[0]!.id },
      ];
      expect((await askModel(agent, history).outcome).text).toBe('Seen.');
      expect(bodies[1]).toContain('"thoughtSignature":"c2lnbmVk"');
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
