/** Whatever is sent, a documented status and `{"error"}` come back, and the server stays up (QUALITY, promise 8). */

import { describe, expect, it } from 'vitest';
import fc, { inputs } from '../../test/support/property.js';
import { openHttp, post, type TestServer } from '../../test/support/http-server.js';
import { parseRaw, rawRequest } from '../../test/support/raw-request.js';

/** Inputs per test. */
const RUNS = inputs(300);

const DOCUMENTED = new Set([400, 403, 404, 405, 409, 413, 415, 417, 421, 429, 431]);

/** Values that are wrong nearly everywhere. */
const odd = fc.oneof(
  fc.constantFrom(null, true, 0, -1, 1.5, 1e308, '', ' ', '\u0000', 'x'.repeat(300), [], {}, [[]], [null], {
    a: { b: [] },
  }),
  fc.string({ unit: 'binary' }),
  fc.jsonValue(),
);
const fields = ['agentId', 'agent_id', 'threadId', 'runId', 'taskId', 'parentRunId', 'resourceId', 'state', 'messages'];
const moreFields = [
  'decisions',
  'initial_decisions',
  'on_busy',
  'onBusy',
  'on_disconnect',
  'metadata',
  '__proto__',
  'x',
];
const oddBody = fc.oneof(
  fc.dictionary(fc.constantFrom(...fields, ...moreFields), odd, { maxKeys: 6 }).map((body) => JSON.stringify(body)),
  fc
    .record({
      agentId: fc.constant('assistant'),
      messages: fc.array(fc.oneof(odd, fc.record({ role: odd, content: odd }))),
    })
    .map((body) => JSON.stringify(body)),
  fc.jsonValue().map((value) => JSON.stringify(value)),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '{',
    '{"a":1}}',
    '[',
    '"',
    '{"agentId":"a",}',
    '\ufeff{}',
    'null',
    '['.repeat(5000),
    '{"a":'.repeat(5000),
  ),
);
const contentType = fc.oneof(
  { weight: 6, arbitrary: fc.constant('application/json') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      'text/plain',
      'application/json; charset=utf-7',
      'application/',
      '/',
      'multipart/form-data',
      ';;;',
    ),
  },
);

const segment = fc.oneof(
  fc.constantFrom(
    'v1',
    'v2',
    'runs',
    'events',
    'cancel',
    'inputs',
    '..',
    '.',
    '%2e%2e',
    '%00',
    '%',
    '%ZZ',
    '%ff',
    '*',
    '',
    'a'.repeat(300),
  ),
  fc.string({ unit: 'grapheme' }).map(encodeURIComponent),
);
const path = fc.oneof(
  fc.array(segment, { maxLength: 5 }).map((parts) => `/${parts.join('/')}`),
  segment.map((id) => `/v1/runs/${id}`),
  segment.map((id) => `/v1/runs/${id}/events`),
  segment.map((id) => `/v1/runs/${id}/cancel`),
  segment.map((id) => `/v1/runs/${id}/inputs`),
  fc.constant('/v1/runs'),
);
const query = fc.oneof(
  fc.constant(''),
  fc
    .array(fc.tuple(fc.constantFrom('after', 'limit', 'format', 'x'), fc.string().map(encodeURIComponent)), {
      maxLength: 3,
    })
    .map((pairs) => `?${pairs.map((pair) => pair.join('=')).join('&')}`),
);
const method = fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'PROPFIND', 'OPTIONS');
const header = fc.constantFrom<[string, string]>(
  ['last-event-id', '-1'],
  ['last-event-id', 'x'],
  ['last-event-id', '9'.repeat(40)],
  ['accept', ';;q=,'],
  ['accept', 'application/json'],
  ['accept', '*'],
  ['prefer', 'respond-async;;'],
  ['x-request-id', '\u00ff'],
  ['idempotency-key', ''],
  ['idempotency-key', '\u00ff'],
  ['content-encoding', 'gzip'],
  ['content-encoding', 'br, zip'],
  ['origin', 'http://[::'],
  ['authorization', 'Bearer'],
);

async function assertAlive({ url }: TestServer): Promise<void> {
  expect((await fetch(`${url}/health`)).status).toBe(200);
}

/** What a request that a client library would send is answered with. */
async function assertDocumented(response: Response): Promise<void> {
  const text = await response.text();
  if (response.status < 300) return;
  expect(DOCUMENTED).toContain(response.status);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  const body = JSON.parse(text) as { error: unknown };
  expect(Object.keys(body)).toEqual(['error']);
  expect(body.error).toMatch(/./);
  expect(body.error).not.toMatch(/node_modules|\.ts\b|\.js\b/);
}

describe('bad input', () => {
  it.each(['/v1/runs', '/v1/runs/r/inputs'])('in the body of POST %s', async (route) => {
    const server = await openHttp({ body_limit: '8kb' });
    await (await post(`${server.url}/v1/runs`, { agentId: 'assistant', runId: 'r' })).text();
    await fc.assert(
      fc.asyncProperty(oddBody, contentType, async (body, type) => {
        const init = { method: 'POST', headers: { 'content-type': type }, body };
        await assertDocumented(await fetch(server.url + route, init));
      }),
      { numRuns: RUNS },
    );
    await assertAlive(server);
  });

  it('in method, path, query and headers', async () => {
    const server = await openHttp({ body_limit: '8kb' });
    await fc.assert(
      fc.asyncProperty(
        method,
        path,
        query,
        fc.array(header, { maxLength: 3 }),
        oddBody,
        async (method, path, query, headers, body) => {
          const hasBody = method !== 'GET' && method !== 'OPTIONS';
          const init = { method, headers: [['content-type', 'application/json'], ...headers] as [string, string][] };
          await assertDocumented(await fetch(server.url + path + query, hasBody ? { ...init, body } : init));
        },
      ),
      { numRuns: RUNS },
    );
    await assertAlive(server);
  });

  it('as bytes on the socket', async () => {
    const server = await openHttp();
    const line = fc.constantFrom(
      'GET /health HTTP/1.1',
      'POST /v1/runs HTTP/1.1',
      'GET  / HTTP/1.1',
      'get / http/1.1',
      'GET / HTTP/9.9',
      '\u0000',
    );
    const field = fc.oneof(
      fc.constantFrom(
        'host: localhost',
        'content-length: -1',
        'content-length: 5',
        'transfer-encoding: chunked',
        ': x',
        'a b: c',
        ' folded',
        'connection: close',
      ),
      fc.string({ unit: 'binary' }),
    );
    const bytes = fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 200 }).map((array) => Buffer.from(array)),
      fc
        .tuple(line, fc.array(field, { maxLength: 4 }), fc.string())
        .map(([first, rest, body]) => Buffer.from(`${[first, ...rest].join('\r\n')}\r\n\r\n${body}`)),
    );
    const rubbish = Buffer.from(`\r\n\r\n${'\0'.repeat(64)}\r\n\r\n`);
    await fc.assert(
      fc.asyncProperty(bytes, async (sent) => {
        // Whatever was begun, the rubbish ends it: the server must answer and hang up, not wait.
        const said = await rawRequest(server.url, Buffer.concat([sent, rubbish]));
        const { status, body } = parseRaw(said);
        if (said === '' || status < 300) return;
        expect(DOCUMENTED).toContain(status);
        expect(body).toMatch(/\{"error":".+"\}/);
      }),
      { numRuns: RUNS },
    );
    await assertAlive(server);
  });
});
