/** The event streams of the process as a network sees them: slow readers, readers that leave, silence, shutdown. */

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { say } from '../../test/support/fake-engine.js';
import { openHttp, post, type TestServer } from '../../test/support/http-server.js';
import { collectSse, readSse } from '../../test/support/sse-client.js';
import { parseTokens } from './tokens.js';

const start = { agentId: 'assistant', runId: 'r' };
const async = { prefer: 'respond-async' };

/** A run that has begun and says nothing yet. */
async function openRun(server: TestServer, body: object = start): Promise<string> {
  server.engine.script = () => [say.start()];
  await post(`${server.url}/v1/runs`, body, async);
  return `${server.url}/v1/runs/r/events`;
}

/** A client that has asked for the stream and reads nothing until told to. */
async function lazyReader(url: string): Promise<Socket> {
  const { port, pathname } = new URL(url);
  const socket = connect({ port: Number(port), host: '127.0.0.1' });
  onTestFinished(() => void socket.destroy());
  socket.pause();
  socket.write(`GET ${pathname} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`);
  await once(socket, 'connect');
  return socket;
}

describe('slow readers', () => {
  it('are waited for: nothing is pulled while they do not read, nothing is lost when they do', async () => {
    const server = await openHttp();
    const { engine } = server;
    const events = await openRun(server);
    const slow = await lazyReader(events);
    await expect.poll(() => engine.readers('r').length).toBe(1);
    const [stuck] = engine.readers('r') as unknown as { pulls: number }[];
    // 32 MB: more than twice what all the buffers of a loopback connection hold. The other reader's end proves that time went by.
    const chunks = 160;
    const fast = collectSse(events);
    await expect.poll(() => engine.readers('r').length).toBe(2);
    for (let i = 0; i < chunks; i++) engine.append('r', say.text('x'.repeat(200_000)));
    engine.append('r', say.finish());
    expect(await fast).toHaveLength(chunks + 2);
    expect(stuck!.pulls).toBeLessThan(chunks / 2);

    let ids = '';
    let rest = '';
    slow.on('data', (bytes) => {
      const lines = (rest + bytes.toString('latin1')).split('\n');
      rest = lines.pop()!;
      for (const line of lines) ids += /^id: (\d+)$/.exec(line)?.[1]?.concat(' ') ?? '';
    });
    slow.resume();
    await once(slow, 'end');
    expect(ids.trim().split(' ').map(Number)).toEqual([...Array(chunks + 2).keys()]);
  });

  it('get no keep-alives on top of what they have not read', async () => {
    const clock = manualTimers();
    const server = await openHttp({ timers: clock });
    const events = await openRun(server);
    const slow = await lazyReader(events);
    await expect.poll(() => server.engine.readers('r').length).toBe(1);
    for (let i = 0; i < 160; i++) server.engine.append('r', say.text('x'.repeat(200_000)));
    await collectFirst(events, 161);
    for (let i = 0; i < 100; i++) clock.fire();
    let comments = 0;
    let seen = 0;
    slow.on('data', (bytes) => {
      const text = bytes.toString('latin1');
      comments += text.split(': keep-alive').length - 1;
      seen += text.split('\nid: ').length - 1;
      if (text.includes('\nid: 160\n')) slow.destroy();
    });
    slow.resume();
    await once(slow, 'close');
    expect(seen).toBeGreaterThan(100);
    expect(comments).toBe(0);
  });
});

async function rest(frames: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of frames);
}

async function collectFirst(url: string, count: number): Promise<void> {
  let seen = 0;
  for await (const _ of readSse(url)) if (++seen === count) return;
}

function manualTimers() {
  const fires = new Set<() => void>();
  return {
    fire: () => fires.forEach((fire) => fire()),
    setInterval(fire: () => void): { fire: () => void; unref?(): unknown } {
      fires.add(fire);
      return { fire };
    },
    clearInterval: (timer: unknown) => void fires.delete((timer as { fire: () => void }).fire),
  };
}

