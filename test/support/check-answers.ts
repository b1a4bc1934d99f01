/**
 * Set up for every test file: every answer that a server of ours gives in the process of the test, to whatever client, is
 * compared with the document (`GET /openapi.json`); a test during which one differed has failed.
 *
 * Seen where it leaves, at node's own server, so no test has to say anything. An answer is ours when it carries
 * `x-request-id` and depends on the origin. Of an event stream the first 256 kB are looked at, also when its client has left.
 */

import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, afterEach } from 'vitest';
import type { GivenAnswer } from './documented.js';

const LIMIT = 256 * 1024;
let given: GivenAnswer[] = [];

subscribe('http.server.request.start', (message) => {
  const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
  const pieces: Buffer[] = [];
  let length = 0;
  const keep = (piece: unknown): void => {
    const isLong = length > LIMIT && String(response.getHeader('content-type')).startsWith('text/event-stream');
    if (isLong || (typeof piece !== 'string' && !(piece instanceof Uint8Array))) return;
    length += pieces[pieces.push(Buffer.from(piece as string)) - 1]!.length;
  };
  const { write, end } = response;
  response.write = function (this: ServerResponse, ...args: unknown[]) {
    keep(args[0]);
    return write.apply(this, args as never);
  } as typeof write;
  response.end = function (this: ServerResponse, ...args: unknown[]) {
    keep(args[0]);
    return end.apply(this, args as never);
  } as typeof end;
  response.once('close', () => {
    if (!response.headersSent || !isOurs(response)) return;
    const { method = '', url = '' } = request;
    const type = String(response.getHeader('content-type') ?? '');
    const isWhole = response.writableFinished || type.startsWith('text/event-stream');
    if (isWhole) given.push({ method, url, status: response.statusCode, type, body: Buffer.concat(pieces).toString() });
  });
});

/** Servers that stand in for models have request ids too; none of them looks at origins. */
const isOurs = (response: ServerResponse): boolean =>
  response.hasHeader('x-request-id') && String(response.getHeader('vary')).includes('Origin');

async function compare(): Promise<void> {
  if (given.length === 0) return;
  const answers = given;
  given = [];
  const { faultOf } = await import('./documented.js');
  const faults = answers.flatMap((answer) => faultOf(answer) ?? []);
  if (faults.length > 0) throw new Error(`not as documented:\n${[...new Set(faults)].slice(0, 5).join('\n')}`);
}

afterEach(compare);
afterAll(compare);
