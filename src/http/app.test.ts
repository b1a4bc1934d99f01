/** Every error is `{"error": …}` with its documented status (CONTRACT 0.1), over a real socket. */

import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../errors.js';
import { AgentServerError } from '../errors.js';
import { openHttp, post } from '../../test/support/http-server.js';
import { parseRaw, rawRequest } from '../../test/support/raw-request.js';
import { parseTokens } from './tokens.js';

const start = { agentId: 'assistant', messages: [{ role: 'user', content: 'hi' }] };
const errorOf = async (response: Response): Promise<string> => {
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  const body = (await response.json()) as Record<string, unknown>;
  expect(Object.keys(body)).toEqual(['error']);
  return body.error as string;
};

describe('requests that are refused', () => {
  const json = { 'content-type': 'application/json' };
  it.each<[name: string, path: string, init: RequestInit, status: number, error: RegExp]>([
    ['unknown route', '/v2/runs', {}, 404, /^no such route: \/v2\/runs$/],
    ['root', '/', {}, 404, /no such route/],
    ['wrong method', '/v1/runs/x/cancel', {}, 405, /^method not allowed$/],
    ['wrong method of health', '/health', { method: 'POST' }, 405, /^method not allowed$/],
    ['a method nobody knows', '/v1/runs', { method: 'PROPFIND' }, 405, /^method not allowed$/],
    ['malformed JSON', '/v1/runs', { method: 'POST', headers: json, body: '{"agentId":' }, 400, /^bad request: body: /],
    ['a JSON text', '/v1/runs', { method: 'POST', headers: json, body: '"x"' }, 400, /^bad request: body: /],
    [
      'a list',
      '/v1/runs',
      { method: 'POST', headers: json, body: '[]' },
      400,
      /^bad request: body: expected an object$/,
    ],
    [
      'prototype poison',
      '/v1/runs',
      { method: 'POST', headers: json, body: '{"__proto__":{"a":1}}' },
      400,
      /^bad request: body: /,
    ],
    ['no body', '/v1/runs', { method: 'POST' }, 400, /^bad request: agentId: cannot be empty$/],
    [
      'blank agent',
      '/v1/runs',
      { method: 'POST', headers: json, body: '{"agentId":" "}' },
      400,
      /agentId: cannot be empty$/,
    ],
    ['text body', '/v1/runs', { method: 'POST', body: '{}' }, 415, /^unsupported media type/],
    ['unlabelled body', '/v1/runs', { method: 'POST', body: new Blob(['{}']) }, 415, /^unsupported media type/],
    ['form', '/v1/runs', { method: 'POST', body: new URLSearchParams('a=b') }, 415, /^unsupported media type/],
    [
      'other charset',
      '/v1/runs',
      { method: 'POST', headers: { 'content-type': 'application/json; charset=utf-16' }, body: '{}' },
      415,
      /^unsupported/,
    ],
    [
      'unknown coding',
      '/v1/runs',
      { method: 'POST', headers: { ...json, 'content-encoding': 'zip' }, body: '{}' },
      415,
      /^unsupported content encoding$/,
    ],
    [
      'unknown coding where no body is needed',
      '/v1/runs/r/cancel',
      { method: 'POST', headers: { ...json, 'content-encoding': 'zip' }, body: '{}' },
      415,
      /^unsupported content encoding$/,
    ],
    [
      'broken gzip',
      '/v1/runs',
      { method: 'POST', headers: { ...json, 'content-encoding': 'gzip' }, body: '{}' },
      400,
      /^bad request: body: cannot be decompressed$/,
    ],
    [
      'too large',
      '/v1/runs',
      { method: 'POST', headers: json, body: `{"agentId":"${'x'.repeat(2000)}"}` },
      413,
      /^body too large: the limit is 1kb$/,
    ],
    [
      'too large when unpacked',
      '/v1/runs',
      { method: 'POST', headers: { ...json, 'content-encoding': 'gzip' }, body: gzipSync(' '.repeat(100_000)) },
      413,
      /^body too large/,
    ],
    [
      'unknown agent',
      '/v1/runs',
      { method: 'POST', headers: json, body: '{"agentId":"nobody"}' },
      404,
      /^agent not found: nobody$/,
    ],
    [
      'wrong role',
      '/v1/runs',
      { method: 'POST', headers: json, body: '{"agentId":"a","messages":[{"role":"x","content":""}]}' },
      400,
      /^bad request: messages\[0\]\.role: /,
    ],
    [
      'wrong on_busy',
      '/v1/runs',
      { method: 'POST', headers: json, body: '{"agentId":"a","on_busy":"x"}' },
      400,
      /^bad request: on_busy: /,
    ],
    [
      'wrong state',
      '/v1/runs',
      { method: 'POST', headers: json, body: '{"agentId":"a","state":[]}' },
      400,
      /^bad request: state: /,
    ],
    ['unknown run', '/v1/runs/nobody', {}, 404, /^run not found: nobody$/],
    ['events of an unknown run', '/v1/runs/nobody/events', {}, 404, /^run not found: nobody$/],
    [
      'page of an unknown run',
      '/v1/runs/nobody/events',
      { headers: { accept: 'application/json' } },
      404,
      /^run not found: nobody$/,
    ],
    ['cancel of an unknown run', '/v1/runs/nobody/cancel', { method: 'POST' }, 404, /^run not found: nobody$/],
    ['broken percent-encoding', '/v1/runs/%ZZ', {}, 400, /^bad request: run id: /],
    ['a run id with control characters', '/v1/runs/a%00b', {}, 400, /^bad request: run id: /],
    [
      'unknown format',
      '/v1/runs/nobody/events?format=xml',
      {},
      400,
      /^bad request: format: expected one of canonical\b/,
    ],
    ['a position that is none', '/v1/runs/nobody/events?after=x', {}, 400, /^bad request: after: expected an integer$/],
    [
      'a limit that is none',
      '/v1/runs/x/events?limit=1.5',
      { headers: { accept: 'application/json' } },
      400,
      /^bad request: limit: /,
    ],
    [
      'an event id that is none',
      '/v1/runs/x/events',
      { headers: { 'last-event-id': '1.5' } },
      400,
      /^bad request: Last-Event-ID: /,
    ],
  ])('%s', async (_name, path, init, status, error) => {
    const { url } = await openHttp({ body_limit: '1kb' });
    const response = await fetch(url + path, init);
    expect(await errorOf(response)).toMatch(error);
    expect(response.status).toBe(status);
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });

  it('says what a route allows', async () => {
    const { url } = await openHttp();
    expect((await fetch(`${url}/v1/runs/x`, { method: 'DELETE' })).headers.get('allow')).toBe('HEAD, GET');
    const options = await fetch(`${url}/v1/runs`, { method: 'OPTIONS' });
    expect([options.status, options.headers.get('allow')]).toEqual([
      200,
      expect.stringMatching(/^(HEAD, GET, POST|POST, HEAD, GET)$/),
    ]);
    expect((await fetch(`${url}/nowhere`, { method: 'OPTIONS' })).status).toBe(404);
  });

  it('answers HEAD without a body and without hanging', async () => {
    const { url, engine } = await openHttp();
    engine.script = () => [];
    await post(`${url}/v1/runs`, { ...start, runId: 'r' }, { prefer: 'respond-async' });
    for (const path of ['/health', '/v1/runs/r', '/v1/runs/r/events']) {
      const response = await fetch(url + path, { method: 'HEAD' });
      expect([response.status, await response.text()]).toEqual([200, '']);
    }
    expect(engine.readers('r')).toEqual([]);
  });

  it('takes JSON of other names, packed JSON, and any case of the type', async () => {
    const { url } = await openHttp();
    const body = JSON.stringify(start);
    for (const [type, sent] of [
      ['application/merge-patch+json', body],
      ['Application/JSON; Charset=UTF-8', body],
    ] as const)
      expect((await post(`${url}/v1/runs`, sent, { 'content-type': type })).status).toBe(200);
    const packed = await fetch(`${url}/v1/runs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: gzipSync(body),
    });
    expect(packed.status).toBe(200);
  });
});

describe('what the engine refuses', () => {
  it.each<[ErrorCode, number, string | null]>([
    ['conflict', 409, null],
    ['events_expired', 410, null],
    ['too_many', 429, '1'],
    ['storage_unavailable', 503, '1'],
    ['not_initialised', 500, null],
    ['run_not_active', 400, null],
  ])('%s is %i', async (code, status, retryAfter) => {
    const { url, engine } = await openHttp();
    engine.before = () => {
      throw new AgentServerError(code, 'the words of the engine');
    };
    const response = await post(`${url}/v1/runs`, start);
    expect(response.status).toBe(status);
    expect(await errorOf(response)).toBe('the words of the engine');
    expect(response.headers.get('retry-after')).toBe(retryAfter);
  });

  it('a fault of ours: 500 without detail; the log has it under the request id', async () => {
    const { url, engine, log } = await openHttp();
    engine.before = () => {
      throw new TypeError('/secret/path exploded');
    };
    const response = await post(`${url}/v1/runs`, start, { 'x-request-id': 'req-7' });
    expect([response.status, await errorOf(response)]).toEqual([500, 'internal error']);
    const line = log.map((text) => JSON.parse(text) as { level: number }).find(({ level }) => level === 50);
    expect(line).toMatchObject({ request_id: 'req-7', err: { message: '/secret/path exploded' } });
  });
});

describe('x-request-id (CONTRACT 11)', () => {
  it.each([
    ['abc-123', true],
    ['x'.repeat(128), true],
    ['x'.repeat(129), false],
    ['with space', false],
    ['é', false],
  ])('%j is kept: %s', async (id, kept) => {
    const { url } = await openHttp();
    const given = (await fetch(`${url}/nowhere`, { headers: { 'x-request-id': id } })).headers.get('x-request-id');
    if (kept) expect(given).toBe(id);
    else expect(given).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('who may come in without a token (CONTRACT 0.10)', () => {
  const ask = async (head: string): Promise<number> => {
    const { url } = await openHttp();
    const answer = parseRaw(await rawRequest(url, `${head}\r\nconnection: close\r\n\r\n`));
    if (answer.status >= 400) expect(Object.keys(JSON.parse(answer.body) as object)).toEqual(['error']);
    return answer.status;
  };
  it.each([
    ['localhost:1234', 200],
    ['127.0.0.1', 200],
    ['[::1]:80', 200],
    ['evil.example', 421],
    ['127.0.0.1.evil.example', 421],
    ['localhost@evil.example', 421],
    ['', 421],
  ])('Host %j: %i', async (host, status) => expect(await ask(`GET /health HTTP/1.1\r\nhost: ${host}`)).toBe(status));

  it('no Host at all: 421', async () => expect(await ask('GET /health HTTP/1.1')).toBe(421));

  it.each([
    ['http://localhost:3000', 404],
    ['https://app.example', 404],
    ['https://evil.example', 403],
    ['null', 403],
  ])('a change asked for by a page of %s: %i', async (origin, status) => {
    const { url } = await openHttp({ cors_origins: ['https://app.example'] });
    const response = await fetch(`${url}/v1/runs/x/cancel`, { method: 'POST', headers: { origin } });
    expect(response.status).toBe(status);
    await errorOf(response);
  });

  it('reading is left to the browser, which shows a page of elsewhere nothing', async () => {
    const { url } = await openHttp();
    const response = await fetch(`${url}/health`, { headers: { origin: 'https://evil.example' } });
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, null]);
  });
});

describe('with tokens (CONTRACT 10.4)', () => {
  const tokens = parseTokens('right read,runs team-1');
  const ask = async (path: string, authorization?: string): Promise<Response> => {
    const { url } = await openHttp({ tokens });
    return fetch(url + path, authorization === undefined ? {} : { headers: { authorization } });
  };

  it.each([[undefined], ['Bearer wrong'], ['Bearer'], ['Bearer right x'], ['Basic right'], ['right']])(
    'authorization %j is refused everywhere, also where nothing is',
    async (authorization) => {
      for (const path of ['/v1/runs/x', '/nowhere', '/metrics']) {
        const response = await ask(path, authorization);
        expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
        expect(await errorOf(response)).toMatch(/^unauthorized/);
      }
    },
  );

  it.each(['Bearer right', 'bearer  right'])('%j comes in', async (authorization) =>
    expect((await ask('/v1/runs/x', authorization)).status).toBe(404),
  );

  it('leaves health open, and any Host', async () => {
    const { url } = await openHttp({ tokens });
    const answer = await rawRequest(url, 'GET /health HTTP/1.1\r\nhost: any.example\r\nconnection: close\r\n\r\n');
    expect(parseRaw(answer).status).toBe(200);
  });

  it('tells the engine who asks', async () => {
    const { url, engine } = await openHttp({ tokens });
    await (await post(`${url}/v1/runs`, start, { authorization: 'Bearer right' })).text();
    expect(engine.principals).toMatchObject([
      { id: expect.stringMatching(/^token:/), scopes: ['read', 'runs'], resource_id: 'team-1' },
    ]);
  });
});

describe('bytes that are no HTTP', () => {
  it.each([
    ['rubbish', 'rubbish\r\n\r\n', 400],
    ['a TLS hello', Buffer.from('16030100a5010000a1', 'hex'), 400],
    ['a broken header', 'GET / HTTP/1.1\r\nhost: localhost\r\nx y: z\r\n\r\n', 400],
    [
      'two lengths',
      'POST /v1/runs HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab',
      400,
    ],
    [
      'length and chunks',
      'POST /v1/runs HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['endless headers', `GET / HTTP/1.1\r\nhost: localhost\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, 431],
    ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nhost: localhost\r\n\r\n', 405],
    ['an unknown expectation', 'GET /health HTTP/1.1\r\nhost: localhost\r\nexpect: magic\r\n\r\n', 417],
  ])('%s', async (_name, bytes, status) => {
    const { url } = await openHttp();
    const answer = parseRaw(await rawRequest(url, bytes));
    expect(answer.status).toBe(status);
    expect(answer.headers).toContain('content-type: application/json');
    expect(Object.keys(JSON.parse(answer.body.replace(/^[0-9a-f]+\r\n|\r\n0\r\n\r\n$/g, '')) as object)).toEqual([
      'error',
    ]);
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });

  it('rubbish behind a stream does not get into it', async () => {
    const { url, engine } = await openHttp();
    engine.script = () => [];
    const body = JSON.stringify(start);
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write(
      `POST /v1/runs HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    let said = '';
    socket.on('data', (bytes) => {
      if (said === '') socket.write('rubbish\r\n\r\n');
      said += bytes.toString();
    });
    await once(socket, 'close');
    expect(said).toContain('text/event-stream');
    expect(said).not.toContain('malformed');
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });
});
