/** The feed against a server that cuts, ends, refuses and falls silent, on a real socket. */

import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { interrupted } from './errors.js';
import { ExitCode } from './exit-codes.js';
import { openFeed, type FeedOptions, type FeedStatus } from './feed.js';

type Visit = { after: string | undefined; res: ServerResponse };

/** Answers the nth request with the nth handler, the last one for all further ones. */
async function serve(...handlers: ((visit: Visit) => void)[]) {
  const visits: Visit[] = [];
  const server = createServer((req, res) => {
    const visit = { after: req.headers['last-event-id'] as string | undefined, res };
    visits.push(visit);
    handlers[Math.min(visits.length, handlers.length) - 1]!(visit);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { visits, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const stream = (res: ServerResponse, ...ids: number[]): ServerResponse => {
  if (!res.headersSent) res.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  for (const id of ids) res.write(`id: ${id}\ndata: {"n":${id}}\n\n`);
  return res;
};

const refuse = (res: ServerResponse, status: number, error: string): void => {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
};

/** Reads until the frame `last`; at once, whatever the attempt. */
async function read(url: string, last: number, options: FeedOptions = {}) {
  const states: FeedStatus[] = [];
  const seen: number[] = [];
  const onStatus = (status: FeedStatus): void => void states.push(status);
  for await (const { data } of openFeed<{ n: number }>({ url, token: null }, '/feed', {
    delay: () => 0,
    onStatus,
    ...options,
  })) {
    seen.push(data.n);
    if (data.n === last) break;
  }
  return { seen, states: states.map(({ is }) => is) };
}

describe('a feed', () => {
  afterEach(() => void vi.useRealTimers());

  it('goes on behind the last frame after a cut and after an end', async () => {
    const { url, visits } = await serve(
      ({ res }) => stream(res, 0, 1).write('id: 2\ndata: {"n"', () => res.destroy()),
      ({ res }) => stream(res, 2).end(),
      ({ res }) => stream(res, 3),
    );
    const { seen, states } = await read(url, 3);
    expect(seen).toEqual([0, 1, 2, 3]);
    expect(visits.map(({ after }) => after)).toEqual([undefined, '1', '2']);
    expect(states.filter((is) => is === 'retrying')).toHaveLength(2);
  });

  it('begins behind the frame it is told', async () => {
    const { url, visits } = await serve(({ res }) => stream(res, 8));
    await read(url, 8, { lastEventId: '7' });
    expect(visits[0]!.after).toBe('7');
  });

  it('is refused by what answers something else than a stream', async () => {
    const { url, visits } = await serve(
      ({ res }) => void res.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
    );
    await expect(read(url, 0)).rejects.toMatchObject({
      exitCode: ExitCode.failed,
      message: `${url} answered no event stream`,
    });
    expect(visits).toHaveLength(1);
  });

  it('closes its connection when the reader leaves', async () => {
    const { url, visits } = await serve(({ res }) => stream(res, 0));
    await read(url, 0);
    const { res } = visits[0]!;
    if (!res.closed) await once(res, 'close');
    expect(visits).toHaveLength(1);
  });

  it('gives up a connection on which nothing comes, keep-alives count', async () => {
    const { url } = await serve(
      ({ res }) => stream(res, 0).write(': keep-alive\n\n'),
      ({ res }) => stream(res, 1),
    );
    expect((await read(url, 1, { silenceMs: 50 })).seen).toEqual([0, 1]);
  });

  it('does not take a reader who takes his time for a server that is silent', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { url, visits } = await serve(({ res }) => stream(res, 0));
    const seen: number[] = [];
    for await (const { data } of openFeed<{ n: number }>({ url, token: null }, '/feed')) {
      seen.push(data.n);
      if (data.n === 1) break;
      vi.advanceTimersByTime(3_600_000);
      stream(visits[0]!.res, 1);
    }
    expect(seen).toEqual([0, 1]);
    expect(visits).toHaveLength(1);
  });

  it('reads what came while it was stopped itself before it says that nothing did', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { url, visits } = await serve(({ res }) => stream(res, 0));
    const feed = openFeed<{ n: number }>({ url, token: null }, '/feed');
    await feed.next();
    const next = feed.next();
    setImmediate(() => {
      stream(visits[0]!.res, 1);
      vi.advanceTimersByTime(3_600_000);
    });
    expect((await next).value).toMatchObject({ id: '1' });
    await feed.return(undefined);
    expect(visits).toHaveLength(1);
  });

  it('asks again when the server cannot at the moment', async () => {
    const { url } = await serve(
      ({ res }) => refuse(res, 500, 'run service is not initialised'),
      ({ res }) => refuse(res, 429, 'too many readers'),
      ({ res }) => stream(res, 0),
    );
    expect(await read(url, 0)).toEqual({
      seen: [0],
      states: ['connecting', 'retrying', 'connecting', 'retrying', 'connecting', 'connected'],
    });
  });

  it('does not ask again when it was refused for good', async () => {
    const { url, visits } = await serve(({ res }) => refuse(res, 404, 'run not found: r'));
    await expect(read(url, 0)).rejects.toMatchObject({ exitCode: ExitCode.notFound, message: 'run not found: r' });
    expect(visits).toHaveLength(1);
  });

  it('counts attempts from the last frame', async () => {
    const waits: number[] = [];
    const { url } = await serve(
      ({ res }) => refuse(res, 503, 'no'),
      ({ res }) => refuse(res, 503, 'no'),
      ({ res }) => stream(res, 0).end(),
      ({ res }) => stream(res, 1),
    );
    await read(url, 1, { delay: (attempt) => (waits.push(attempt), 0) });
    expect(waits).toEqual([1, 2, 1]);
  });

  it('must find its server at first when asked to', async () => {
    const { url } = await serve(({ res }) => res.destroy());
    await expect(read(url, 0, { retry: 'once-connected' })).rejects.toMatchObject({ exitCode: ExitCode.unreachable });
  });

  it('ends with the reason of the signal, also while it waits', async () => {
    const { url } = await serve(({ res }) => refuse(res, 503, 'no'));
    const controller = new AbortController();
    const onStatus = ({ is }: FeedStatus): void => {
      if (is === 'retrying') queueMicrotask(() => controller.abort(interrupted()));
    };
    await expect(read(url, 0, { signal: controller.signal, onStatus, delay: () => 3_600_000 })).rejects.toMatchObject({
      exitCode: ExitCode.interrupted,
    });
  });
});
