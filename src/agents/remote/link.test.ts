/** Whom a remote agent's key is told, and what is made of those who do not answer as they should. */

import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { Away, Refused } from './faults.js';
import { Link } from './link.js';

async function site(
  answer: (origin: string) => RequestListener,
): Promise<{ origin: string; seen: IncomingHttpHeaders[] }> {
  const seen: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers);
    answer(origin)(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(() => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return { origin, seen };
}

const card = (url: string) => ({
  name: 'Far',
  supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: '' }],
  capabilities: { streaming: true },
});
const saying = (body: unknown, status = 200, headers = {}) =>
  site((): RequestListener => (_, response) => void response.writeHead(status, headers).end(JSON.stringify(body)));

const link = (url: string, missing?: string) =>
  new Link({
    url,
    headers: () => ({ authorization: 'Bearer s3cret', 'x-team': 'blue' }),
    secret: () => 's3cret',
    missing: () => missing,
  });
const failure = (attempt: Promise<unknown>): Promise<Error> =>
  attempt.then(
    () => Promise.reject(new Error('it was answered')),
    (error: Error) => error,
  );

test('the key goes to the origin that is configured, and not to another one that the card names', async () => {
  const elsewhere = await saying({ jsonrpc: '2.0', id: 1, error: { code: -32001, message: 'no task' } });
  const home = await saying(card(`${elsewhere.origin}/rpc`));
  const { client, name } = await link(home.origin).open();
  expect(name).toBe('Far');
  await failure(client.getTask({ tenant: '', id: 't' }));
  expect(home.seen[0]).toMatchObject({ authorization: 'Bearer s3cret', 'x-team': 'blue' });
  expect(elsewhere.seen[0]!.authorization).toBeUndefined();
  expect(elsewhere.seen[0]!['x-team']).toBeUndefined();
});

test('a redirect is not followed', async () => {
  const home = await saying({}, 302, { location: 'http://127.0.0.1:1/' });
  expect(await failure(link(home.origin).open())).toBeInstanceOf(Refused);
});

test.each([408, 429, 502, 503])('%s may pass', async (status) => {
  const home = await saying({}, status, { 'retry-after': '7' });
  const error = await failure(link(home.origin).open());
  expect(error).toBeInstanceOf(Away);
  expect((error as Away).retry_after_ms).toBe(7_000);
});

test.each([401, 403, 404])('%s does not', async (status) => {
  const home = await saying({ error: 'no s3cret' }, status);
  const error = await failure(link(home.origin).open());
  expect(error).toBeInstanceOf(Refused);
  expect(error.message).not.toContain('s3cret');
});

test.each([
  ['no card at all', 'hello'],
  ['a card without an interface', { name: 'Far', supportedInterfaces: [] }],
  [
    'a card of another kind',
    { name: 'Far', supportedInterfaces: [{ url: 'http://x', protocolBinding: 'GRPC', protocolVersion: '1.0' }] },
  ],
])('%s cannot be used', async (_, body) => {
  expect(await failure(link((await saying(body)).origin).open())).toBeInstanceOf(Refused);
});

test('nothing is asked while the key is not set', async () => {
  const home = await saying(card('http://x'));
  const error = await failure(link(home.origin, 'the environment variable K is not set').open());
  expect(error.message).toBe('the environment variable K is not set');
  expect(home.seen).toEqual([]);
});
