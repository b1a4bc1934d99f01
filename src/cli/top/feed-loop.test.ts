import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { Client } from '../client/index.js';
import { FeedLoop } from './feed-loop.js';
import { eventually } from '../../../test/support/eventually.js';

afterEach(() => void vi.useRealTimers());

it('notices within ten seconds that a server which tells its pulse every second has frozen', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const server = createServer((_, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write('data: {"type":"stats"}\n\n');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = new AbortController();
  onTestFinished(() => {
    stop.abort();
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const told: string[] = [];
  const loop = new FeedLoop({
    client: new Client({ url, token: null }),
    signal: stop.signal,
    onFrame: ({ type }) => void told.push(type),
    onStatus: (status) => void told.push(status.is === 'retrying' ? status.error.message : status.is),
    onFill: () => {},
  });
  void loop.run();
  await eventually(() => expect(told).toEqual(['connecting', 'connected', 'stats']));
  vi.advanceTimersByTime(10_000);
  await eventually(() => expect(told.at(-1)).toBe(`timed out: ${url} has gone silent`));
});
