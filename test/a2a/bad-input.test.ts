/**
 * Generated bad input to every route of the surface: it is answered with a documented status and in the form of its
 * notation, nothing of ours shows in it, and the server goes on.
 */

import { expect, it } from 'vitest';
import fc from '../support/property.js';
import { rawRequest } from '../support/raw-request.js';
import { asker, echo, openService, user, type Json } from '../support/service.js';

const RUNS = Number(process.env.BAD_INPUT_COUNT ?? 500);
const STATUSES = [200, 201, 202, 204, 304, 400, 404, 405, 409, 413, 415];

const words = [
  'echo',
  'asker',
  'none',
  'message:send',
  'message:stream',
  'tasks',
  'tasks/x',
  'tasks/x:cancel',
  'tasks/x:subscribe',
  ':cancel',
  'extendedAgentCard',
  'pushNotificationConfigs',
  'agent-card',
  '%2e%2e',
  '%E0%A4',
  '%00',
  '..',
  '',
  'constructor',
  '__proto__',
];
const roots = ['/v1/a2a/agents/', '/v1/a2a/rpc/', '/v1/a2a/rest/', '/v1/a2a/agents', '/.well-known/agent-card.json'];
const real = [
  '/v1/a2a/rpc/echo',
  '/v1/a2a/rpc/echo',
  '/v1/a2a/rpc/asker',
  '/v1/a2a/agents/echo/message:send',
  '/v1/a2a/agents/asker/tasks/x:cancel',
  '/v1/a2a/agents/asker/tasks/x',
  '/v1/a2a/rest/echo/message:send',
  '/v1/a2a/rest/asker/message:stream',
  '/v1/a2a/rest/echo/tasks',
  '/v1/a2a/rest/echo/tasks/x',
  '/v1/a2a/rest/echo/tasks/x:subscribe',
  '/v1/a2a/rest/echo/tasks/x/pushNotificationConfigs',
];
const path = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...real) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...roots), fc.array(fc.constantFrom(...words), { maxLength: 4 }))
      .map(([root, rest]) => root + rest.join('/')),
  },
);

const methods = [
  'SendMessage',
  'SendStreamingMessage',
  'GetTask',
  'ListTasks',
  'CancelTask',
  'SubscribeToTask',
  'GetExtendedAgentCard',
  'CreateTaskPushNotificationConfig',
  'ListTaskPushNotificationConfigs',
  'message/send',
  'message/stream',
  'tasks/get',
  'tasks/cancel',
  'tasks/resubscribe',
  'tasks/pushNotificationConfig/set',
  'agent/getAuthenticatedExtendedCard',
  'toString',
];

const anything = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom(null, '', -1, 1e308, [], {}, 'x'.repeat(300), '\u0000', '\ud800'),
);
const part = fc.oneof(
  anything,
  fc.record({ text: anything }),
  fc.record({ kind: fc.constantFrom('text', 'file', 'data'), text: anything, file: anything, data: anything }),
  fc.record({ raw: anything, mediaType: anything }),
);
/** Most of it right, and some of it wrong. */
const message = fc
  .record(
    {
      messageId: anything,
      contextId: anything,
      taskId: anything,
      role: fc.oneof(anything, fc.constantFrom('user', 'ROLE_USER')),
      parts: fc.oneof(anything, fc.array(part, { maxLength: 3 })),
      content: anything,
      metadata: anything,
    },
    { requiredKeys: [] },
  )
  .map((wrong) => ({ messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }], ...wrong }));

