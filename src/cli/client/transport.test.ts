import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Client } from './client.js';
import { CliError, interrupted } from './errors.js';
import { ExitCode } from './exit-codes.js';
import { request } from './transport.js';

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const answering = (status: number, body: string): Promise<string> =>
  serve((_req, res) => void res.writeHead(status).end(body));

describe('a request', () => {
  it('carries query, body, token and reason', async () => {
    const seen: unknown[] = [];
    const url = await serve((req, res) => {
      const { authorization, 'x-operator-reason': reason, 'content-type': type } = req.headers;
      seen.push(req.method, req.url, authorization, reason, type);
      req.on('data', (bytes: Buffer) => seen.push(bytes.toString())).on('end', () => res.end('{"ok":true}'));
    });
    const options = { query: { a: 'x&y', b: undefined }, body: { c: 1 }, reason: 'läuft Amok' };
    expect(await request({ url: `${url}/base`, token: 'secret' }, 'POST', '/v1/x', options)).toEqual({ ok: true });
    expect(seen).toEqual([
      'POST',
      '/base/v1/x?a=x%26y',
      'Bearer secret',
      'l%C3%A4uft%20Amok',
      'application/json',
      '{"c":1}',
    ]);
  });

  it('has no value when the answer has no body', async () => {
    const url = await answering(204, '');
    expect(await request({ url, token: null }, 'DELETE', '/x')).toBeUndefined();
  });

  it.each([
    [400, 'bad request: limit: expected an integer', ExitCode.usage],
    [400, 'run is not active', ExitCode.conflict],
    [401, 'unauthorized', ExitCode.notAllowed],
    [403, 'forbidden', ExitCode.notAllowed],
    [404, 'run not found: x', ExitCode.notFound],
    [409, 'thread is busy: x', ExitCode.conflict],
    [410, 'events expired', ExitCode.notFound],
    [413, 'too large', ExitCode.usage],
    [421, 'misdirected request', ExitCode.notAllowed],
    [429, 'too many', ExitCode.failed],
    [500, 'internal error', ExitCode.failed],
    [500, 'run service is not initialised', ExitCode.unreachable],
    [503, 'storage unavailable', ExitCode.failed],
  ])('that is answered %i %s ends with exit code %i', async (status, message, exitCode) => {
    const url = await answering(status, JSON.stringify({ error: message }));
    await expect(request({ url, token: null }, 'GET', '/x')).rejects.toMatchObject({ status, message, exitCode });
  });

  it('answered by something that is not this server says its status', async () => {
    const url = await answering(502, '<html>');
    await expect(request({ url, token: null }, 'GET', '/x')).rejects.toMatchObject({
      message: 'the server answered 502 Bad Gateway',
      exitCode: ExitCode.unreachable,
    });
    const odd = await answering(200, '<html>');
    await expect(request({ url: odd, token: null }, 'GET', '/x')).rejects.toMatchObject({ exitCode: ExitCode.failed });
  });

  it.each(['null', '[]'])('answered %s is not of this server', async (body) => {
    const url = await answering(200, body);
    await expect(request({ url, token: null }, 'GET', '/x')).rejects.toMatchObject({
      exitCode: ExitCode.failed,
      hint: 'is it an agent-server?',
    });
  });

  it.each(['', '.', '..'])('about the id %j goes nowhere: its path would be that of something else', async (id) => {
    const asked: (string | undefined)[] = [];
    const url = await serve((req, res) => void res.end(asked.push(req.url)));
    const client = new Client({ url, token: null });
    const requests = [client.cancelEntry('t', id), client.deleteThread(id), client.run(id), client.events(id, {})];
    for (const { status, reason } of (await Promise.allSettled(requests)) as PromiseRejectedResult[])
      expect([status, reason]).toMatchObject(['rejected', { exitCode: ExitCode.usage }]);
    expect(asked).toEqual([]);
  });

  it('is bounded, and ends with the reason of its signal', async () => {
    const url = await serve(() => {});
    const target = { url, token: null };
    await expect(request(target, 'GET', '/x', { timeoutMs: 20 })).rejects.toMatchObject({ exitCode: ExitCode.timeout });
    await expect(request(target, 'GET', '/x', { signal: AbortSignal.abort(interrupted()) })).rejects.toMatchObject({
      exitCode: ExitCode.interrupted,
    });
  });

  it('on a connection that the server has closed meanwhile is asked anew, if it only reads', async () => {
    const visits: string[] = [];
    const used = new WeakSet<object>();
    const url = await serve((req, res) => {
      visits.push(req.method!);
      if (used.has(req.socket) || req.method === 'POST') return void req.socket.destroy();
      used.add(req.socket);
      res.end('{}');
    });
    const target = { url, token: null };
    for (const _ of [1, 2]) expect(await request(target, 'GET', '/x')).toEqual({});
    await expect(request(target, 'POST', '/x')).rejects.toMatchObject({
      exitCode: ExitCode.unreachable,
      message: `cannot reach ${url}: the connection was cut`,
    });
    expect(visits).toEqual(['GET', 'GET', 'GET', 'POST']);
  });

  it('in TLS to a server without it says so in words', async () => {
    const url = (await answering(200, '{}')).replace('http:', 'https:');
    await expect(request({ url, token: null }, 'GET', '/x')).rejects.toMatchObject({
      exitCode: ExitCode.unreachable,
      message: `cannot reach ${url}: TLS could not be agreed on; is it http:// there?`,
    });
  });

  it('nobody answers says who and why', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.close();
    await once(server, 'close');
    const fault = await request({ url, token: null }, 'GET', '/x').catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(CliError);
    expect(fault).toMatchObject({
      exitCode: ExitCode.unreachable,
      message: `cannot reach ${url}: connection refused`,
    });
  });
});
