/** How a server comes up and goes down (CONTRACT 0.8, 0.9, 10.4, 11). */

import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ConfigError } from '../agents/config-error.js';
import { FakeEngine, say } from '../../test/support/fake-engine.js';
import { openHttp, post } from '../../test/support/http-server.js';
import { collectSse, readSse } from '../../test/support/sse-client.js';
import { HttpServer } from './server.js';
import { parseTokens } from './tokens.js';

const logger = pino({ enabled: false });
const start = { agentId: 'assistant', runId: 'r' };
const notInitialised = { error: 'run service is not initialised' };

/** Until `listen` has resolved the address is not known from outside, so the port is found by asking. */
async function starting(): Promise<{
  server: HttpServer;
  open: () => void;
  fail: (e: Error) => void;
  ready: Promise<string>;
}> {
  let open = (): void => {};
  let fail = (_: Error): void => {};
  const engine = new Promise<FakeEngine>((resolve, reject) => {
    open = () => resolve(new FakeEngine());
    fail = reject;
  });
  let bound = (): void => {};
  const listening = new Promise<void>((resolve) => (bound = resolve));
  const server = new HttpServer({
    logger,
    openEngine: () => {
      bound();
      return engine;
    },
  });
  onTestFinished(() => {
    open();
    return server.close();
  });
  const ready = server.listen();
  ready.catch(() => {});
  await listening;
  return { server, open, fail, ready };
}

describe('coming up', () => {
  it('answers from the first moment, and refuses runs until the engine is open', async () => {
    const { server, open, ready } = await starting();
    const health = await fetch(`${server.url}/health`);
    expect([health.status, await health.json()]).toEqual([503, { status: 'starting' }]);
    for (const response of [
      await post(`${server.url}/v1/runs`, 'not even JSON'),
      await fetch(`${server.url}/v1/runs/r`),
      await fetch(`${server.url}/v1/runs/r/events`),
      await post(`${server.url}/v1/runs/r/cancel`),
    ])
      expect([response.status, await response.json()]).toEqual([500, notInitialised]);
    expect((await fetch(`${server.url}/nowhere`)).status).toBe(404);
    open();
    expect(await ready).toBe(server.url);
    const now = await fetch(`${server.url}/health`);
    expect([now.status, await now.json()]).toEqual([
      200,
      { status: 'ok', version: expect.stringMatching(/^\d+\.\d+\.\d+/), uptime_ms: expect.any(Number) },
    ]);
  });

  it('lets the address go when the engine cannot be opened', async () => {
    const { server, fail, ready } = await starting();
    fail(new Error('in use'));
    await expect(ready).rejects.toThrow('in use');
    await expect(fetch(`${server.url}/health`)).rejects.toThrow();
  });

  it('rejects when the address is taken', async () => {
    const { url } = await openHttp();
    const second = new HttpServer({
      logger,
      port: Number(new URL(url).port),
      openEngine: async () => new FakeEngine(),
    });
    await expect(second.listen()).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await second.close();
  });

  it('serves IPv6', async () => {
    const { url } = await openHttp({ host: '::1' });
    expect(url).toMatch(/^http:\/\/\[::1\]:\d+$/);
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });
});

describe('listen', () => {
  it('opens once, and not after the end', async () => {
    let opened = 0;
    const openEngine = async (): Promise<FakeEngine> => {
      opened++;
      return new FakeEngine();
    };
    const server = new HttpServer({ logger, openEngine });
    const urls = await Promise.all([server.listen(), server.listen()]);
    expect([urls[0], opened, server.status]).toEqual([urls[1], 1, 'ready']);
    await server.close();
    await expect(server.listen()).rejects.toThrow('closed');
    expect(opened).toBe(1);
  });
});

describe('who is served', () => {
  const make = (options: object) => () =>
    new HttpServer({ logger, openEngine: async () => new FakeEngine(), ...options });

  it('is only this machine, unless there are tokens or somebody says so', () => {
    expect(make({ host: '0.0.0.0' })).toThrow(ConfigError);
    expect(make({ host: 'server.example' })).toThrow(/--insecure/);
    expect(make({ host: '127.0.0.1' })).not.toThrow();
    expect(make({ host: '0.0.0.0', insecure: true })).not.toThrow();
    expect(make({ host: '0.0.0.0', tokens: parseTokens('t') })).not.toThrow();
  });
});

