/** The HTTP layer on a real socket in this process, in front of a fake engine. Closed when the test is over. */

import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { HttpServer, type HttpServerOptions } from '../../src/http/server.js';
import { FakeEngine } from './fake-engine.js';

export type TestServer = { server: HttpServer; engine: FakeEngine; url: string; log: string[] };

export async function openHttp(
  options: Partial<HttpServerOptions> = {},
  engine = new FakeEngine(),
): Promise<TestServer> {
  const log: string[] = [];
  const logger = pino({ level: 'debug' }, { write: (line: string) => void log.push(line) });
  const server = new HttpServer({ openEngine: async () => engine, logger, ...options });
  onTestFinished(() => server.close());
  return { server, engine, log, url: await server.listen() };
}

/** A JSON request; `body` is sent as it is when it is a text. */
export function post(url: string, body: unknown = {}, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** How many event streams a server has open, as its metrics say; compared with `expect.poll`. */
export async function openStreams(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return Number(/^agent_server_sse_readers (\d+)$/m.exec(metrics)![1]);
}