describe('silence', () => {
  it('is broken by comments, also before the first event', async () => {
    const clock = manualTimers();
    const server = await openHttp({ timers: clock });
    server.engine.script = () => [];
    await post(`${server.url}/v1/runs`, start, async);
    const comments: string[] = [];
    const response = await fetch(`${server.url}/v1/runs/r/events`);
    expect(response.status).toBe(200);
    const frames = collectSse(response, { onComment: (text) => void comments.push(text) });
    for (let i = 0; i < 30; i++) clock.fire();
    server.engine.append('r', say.start(), say.finish());
    expect(await frames).toHaveLength(2);
    expect(comments).toEqual(['keep-alive', 'keep-alive']);
  });

  it('ends with an event', async () => {
    const clock = manualTimers();
    const server = await openHttp({ timers: clock });
    const events = await openRun(server);
    const comments: string[] = [];
    let seen = 0;
    for await (const _ of readSse(events, { onComment: (text) => void comments.push(text) })) {
      for (let i = 0; i < 14; i++) clock.fire();
      if (++seen < 10) server.engine.append('r', say.text('x'));
      else server.engine.append('r', say.finish());
      if (seen === 11) break;
    }
    expect(comments).toEqual([]);
  });
});

describe('a stream that has ended and is not delivered yet', () => {
  it('gets nothing behind its end', async () => {
    const clock = manualTimers();
    const server = await openHttp({ timers: clock });
    const slow = await lazyReader(await openRun(server));
    await expect.poll(() => server.engine.readers('r').length).toBe(1);
    server.engine.append('r', say.finish('x'.repeat(32_000_000)));
    await expect.poll(() => server.engine.readers('r').length).toBe(0);
    expect(server.server.streams).toBe(1);
    for (let i = 0; i < 100; i++) clock.fire();
    let end = '';
    slow.on('data', (bytes) => (end = (end + bytes.toString('latin1')).slice(-30)));
    slow.resume();
    await once(slow, 'end');
    expect(end).toMatch(/\}\n\n\r\n0\r\n\r\n$/);
    await expect.poll(() => server.server.streams).toBe(0);
  });
});

describe('readers that leave', () => {
  it('are forgotten, and stop nothing (CONTRACT 1.8)', async () => {
    const server = await openHttp();
    const events = await openRun(server);
    for (let i = 0; i < 5; i++) for await (const _ of readSse(events)) break;
    await expect.poll(() => server.engine.readers('r').length).toBe(0);
    await expect.poll(() => server.server.streams).toBe(0);
    expect(server.engine.commands.map(({ type }) => type)).toEqual(['start']);
    expect(server.log.map((line) => JSON.parse(line) as { level: number }).filter(({ level }) => level >= 40)).toEqual(
      [],
    );
  });

  it('are forgotten while they are waited for', async () => {
    const server = await openHttp();
    const slow = await lazyReader(await openRun(server));
    await expect.poll(() => server.engine.readers('r').length).toBe(1);
    for (let i = 0; i < 160; i++) server.engine.append('r', say.text('x'.repeat(200_000)));
    slow.destroy();
    await expect.poll(() => server.engine.readers('r').length).toBe(0);
  });

  it.each([['on_disconnect'], ['onDisconnect']])('cancel their run when %s says so', async (alias) => {
    const { url, engine } = await openHttp();
    engine.script = () => [say.start()];
    for await (const _ of readSse(await post(`${url}/v1/runs`, { ...start, [alias]: 'cancel' }))) break;
    await expect
      .poll(() => engine.commands.at(-1))
      .toEqual({
        type: 'cancel',
        run_id: 'r',
        detail: 'client disconnected',
      });
  });

  it('cancel it too when they waited for the outcome', async () => {
    const { url, engine } = await openHttp();
    engine.script = () => [say.start()];
    const leave = new AbortController();
    const answer = fetch(`${url}/v1/runs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ ...start, on_disconnect: 'cancel' }),
      signal: leave.signal,
    });
    await expect.poll(() => engine.commands.length).toBe(1);
    await expect.poll(() => engine.readers('r').length).toBe(1);
    leave.abort();
    await expect(answer).rejects.toThrow();
    await expect.poll(() => engine.commands.at(-1)?.type).toBe('cancel');
    expect(engine.readers('r')).toEqual([]);
  });

  it('cancel nothing when they have seen the end', async () => {
    const { url, engine } = await openHttp();
    await collectSse(await post(`${url}/v1/runs`, { ...start, on_disconnect: 'cancel' }));
    engine.script = () => [say.start(), say.waiting()];
    await collectSse(await post(`${url}/v1/runs`, { ...start, runId: 'r2', on_disconnect: 'cancel' }));
    expect(engine.commands.map(({ type }) => type)).toEqual(['start', 'start']);
  });

  it('before their run was accepted: it runs, or is cancelled when they asked for that', async () => {
    const { url, engine } = await openHttp();
    engine.script = () => [say.start()];
    const leave = new AbortController();
    let accept = (): void => {};
    engine.before = () => new Promise((resolve) => (accept = resolve));
    const answer = fetch(`${url}/v1/runs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', connection: 'close' },
      body: JSON.stringify({ ...start, on_disconnect: 'cancel' }),
      signal: leave.signal,
    });
    await expect.poll(() => engine.commands.length).toBe(1);
    leave.abort();
    await expect(answer).rejects.toThrow();
    // The server has noticed when it has served somebody who came later.
    await fetch(`${url}/health`);
    accept();
    await expect.poll(() => engine.commands.at(-1)?.type).toBe('cancel');
    await expect.poll(() => engine.readers('r').length).toBe(0);
  });
});

