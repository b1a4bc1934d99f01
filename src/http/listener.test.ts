/** Clients that are slow on purpose, and headers that do not end: their connections are ended, with an answer. */

import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openHttp } from '../../test/support/http-server.js';
import { parseRaw, rawRequest } from '../../test/support/raw-request.js';

const request_limits = { headers_ms: 50, request_ms: 100, header_bytes: 2_048 };

/** A connection that sends a piece and then no more; what it is told until it is ended. */
async function stall(url: string, piece: string): Promise<{ status: number; body: string }> {
  const socket: Socket = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let said = '';
  socket.on('data', (bytes) => (said += bytes.toString()));
  socket.write(piece);
  await once(socket, 'close');
  return parseRaw(said);
}

const timedOut = { status: 408, body: JSON.stringify({ error: 'request timeout' }) };

describe('a connection', () => {
  it.each([
    ['headers', 'GET /v1/runs HTTP/1.1\r\nhost: localhost\r\nx-slow: '],
    ['a request line', 'GET /v1'],
    [
      'a body',
      'POST /v1/runs HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"agentId":',
    ],
  ])('that does not bring the rest of %s is ended with 408', async (_what, piece) => {
    const { url, engine } = await openHttp({ request_limits });
    expect(await stall(url, piece)).toMatchObject(timedOut);
    expect(engine.commands).toEqual([]);
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });

  it('is not ended while its answer goes on', async () => {
    const server = await openHttp({ request_limits });
    server.engine.script = () => [];
    const body = JSON.stringify({ agentId: 'assistant', runId: 'r' });
    const headers = { 'content-type': 'application/json' };
    const stream = await fetch(`${server.url}/v1/runs`, { method: 'POST', headers, body });
    // A stalled connection that came later is ended: the answer that goes on is older than the limit by then.
    await stall(server.url, 'GET /v1');
    server.engine.append('r', ['run_finish', { termination: { code: 'natural', detail: null }, result: null, usage }]);
    expect(await stream.text()).toContain('run_finish');
  });

  it('with headers beyond the limit is ended with 431', async () => {
    const { url } = await openHttp({ request_limits });
    const request = `GET /health HTTP/1.1\r\nhost: localhost\r\nx-long: ${'y'.repeat(4_096)}\r\n\r\n`;
    expect(parseRaw(await rawRequest(url, request))).toMatchObject({
      status: 431,
      body: JSON.stringify({ error: 'request header fields too large' }),
    });
  });
});

const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };
