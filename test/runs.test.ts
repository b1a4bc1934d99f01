/** Runs through the real executable: streams, outcomes, resuming, idempotent starts, restarts. */

import { describe, expect, it } from 'vitest';
import type { CanonicalEvent } from '../src/actors/events.js';
import { startServer, type ServerProcess } from './support/server-process.js';
import { collectSse, readSse, type SseFrame } from './support/sse-client.js';
import { tempDir } from './support/temp-dir.js';

const eventOf = ({ data }: SseFrame): CanonicalEvent => JSON.parse(data) as CanonicalEvent;
const typesOf = (frames: SseFrame[]): string[] => frames.map((frame) => eventOf(frame).type);
const textOf = (frames: SseFrame[]): string =>
  frames.map(eventOf).reduce((text, event) => text + (event.type === 'text_delta' ? event.data.delta : ''), '');

const ask = (content: string, more: object = {}): object => ({
  agentId: 'assistant',
  messages: [{ role: 'user', content }],
  ...more,
});
const post = (url: string, body: object, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${url}/v1/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const json = { accept: 'application/json' };

/** The whole log of a run: dense from 0, each frame's id its event's number. */
async function logOf({ url }: ServerProcess, run_id: string): Promise<SseFrame[]> {
  const frames = await collectSse(`${url}/v1/runs/${run_id}/events`);
  expect(frames.map(({ id }) => id)).toEqual(frames.map((_, i) => `${i}`));
  expect(frames.map((frame) => eventOf(frame).seq)).toEqual(frames.map((_, i) => i));
  return frames;
}

describe('a run', () => {
  it('streams from its start to its end, and is there afterwards', async () => {
    const server = await startServer({ data: await tempDir() });
    const response = await post(server.url, ask('what is new?'));
    const run_id = response.headers.get('x-run-id')!;
    const frames = await collectSse(response);
    expect(typesOf(frames)[0]).toBe('run_start');
    expect(typesOf(frames).at(-1)).toBe('run_finish');
    expect(textOf(frames)).toContain('what is new?');
    expect(await logOf(server, run_id)).toEqual(frames);
    expect(await (await fetch(`${server.url}/v1/runs/${run_id}`)).json()).toMatchObject({
      run_id,
      thread_id: response.headers.get('x-thread-id'),
      status: 'done',
      termination_code: 'natural',
    });
  });

  it('can be waited for', async () => {
    const { url } = await startServer({ data: await tempDir() });
    const answer = await (await post(url, ask('hello'), json)).json();
    expect(answer).toMatchObject({ status: 'done', pending: [], response: expect.stringContaining('hello') });
  });

  it('stands still at an approval: the stream closes, the outcome says what is pending, cancel ends it', async () => {
    const server = await startServer({ data: await tempDir() });
    const { url } = server;
    const body = ask('[[approval]]', { runId: 'r' });
    expect(typesOf(await collectSse(await post(url, body))).at(-1)).toBe('run_waiting');
    const outcome = (await (await post(url, body, json)).json()) as { pending: object[] };
    expect(outcome).toMatchObject({ status: 'waiting', termination_code: 'input_required', response: null });
    expect(outcome.pending).toMatchObject([{ kind: 'approval', name: 'transfer_funds' }]);

    const watched = collectSse(`${url}/v1/runs/r/events`);
    expect((await fetch(`${url}/v1/runs/r/cancel`, { method: 'POST' })).status).toBe(202);
    const frames = await watched;
    expect(eventOf(frames.at(-1)!)).toMatchObject({ type: 'run_finish', data: { termination: { code: 'cancelled' } } });
    expect(await logOf(server, 'r')).toEqual(frames);
    const again = await fetch(`${url}/v1/runs/r/cancel`, { method: 'POST' });
    expect([again.status, await again.json()]).toEqual([400, { error: 'run is not active' }]);
  });

  it('goes on when a start on its thread brings the decision; the answer is the continuation (CONTRACT 1.11)', async () => {
    const server = await startServer({ data: await tempDir() });
    const before = await collectSse(await post(server.url, ask('[[approval]]', { runId: 'r', threadId: 't' })));
    const pending = eventOf(before.at(-1)!);
    if (pending.type !== 'run_waiting') throw new Error(`the run did not wait: ${pending.type}`);
    const decision = { target_id: pending.data.pending[0]!.tool_call_id, decision_id: 'd1', action: 'resume' };
    const response = await post(server.url, { agentId: 'assistant', threadId: 't', decisions: [decision] });
    expect(response.headers.get('x-run-id')).toBe('r');
    const after = await collectSse(response);
    expect(typesOf(after)).toContain('tool_call_done');
    expect([...before, ...after]).toEqual(await logOf(server, 'r'));
  });

  it('resumes after every one of its events with the same bytes (CONTRACT 1.6)', async () => {
    const server = await startServer({ data: await tempDir() });
    await collectSse(await post(server.url, ask('[[tools 2]] go on', { runId: 'r' })));
    const all = await logOf(server, 'r');
    expect(typesOf(all)).toContain('tool_call_done');
    for (let seen = 0; seen < all.length; seen++) {
      const headers = { 'last-event-id': `${seen}` };
      expect(await collectSse(`${server.url}/v1/runs/r/events`, { headers })).toEqual(all.slice(seen + 1));
    }
  });

  it('goes on when its client leaves, unless the client said otherwise (CONTRACT 1.8)', async () => {
    const server = await startServer({ data: await tempDir() });
    for await (const _ of readSse(await post(server.url, ask('[[slow]]', { runId: 'stays' })))) break;
    for await (const _ of readSse(await post(server.url, ask('[[slow]]', { runId: 'ends', on_disconnect: 'cancel' }))))
      break;
    const last = async (id: string) => eventOf((await logOf(server, id)).at(-1)!);
    expect(await last('ends')).toMatchObject({
      data: { termination: { code: 'cancelled', detail: 'client disconnected' } },
    });
    expect(await last('stays')).toMatchObject({ data: { termination: { code: 'natural' } } });
  });
});

describe('a start that is repeated (CONTRACT 1.10)', () => {
  it('is one run, also for many at the same instant', async () => {
    const server = await startServer({ data: await tempDir() });
    const body = ask('once', { runId: 'r', threadId: 't' });
    const responses = await Promise.all(Array.from({ length: 20 }, () => post(server.url, body)));
    const streams = await Promise.all(responses.map((response) => collectSse(response)));
    const log = await logOf(server, 'r');
    for (const frames of streams) expect(frames).toEqual(log);
  });

  it('is 409 with another body', async () => {
    const { url } = await startServer({ data: await tempDir() });
    await (await post(url, ask('one', { runId: 'r' }))).text();
    const response = await post(url, ask('two', { runId: 'r' }));
    expect([response.status, await response.json()]).toEqual([409, { error: 'run already exists: r' }]);
  });

  it('after a refused one is refused again, and its id stays free', async () => {
    const { url } = await startServer({ data: await tempDir() });
    for (let i = 0; i < 2; i++) {
      const response = await post(url, { agentId: 'nobody', runId: 'r' });
      expect([response.status, await response.json()]).toEqual([404, { error: 'agent not found: nobody' }]);
    }
    expect((await post(url, ask('hello', { runId: 'r' }), json)).status).toBe(200);
  });

  it('attaches across a crash', async () => {
    const data = await tempDir();
    const first = await startServer({ data });
    const body = ask('hello', { runId: 'r' });
    const frames = await collectSse(await post(first.url, body));
    await first.kill('SIGKILL');
    const second = await startServer({ data });
    expect(await collectSse(await post(second.url, body))).toEqual(frames);
    expect((await post(second.url, ask('other', { runId: 'r' }))).status).toBe(409);
  });
});

describe('the end of the server', () => {
  it.each(['SIGTERM', 'SIGKILL'] as const)('by %s loses no frame that was seen; the run goes on', async (signal) => {
    const data = await tempDir();
    const first = await startServer({ data });
    const seen: SseFrame[] = [];
    let ended: Promise<unknown> = Promise.resolve();
    try {
      for await (const frame of readSse(await post(first.url, ask('[[slow]]', { runId: 'r' })))) {
        if (seen.push(frame) === 5) ended = first.kill(signal);
      }
    } catch {
      expect(signal).toBe('SIGKILL');
    }
    expect(await ended).toMatchObject(signal === 'SIGTERM' ? { code: 0 } : { signal });
    const second = await startServer({ data });
    const headers = { 'last-event-id': seen.at(-1)!.id! };
    const rest = await collectSse(`${second.url}/v1/runs/r/events`, { headers });
    const log = await logOf(second, 'r');
    expect([...seen, ...rest]).toEqual(log);
    expect(eventOf(log.at(-1)!)).toMatchObject({ type: 'run_finish', data: { termination: { code: 'natural' } } });
  });
});