describe('too many readers', () => {
  it('are refused before anything is started', async () => {
    const server = await openHttp({ sse: { max_readers: 1 } });
    const events = await openRun(server);
    const first = readSse(events);
    await first.next();
    for (const response of [await fetch(events), await post(`${server.url}/v1/runs`, { agentId: 'assistant' })]) {
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
      expect(await response.json()).toEqual({ error: 'too many open event streams' });
    }
    expect(server.engine.commands).toHaveLength(1);
    await first.return(undefined);
    await expect.poll(async () => (await fetch(events, { method: 'HEAD' })).status).toBe(200);
  });
});

describe('too many streams of one caller', () => {
  it('are refused with 429, those of others are not', async () => {
    const tokens = parseTokens('a\nb');
    const server = await openHttp({ sse: { max_readers_per_caller: 1 }, tokens });
    const as = (token: string): RequestInit => ({ headers: { authorization: `Bearer ${token}` } });
    const start = await post(`${server.url}/v1/runs`, { agentId: 'assistant', runId: 'r' }, as('b').headers as never);
    await start.text();
    server.engine.script = () => [];
    const open = await post(`${server.url}/v1/runs`, { agentId: 'assistant', runId: 'o' }, as('b').headers as never);
    const events = `${server.url}/v1/runs/o/events`;
    const refused = await fetch(events, as('b'));
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect(await refused.json()).toEqual({ error: 'too many open event streams of this caller' });
    const other = await fetch(events, as('a'));
    expect(other.status).toBe(200);
    await Promise.all([open.body!.cancel(), other.body!.cancel()]);
    await expect.poll(async () => (await fetch(events, { method: 'HEAD', ...as('b') })).status).toBe(200);
  });
});

describe('a log that cannot be read on', () => {
  it('cuts the stream instead of ending it, and says why in the log', async () => {
    const server = await openHttp();
    const events = await openRun(server);
    const frames = readSse(events);
    await frames.next();
    const [reader] = server.engine.readers('r');
    reader!.next = () => Promise.reject(new Error('the disk is gone'));
    server.engine.append('r', say.text('x'));
    await expect(rest(frames)).rejects.toThrow();
    expect(server.log.join()).toContain('the disk is gone');
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
  });
});

describe('many readers of one run', () => {
  it('get the same bytes', async () => {
    const server = await openHttp();
    const events = await openRun(server);
    const readers = Array.from({ length: 50 }, () => collectSse(events));
    await expect.poll(() => server.engine.readers('r').length).toBe(50);
    for (let i = 0; i < 20; i++) server.engine.append('r', say.text(`${i}`), say.text('€'));
    server.engine.append('r', say.finish());
    const all = await Promise.all(readers);
    expect(all[0]).toHaveLength(42);
    for (const frames of all) expect(frames).toEqual(all[0]);
  });
});