describe('going down', () => {
  it('ends streams behind a whole frame; they are no readers that left', async () => {
    const { server, engine, url } = await openHttp();
    engine.script = () => [say.start(), say.text('a')];
    const stream = await post(`${url}/v1/runs`, { ...start, on_disconnect: 'cancel' });
    const frames = readSse(stream);
    expect((await frames.next()).value).toMatchObject({ id: '0' });
    expect((await frames.next()).value).toMatchObject({ id: '1' });
    const closed = server.close();
    expect(await frames.next()).toEqual({ value: undefined, done: true });
    await closed;
    expect(engine.commands.map(({ type }) => type)).toEqual(['start']);
    expect(engine.status).toBe('stopped');
    await expect(fetch(`${url}/health`)).rejects.toThrow();
  });

  it('ends streams at once, not when the engine has finished', async () => {
    const { server, engine, url } = await openHttp();
    engine.script = () => [say.start()];
    let finish = (): void => {};
    engine.close = () => new Promise((resolve) => (finish = resolve));
    const frames = readSse(await post(`${url}/v1/runs`, start));
    await frames.next();
    const closed = server.close();
    expect(await frames.next()).toMatchObject({ done: true });
    finish();
    await closed;
  });

  it('ends the stream of a run that was accepted behind the others: what it has seen can be resumed', async () => {
    const { server, engine, url } = await openHttp();
    engine.script = () => [say.start()];
    let finish = (): void => {};
    engine.close = () => new Promise((resolve) => (finish = resolve));
    let accept = (): void => {};
    engine.before = () => new Promise((resolve) => (accept = resolve));
    const answer = post(`${url}/v1/runs`, start);
    await expect.poll(() => engine.commands.length).toBe(1);
    const closed = server.close();
    accept();
    const response = await answer;
    expect([response.status, response.headers.get('x-run-id')]).toEqual([200, 'r']);
    for await (const { id } of readSse(response)) expect(id).toBe('0');
    finish();
    await closed;
  });

  it('refuses runs while the engine finishes, and says so', async () => {
    const { server, engine, url } = await openHttp();
    let finish = (): void => {};
    engine.close = () => new Promise((resolve) => (finish = resolve));
    const closed = server.close();
    const health = await fetch(`${url}/health`);
    expect([health.status, await health.json()]).toEqual([503, { status: 'stopping' }]);
    const response = await post(`${url}/v1/runs`, start);
    expect([response.status, await response.json()]).toEqual([500, notInitialised]);
    finish();
    await closed;
  });

  it('answers those who wait for an outcome', async () => {
    const { server, engine, url } = await openHttp();
    engine.script = () => [say.start()];
    const answer = post(`${url}/v1/runs`, start, { accept: 'application/json' });
    await expect.poll(() => engine.commands.length && engine.readers('r').length).toBe(1);
    await server.close();
    const response = await answer;
    expect([response.status, await response.json()]).toEqual([500, notInitialised]);
  });

  it('happens once, however often it is asked for, and waits for an opening under way', async () => {
    const { server, open, ready } = await starting();
    const closed = [server.close(), server.close()];
    open();
    await Promise.all(closed);
    await ready.catch(() => {});
    await expect(fetch(`${server.url}/health`)).rejects.toThrow();
  });

  it('does not wait for connections that nobody uses, nor for readers that do not read', async () => {
    const { server, engine, url } = await openHttp();
    engine.script = () => [say.start()];
    await post(`${url}/v1/runs`, start, { prefer: 'respond-async' });
    const idle = await fetch(`${url}/health`);
    await idle.text();
    const stuck = await fetch(`${url}/v1/runs/r/events`);
    for (let i = 0; i < 160; i++) engine.append('r', say.text('x'.repeat(200_000)));
    await expect.poll(() => engine.pulls('r')).toBeGreaterThan(10);
    await server.close();
    await expect(collectSse(stuck)).rejects.toThrow();
  });
});
