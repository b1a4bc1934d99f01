/**
 * SIGTERM in the middle of work (CONTRACT 11, graceful shutdown): exit 0, streams that end behind a whole frame, and
 * nothing lost: the next server goes on where this one stopped.
 */

import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { defaultLimits } from '../../src/actors/host/limits.js';
import { runToExit, type Exit, type ServerProcess } from '../support/server-process.js';
import { ledgerFaults, readLedger } from './ledger.js';
import { factsOf, parseFrame, type LogFacts } from './log-rules.js';
import { newPlace, serve, type Place } from './server.js';
import { ask, readFrames, type Answer, type StreamEnd } from './wire.js';
import { eventually } from '../support/eventually.js';

class Client {
  readonly frames: string[] = [];
  readonly boots: number[] = [];
  #bells: (() => void)[] = [];

  constructor(
    readonly run_id: string,
    readonly text: string,
    readonly agent_id = 'assistant',
  ) {}

  get thread_id(): string {
    return `thread of ${this.run_id}`;
  }

  get body(): object {
    const messages = [{ role: 'user', content: `${this.text} from ${this.run_id}` }];
    return { runId: this.run_id, threadId: this.thread_id, agentId: this.agent_id, messages };
  }

  start(url: string, boot = 1): Promise<StreamEnd> {
    return readFrames(`${url}/v1/runs`, { method: 'POST', body: this.body }, { onFrame: (f) => this.#take(f, boot) });
  }

  resume(url: string, boot = 2): Promise<StreamEnd> {
    const seen = this.frames.length - 1;
    const headers: Record<string, string> = seen < 0 ? {} : { 'last-event-id': String(seen) };
    return readFrames(`${url}/v1/runs/${this.run_id}/events`, { headers }, { onFrame: (f) => this.#take(f, boot) });
  }

  /** Resolves when the frames are as wanted. */
  async until(wanted: (frames: readonly string[]) => boolean): Promise<void> {
    while (!wanted(this.frames)) await new Promise<void>((resolve) => this.#bells.push(resolve));
  }

  /** Resolves when the run waits or is over; the calls are settled or in doubt then. */
  standstill(): Promise<void> {
    return this.until((frames) => /"type":"run_(waiting|finish)"/.test(frames.at(-1) ?? ''));
  }

  get facts(): LogFacts {
    return factsOf(this.frames.map(parseFrame), this);
  }

  /** What is wrong with the whole of it, log and tools. */
  async faults(place: Place): Promise<string[]> {
    const { faults, calls, steps } = this.facts;
    const ledger = (await readLedger(place.ledger)).get(this.run_id);
    return [...faults, ...ledgerFaults(ledger, { calls: calls.values(), steps, boots: this.boots })];
  }

  #take(frame: string, boot: number): void {
    this.frames.push(frame);
    this.boots.push(boot);
    for (const bell of this.#bells.splice(0)) bell();
  }
}

async function wholeLog(url: string, run_id: string): Promise<string> {
  const frames: string[] = [];
  await readFrames(`${url}/v1/runs/${run_id}/events`, {}, { onFrame: (frame) => frames.push(frame) });
  return frames.join('');
}

/** Tells the server to stop; a stop takes its grace (5 s) and little more. */
async function terminate(server: ServerProcess): Promise<Exit> {
  const exit = await Promise.race([server.kill('SIGTERM'), delay(20_000, undefined, { ref: false })]);
  if (!exit) throw new Error('the server still runs 20 s after SIGTERM');
  return exit;
}

/** Waits for the line that a tool writes when it begins. */
const toolBegun = (place: Place, run_id: string): Promise<void> =>
  eventually(async () => expect(await readFile(place.ledger, 'utf8')).toMatch(`start 1 ${run_id} `));

describe('SIGTERM in the middle of 20 slow runs', { timeout: 60_000 }, () => {
  test('ends the streams behind a whole frame, and the next server finishes the runs', async () => {
    const place = await newPlace();
    const first = await serve(place);
    const clients = Array.from({ length: 20 }, (_, n) => {
      return new Client(`run-${n}`, n % 2 ? '[[slow]] hello' : '[[approval]] [[tools 2]] [[slow]] hello');
    });
    const streams = clients.map((client) => client.start(first.url));
    await Promise.all(clients.map((client) => client.until((frames) => frames.length > 2)));
    const late = Array.from({ length: 30 }, (_, n) => new Client(`late-${n}`, 'hello'));
    const answers = late.map(({ body }) =>
      ask(`${first.url}/v1/runs`, { method: 'POST', body, headers: { prefer: 'respond-async' } }),
    );
    const exit = await terminate(first);
    expect(exit).toMatchObject({ code: 0, stderr: '' });
    for (const end of await Promise.all(streams)) expect(end).toEqual({ how: 'ended', rest: '' });
    expect(clients.filter(({ facts }) => facts.code !== null)).toEqual([]);

    const { url } = await serve(place, 2);
    const ends = await Promise.all(clients.map((client) => client.resume(url)));
    for (const end of ends) expect(end).toEqual({ how: 'ended', rest: '' });
    for (const client of clients) {
      expect(await client.faults(place), client.run_id).toEqual([]);
      expect(client.facts.code).toBe('natural');
      expect(client.frames.join('')).toBe(await wholeLog(url, client.run_id));
    }

    // What was accepted while the server was told to stop is there; what was not can be asked for again.
    const accepted = late.map(async (client, n) => {
      const answer = await answers[n]!;
      const known = await ask(`${url}/v1/runs/${client.run_id}`);
      if (answer?.status === 202) expect(known?.status, client.run_id).toBe(200);
      await client.start(url, 2);
      expect(await client.faults(place), client.run_id).toEqual([]);
      expect(client.facts.code).toBe('natural');
    });
    await Promise.all(accepted);
  });

  test('lets running `once` tools end, and their outcome is kept', async () => {
    const place = await newPlace();
    const first = await serve(place);
    const clients = Array.from({ length: 10 }, (_, n) => new Client(`run-${n}`, 'in 1500 ms', 'writer'));
    const streams = clients.map((client) => client.start(first.url));
    await Promise.all(clients.map(({ run_id }) => toolBegun(place, run_id)));
    expect(await terminate(first)).toMatchObject({ code: 0, stderr: '' });
    await Promise.all(streams);

    const { url } = await serve(place, 2);
    for (const client of clients) {
      void client.resume(url);
      await client.standstill();
      expect([...client.facts.calls.values()], client.run_id).toMatchObject([{ outcome: 'succeeded', doubted: false }]);
      expect(await client.faults(place), client.run_id).toEqual([]);
    }
  });

  test('begins no `once` tool that it will not wait for', async () => {
    const place = await newPlace();
    const first = await serve(place);
    const writer = new Client('writer', 'in 1500 ms, quietly', 'writer');
    const loopers = Array.from({ length: 10 }, (_, n) => new Client(`looper-${n}`, '30 rounds', 'looper'));
    const streams = [writer.start(first.url)];
    await toolBegun(place, 'writer');
    streams.push(...loopers.map((looper) => looper.start(first.url)));
    await Promise.all(loopers.map((looper) => looper.until((frames) => frames.length > 2)));
    expect(await terminate(first)).toMatchObject({ code: 0, stderr: '' });
    await Promise.all(streams);

    const { url } = await serve(place, 2);
    for (const client of [writer, ...loopers]) {
      void client.resume(url);
      await client.standstill();
      expect(
        [...client.facts.calls.values()].filter(({ doubted }) => doubted),
        client.run_id,
      ).toEqual([]);
      expect(await client.faults(place), client.run_id).toEqual([]);
    }
  });

  test('gives up on a `once` tool after the grace, and the call is in doubt', async () => {
    const place = await newPlace();
    const first = await serve(place);
    const client = new Client('run', 'in 60000 ms, quietly', 'writer');
    const stream = client.start(first.url);
    await toolBegun(place, 'run');
    expect(await terminate(first)).toMatchObject({ code: 0 });
    expect(await stream).toEqual({ how: 'ended', rest: '' });

    const { url } = await serve(place, 2);
    const resumed = client.resume(url);
    await client.standstill();
    expect([...client.facts.calls.values()]).toMatchObject([{ doubted: true, outcome: null }]);
    expect(await ask(`${url}/v1/runs/run/cancel`, { method: 'POST' })).toMatchObject({ status: 202 });
    expect(await resumed).toEqual({ how: 'ended', rest: '' });
    expect(client.facts.code).toBe('cancelled');
    expect(await client.faults(place)).toEqual([]);
  });
});

test(
  'SIGTERM in the middle of the recovery of more runs than may run at once: exit 0, nothing is lost',
  { timeout: 60_000 },
  async () => {
    const place = await newPlace();
    const first = await serve(place);
    const clients = Array.from({ length: 500 }, (_, n) => new Client(`run-${n}`, '[[slow]] hello'));
    const start = ({ body }: Client): Promise<Answer | undefined> =>
      ask(`${first.url}/v1/runs`, { method: 'POST', body, headers: { prefer: 'respond-async' } });
    const answers = await Promise.all(clients.map(start));
    expect(answers.filter((answer) => answer?.status !== 202)).toEqual([]);
    await first.kill('SIGKILL');

    const second = await serve(place, 2);
    // A busy machine takes so long for the starts that the first of the runs have ended by then.
    const ended = (await ask(`${second.url}/v1/runs?status=done&limit=1`))!.body as { total: number };
    const enough = Math.min(defaultLimits.max_running, clients.length - ended.total);
    expect(enough).toBeGreaterThan(0);
    const asked = async (): Promise<number> => (await readFile(place.ledger, 'utf8')).split('\nask 2 ').length - 1;
    await eventually(async () => expect(await asked()).toBeGreaterThanOrEqual(enough));
    expect(await terminate(second)).toMatchObject({ code: 0, stderr: '' });

    const { url } = await serve(place, 3);
    await Promise.all(clients.map((client) => client.resume(url, 3)));
    for (const client of clients) expect(await client.faults(place), client.run_id).toEqual([]);
  },
);

test('a second server on the same data is refused in one line, exit 2, and the first goes on', async () => {
  const place = await newPlace();
  const { url } = await serve(place);
  const { code, stdout, stderr } = await runToExit({ data: place.data });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^agent-server: [^\n]*\n$/);
  expect(stderr).toContain(place.data);
  const client = new Client('run', 'hello');
  expect(await client.start(url)).toEqual({ how: 'ended', rest: '' });
  expect(await client.faults(place)).toEqual([]);
});