const params = fc.oneof(
  anything,
  fc.record(
    {
      message: fc.oneof(anything, message),
      configuration: anything,
      id: anything,
      taskId: anything,
      input: anything,
      decisions: anything,
      historyLength: anything,
      pageSize: anything,
      pageToken: anything,
      tenant: anything,
      url: anything,
      pushNotificationConfig: anything,
    },
    { requiredKeys: [] },
  ),
);
const call = fc.record(
  {
    jsonrpc: fc.oneof({ weight: 5, arbitrary: fc.constant('2.0') }, { weight: 1, arbitrary: anything }),
    id: anything,
    method: fc.oneof(fc.constantFrom(...methods), anything),
    params,
  },
  { requiredKeys: [] },
);
const deep = fc.integer({ min: 50, max: 20_000 }).map((n) => '['.repeat(n) + ']'.repeat(n));
const body = fc.oneof(
  fc.oneof(params, call).map((value) => JSON.stringify(value)),
  fc.string({ unit: 'binary' }),
  deep.map(
    (text) =>
      `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","parts":[{"data":${text}}]}}}`,
  ),
  fc.constantFrom('', '{', 'null', '[]', '"x"', '{"__proto__":{"polluted":true}}'),
);
const header = fc.oneof(
  fc.tuple(fc.constant('a2a-version'), fc.constantFrom('1.0', '0.3', '2', '')),
  fc.tuple(fc.constant('content-type'), fc.constantFrom('application/json', 'application/a2a+json', 'text/plain', 'x')),
  fc.tuple(
    fc.constantFrom('last-event-id', 'if-none-match', 'idempotency-key', 'a2a-extensions'),
    fc.stringMatching(/^[\x21-\x7e]{0,20}$/),
  ),
);

const verb = fc.constantFrom('POST', 'POST', 'POST', 'GET', 'GET', 'DELETE', 'PUT', 'HEAD');
const request = fc.tuple(
  verb,
  path,
  fc.oneof(fc.constant(''), fc.webQueryParameters()),
  fc.array(header, { maxLength: 3 }),
  body,
);

const OF_OURS = /\n\s+at |node_modules|\/src\/|\.ts:\d|Cannot read|is not a function/;

function faultIn(at: string, method: string, status: number, text: string): string | undefined {
  if (!STATUSES.includes(status)) return `status ${status}: ${text.slice(0, 200)}`;
  if (OF_OURS.test(text)) return `it says too much: ${text.slice(0, 300)}`;
  if (status < 400 || method === 'HEAD') return undefined;
  const { error } = JSON.parse(text) as { error?: unknown };
  const isOurs = typeof error === 'string' && error !== '';
  const isProtocol = typeof error === 'object' && error !== null && 'message' in error;
  const own = at.startsWith('/v1/a2a/rpc/') || at.startsWith('/v1/a2a/rest/');
  return isOurs || (own && isProtocol) ? undefined : `no error: ${text.slice(0, 200)}`;
}

it(`${RUNS} bad requests are answered as documented`, { timeout: 600_000 }, async () => {
  const service = await openService({ agents: [echo(), asker()], http: { body_limit: '64kb' } });
  const seen = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(request, async ([method, at, query, headers, text]) => {
      const bytes = Buffer.from(method === 'GET' || method === 'HEAD' ? '' : text);
      const fields = Object.fromEntries([['content-type', 'application/json'], ...headers]) as Record<string, string>;
      const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
      const target = `${at}${query === '' ? '' : `?${query}`}`;
      const lines = [
        `${method} ${target} HTTP/1.1`,
        'host: localhost',
        'connection: close',
        `content-length: ${bytes.length}`,
        ...head,
      ];
      const said = await rawRequest(
        service.url,
        Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), bytes]),
        /text\/event-stream/,
      );
      const status = Number(/^HTTP\/1.1 (\d+)/.exec(said)?.[1]);
      seen.set(status, (seen.get(status) ?? 0) + 1);
      if (/^content-type: text\/event-stream/im.test(said)) return;
      const answer = Buffer.from(said.slice(said.indexOf('\r\n\r\n') + 4), 'latin1').toString();
      expect(faultIn(at, method, status, answer), target).toBeUndefined();
    }),
    { numRuns: RUNS },
  );
  if (process.env.BAD_INPUT_COUNT) console.log(Object.fromEntries(seen));
  expect([...seen.keys()]).toEqual(expect.arrayContaining([200, 400, 404, 405]));
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  const sent = await service.call<Json>('POST', '/v1/a2a/agents/echo/message:send', { input: 'still there?' });
  expect(sent.status).toBe(202);
  expect(await service.run({ agentId: 'echo', messages: [user('and here?')] })).toMatchObject({ status: 'done' });
});
