/** The canonical run surface in front of a fake engine, over a real socket. */

import { describe, expect, it, vi } from 'vitest';
import type { StartRequest } from '../../actors/engine.js';
import type { CanonicalEvent } from '../../actors/events.js';
import { say } from '../../../test/support/fake-engine.js';
import { openHttp, post } from '../../../test/support/http-server.js';
import { collectSse, readSse } from '../../../test/support/sse-client.js';
import type { EventPage } from './events.js';

const start = { agentId: 'assistant', messages: [{ role: 'user', content: 'hi' }] };
const json = { accept: 'application/json' };
const types = (frames: { data: string }[]) => frames.map(({ data }) => (JSON.parse(data) as CanonicalEvent).type);
const startOf = (engine: { commands: object[] }): StartRequest => (engine.commands[0] as { start: StartRequest }).start;

describe('POST /v1/runs', () => {
  it('streams the run and closes behind its end (CONTRACT 0.7, 1.7)', async () => {
    const { url } = await openHttp();
    const response = await post(`${url}/v1/runs`, start);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'x-run-id': 'run-1',
      'x-thread-id': 'thread-1',
    });
    const frames = await collectSse(response);
    expect(frames.map(({ id }) => id)).toEqual(['0', '1', '2']);
    expect(types(frames)).toEqual(['run_start', 'text_delta', 'run_finish']);
  });

  it('closes behind the pause at which the run stands', async () => {
    const { url, engine } = await openHttp();
    engine.script = () => [say.start(), say.waiting()];
    expect(types(await collectSse(await post(`${url}/v1/runs`, start)))).toEqual(['run_start', 'run_waiting']);
    expect(engine.readers('run-1')).toEqual([]);
  });

  it.each([
    [{ agent_id: 'assistant' }],
    [{ agentId: ' ', agent_id: ' assistant ' }],
    [{ agentId: 'assistant', agent_id: 'other' }],
    [{ agentId: null, agent_id: 'assistant', nobody: { knows: 'this' } }],
  ])('takes %j: the first alias that is there counts', async (body) => {
    const { url, engine } = await openHttp();
    expect((await post(`${url}/v1/runs`, body)).status).toBe(200);
    expect(startOf(engine).agent_id).toBe('assistant');
  });

  it.each([
    ['threadId', 'thread_id'],
    ['thread_id', 'thread_id'],
    ['contextId', 'thread_id'],
    ['context_id', 'thread_id'],
    ['runId', 'run_id'],
    ['run_id', 'run_id'],
    ['taskId', 'run_id'],
    ['task_id', 'run_id'],
    ['parentRunId', 'parent_run_id'],
    ['parent_run_id', 'parent_run_id'],
    ['parentThreadId', 'parent_thread_id'],
    ['parent_thread_id', 'parent_thread_id'],
    ['parentContextId', 'parent_thread_id'],
    ['parent_context_id', 'parent_thread_id'],
    ['resourceId', 'resource_id'],
    ['resource_id', 'resource_id'],
  ] as const)('%s is %s', async (alias, field) => {
    const { url, engine } = await openHttp();
    await post(`${url}/v1/runs`, { ...start, [alias]: ' some id ' });
    expect(startOf(engine)[field]).toBe('some id');
  });

  it.each(['initialDecisions', 'initial_decisions', 'decisions'])('%s are decisions', async (alias) => {
    const { url, engine } = await openHttp();
    const decision = { target_id: 'c', decision_id: 'd', action: 'resume', result: { approved: true }, updated_at: 5 };
    await post(`${url}/v1/runs`, { ...start, [alias]: [decision] });
    expect(startOf(engine).decisions).toEqual([decision]);
  });

  it('hands everything else on as it is', async () => {
    const { url, engine } = await openHttp();
    const messages = [
      { role: 'system', content: '' },
      { role: 'user', content: 'hi', id: 'm1' },
    ];
    const rest = { state: { a: [1, null] }, metadata: { b: { c: '€' } } };
    await post(`${url}/v1/runs`, { agentId: 'assistant', messages, onBusy: 'reject', ...rest });
    expect(startOf(engine)).toEqual({ agent_id: 'assistant', origin: 'user', on_busy: 'reject', messages, ...rest });
  });

  it('interrupts a busy thread unless told otherwise, and leaves absent ids to the engine', async () => {
    const { url, engine } = await openHttp();
    await post(`${url}/v1/runs`, { agentId: 'assistant', runId: ' ', thread_id: null, messages: null });
    expect(startOf(engine)).toEqual({
      agent_id: 'assistant',
      origin: 'user',
      on_busy: { default: 'interrupt' },
      messages: [],
    });
  });

  it('sends ids that no header can hold percent-encoded', async () => {
    const { url } = await openHttp();
    const response = await post(`${url}/v1/runs`, { ...start, runId: 'lauf 日本', threadId: 'a b' });
    expect([response.headers.get('x-run-id'), response.headers.get('x-thread-id')]).toEqual([
      encodeURIComponent('lauf 日本'),
      'a b',
    ]);
    expect((await fetch(`${url}/v1/runs/${encodeURIComponent('lauf 日本')}`)).status).toBe(200);
  });
});

describe('waiting and not waiting (CONTRACT 1.7)', () => {
  it('answers the record with the response when the run has ended', async () => {
    const { url } = await openHttp();
    const response = await post(`${url}/v1/runs`, start, json);
    expect(response.headers.get('x-run-id')).toBe('run-1');
    expect(await response.json()).toMatchObject({ run_id: 'run-1', status: 'done', response: 'hello', pending: [] });
  });

  it('answers what is pending when the run waits, not at a pause that is over', async () => {
    const { url, engine } = await openHttp();
    engine.script = () => [say.start(), say.waiting('call_1')];
    const body = { ...start, runId: 'r' };
    expect(await (await post(`${url}/v1/runs`, body, json)).json()).toMatchObject({
      status: 'waiting',
      termination_code: 'input_required',
      response: null,
      pending: [{ tool_call_id: 'call_1', kind: 'approval' }],
    });
    engine.append('r', say.resumed());
    engine.append('r', say.waiting('call_2'));
    expect(await (await post(`${url}/v1/runs`, body, json)).json()).toMatchObject({
      pending: [{ tool_call_id: 'call_2' }],
    });
  });

  it('waits on when a pause is over by the time its record is read', async () => {
    const { url, engine } = await openHttp();
    engine.script = () => [say.start(), say.waiting('call_1')];
    const read = engine.read.bind(engine) as (ref: object) => Promise<unknown>;
    const decided = vi.fn(() => {
      engine.append('run-1', say.resumed());
      engine.append('run-1', say.finish('decided'));
    });
    engine.read = ((ref: object) => {
      if (decided.mock.calls.length === 0) decided();
      return read(ref);
    }) as typeof engine.read;
    expect(await (await post(`${url}/v1/runs`, start, json)).json()).toMatchObject({
      status: 'done',
      response: 'decided',
      pending: [],
    });
  });

  it('answers how the run ended also when its record is gone with its thread (CONTRACT 2.4)', async () => {
    const { url, engine } = await openHttp();
    engine.script = () => [];
    const answer = post(`${url}/v1/runs`, start, json);
    await expect.poll(() => engine.readers('run-1').length).toBe(1);
    engine.read = () => Promise.resolve(undefined);
    engine.append('run-1', say.start(), say.cancelled('the thread was deleted'));
    expect(await (await answer).json()).toMatchObject({
      run_id: 'run-1',
      status: 'done',
      termination_code: 'cancelled',
      termination_detail: 'the thread was deleted',
      response: null,
      pending: [],
    });
  });

  it('waits as long as it takes', async () => {
    const { url, engine } = await openHttp();
    engine.script = () => [say.start()];
    const answer = post(`${url}/v1/runs`, start, json);
    await expect.poll(() => engine.commands.length).toBe(1);
    engine.append('run-1', say.text('x'));
    engine.append('run-1', say.finish('late'));
    expect(await (await answer).json()).toMatchObject({ response: 'late' });
    expect(engine.readers('run-1')).toEqual([]);
  });

  it.each(['respond-async', 'wait=10, respond-async', 'Respond-Async; x'])(
    'prefer: %s answers at once',
    async (prefer) => {
      const { url, engine } = await openHttp();
      engine.script = () => [];
      const response = await post(`${url}/v1/runs`, start, { prefer });
      expect([response.status, response.headers.get('preference-applied')]).toEqual([202, 'respond-async']);
      expect(await response.json()).toMatchObject({ run_id: 'run-1', status: 'waiting', termination_code: 'queued' });
    },
  );

  it.each([
    ['*/*', 'text/event-stream'],
    ['text/event-stream', 'text/event-stream'],
    ['text/html', 'text/event-stream'],
    ['application/json', 'application/json'],
    ['application/json;q=0.5, text/event-stream', 'text/event-stream'],
    ['application/*', 'application/json'],
  ])('accept: %s answers %s', async (accept, type) => {
    const { url } = await openHttp();
    const response = await post(`${url}/v1/runs`, start, { accept });
    expect(response.headers.get('content-type')).toBe(`${type}; charset=utf-8`);
  });
});

describe('decisions in a start (CONTRACT 1.11)', () => {
  const paused = async () => {
    const server = await openHttp();
    server.engine.script = () => [say.start(), say.waiting()];
    await (await post(`${server.url}/v1/runs`, { ...start, runId: 'r', threadId: 't' })).text();
    return server;
  };
  const decide = { agentId: 'assistant', threadId: 't', decisions: [{ target_id: 'call_1', action: 'resume' }] };

  it('resume the waiting run; its continuation alone is the answer', async () => {
    const { url, engine } = await paused();
    const response = await post(`${url}/v1/runs`, decide, { 'last-event-id': '0' });
    expect(response.headers.get('x-run-id')).toBe('r');
    const frames = collectSse(response);
    await expect.poll(() => engine.readers('r').length).toBe(1);
    engine.append('r', say.text('x'), say.finish());
    expect((await frames).map(({ id }) => id)).toEqual(['2', '3', '4']);
  });

  it('can be waited for', async () => {
    const { url, engine } = await paused();
    const answer = post(`${url}/v1/runs`, decide, json);
    await expect.poll(() => engine.readers('r').length).toBe(1);
    engine.append('r', say.finish('at last'));
    expect(await (await answer).json()).toMatchObject({ run_id: 'r', status: 'done', response: 'at last' });
  });
});

describe('the same start twice (CONTRACT 1.10)', () => {
  const body = { ...start, runId: 'r', metadata: { a: 1, b: { c: 2, d: 3 } } };

  it('attaches to the run, from its start, whatever the order of keys and the alias', async () => {
    const { url, engine } = await openHttp();
    const first = await collectSse(await post(`${url}/v1/runs`, body));
    const { runId, ...rest } = { ...body, metadata: { b: { d: 3, c: 2 }, a: 1 } };
    const again = await collectSse(await post(`${url}/v1/runs`, { ...rest, task_id: runId }));
    expect(again).toEqual(first);
    expect(engine.commands).toHaveLength(1);
  });

  it('goes on where the client was', async () => {
    const { url } = await openHttp();
    const first = await collectSse(await post(`${url}/v1/runs`, body));
    for (let seen = 0; seen < first.length; seen++) {
      const again = await collectSse(await post(`${url}/v1/runs`, body, { 'last-event-id': `${seen}` }));
      expect(again).toEqual(first.slice(seen + 1));
      expect(await collectSse(await post(`${url}/v1/runs?after=${seen}`, body))).toEqual(again);
    }
    expect((await post(`${url}/v1/runs?after=x`, body)).status).toBe(400);
  });

  it('takes no position in a run that is new', async () => {
    const { url } = await openHttp();
    expect(await collectSse(await post(`${url}/v1/runs`, start, { 'last-event-id': '1' }))).toHaveLength(3);
  });

  it.each([
    ['another message', { messages: [{ role: 'user', content: 'ho' }] }],
    ['another thread', { threadId: 't' }],
    ['other metadata', { metadata: { a: 2 } }],
    ['another on_busy', { on_busy: 'enqueue' }],
    ['a decision', { decisions: [{ target_id: 'c', action: 'cancel' }] }],
  ])('with %s is refused', async (_name, change) => {
    const { url, engine } = await openHttp();
    await (await post(`${url}/v1/runs`, body)).text();
    const response = await post(`${url}/v1/runs`, { ...body, ...change });
    expect([response.status, await response.json()]).toEqual([409, { error: 'run already exists: r' }]);
    expect(engine.commands).toHaveLength(1);
  });

  it('is the same with decisions whose ids the server has made', async () => {
    const { url, engine } = await openHttp();
    const decided = { ...body, decisions: [{ target_id: 'c', action: 'cancel' }] };
    await (await post(`${url}/v1/runs`, decided)).text();
    expect((await post(`${url}/v1/runs`, decided)).status).toBe(200);
    expect(engine.commands).toHaveLength(1);
  });
});

describe('GET /v1/runs/:id', () => {
  it('gives the record', async () => {
    const { url } = await openHttp();
    await (await post(`${url}/v1/runs`, { ...start, runId: 'a+b c' })).text();
    expect(await (await fetch(`${url}/v1/runs/a+b%20c`)).json()).toMatchObject({
      run_id: 'a+b c',
      status: 'done',
      parent_run_id: null,
      metadata: null,
    });
  });
});

describe('GET /v1/runs/:id/events as a stream', () => {
  it('gives exactly the frames after each event, whatever the chunks (CONTRACT 1.6)', async () => {
    const { url, engine } = await openHttp();
    engine.script = () => [say.start(), say.text('a')];
    await post(`${url}/v1/runs`, { ...start, runId: 'r' }, { prefer: 'respond-async' });
    engine.append('r', say.text('b'), say.text('€'), say.waiting());
    engine.append('r', say.resumed(), say.waiting(), say.resumed(), say.text('c'));
    engine.append('r', say.text('d'), say.finish());
    const events = `${url}/v1/runs/r/events`;
    const all = await collectSse(events);
    expect(all.map(({ id }) => id)).toEqual([...Array(11).keys()].map(String));
    for (let seen = 0; seen < all.length; seen++) {
      const rest = all.slice(seen + 1);
      expect(await collectSse(events, { headers: { 'last-event-id': `${seen}` } })).toEqual(rest);
      expect(await collectSse(`${events}?after=${seen}`)).toEqual(rest);
      expect(await collectSse(`${events}?after=0`, { headers: { 'last-event-id': `${seen}` } })).toEqual(rest);
    }
    expect(await collectSse(`${events}?after=-1`)).toEqual(all);
  });

  it('stays open through pauses until the end', async () => {
    const { url, engine } = await openHttp();
    engine.script = () => [say.start(), say.waiting()];
    await (await post(`${url}/v1/runs`, { ...start, runId: 'r' })).text();
    const seen: string[] = [];
    for await (const frame of readSse(`${url}/v1/runs/r/events`)) {
      seen.push(...types([frame]));
      if (seen.length === 2) engine.append('r', say.resumed(), say.text('x'));
      if (seen.length === 4) engine.append('r', say.finish());
    }
    expect(seen).toEqual(['run_start', 'run_waiting', 'run_resumed', 'text_delta', 'run_finish']);
  });

  it('resumes at the tip of a run that goes on', async () => {
    const { url, engine } = await openHttp();
    engine.script = () => [say.start(), say.text('a')];
    await post(`${url}/v1/runs`, { ...start, runId: 'r' }, { prefer: 'respond-async' });
    const frames = collectSse(`${url}/v1/runs/r/events`, { headers: { 'last-event-id': '1' } });
    await expect.poll(() => engine.readers('r').length).toBe(1);
    engine.append('r', say.finish());
    expect((await frames).map(({ id }) => id)).toEqual(['2']);
  });

  it('refuses a position that the log of an active run does not have', async () => {
    const { url, engine } = await openHttp();
    engine.script = () => [say.start()];
    await post(`${url}/v1/runs`, { ...start, runId: 'r' }, { prefer: 'respond-async' });
    for (const id of ['1', '2', '999']) {
      const response = await fetch(`${url}/v1/runs/r/events`, { headers: { 'last-event-id': id } });
      expect([response.status, await response.json()]).toEqual([
        400,
        { error: `bad request: Last-Event-ID: the run has no event ${id}` },
      ]);
    }
    expect(engine.readers('r')).toEqual([]);
  });

  it.each(['x', '1.5', '-1', '1e3', '0x1', '99999999999999999999'])('refuses the position %s', async (id) => {
    const { url } = await openHttp();
    await (await post(`${url}/v1/runs`, { ...start, runId: 'r' })).text();
    const response = await fetch(`${url}/v1/runs/r/events`, { headers: { 'last-event-id': id } });
    expect(response.status).toBe(400);
  });
});

describe('GET /v1/runs/:id/events as a page', () => {
  const page = async (url: string): Promise<EventPage> =>
    (await fetch(url, { headers: json })).json() as Promise<EventPage>;

  it('gives what is stored, in pieces, and never waits', async () => {
    const { url, engine } = await openHttp();
    engine.script = () => [say.start(), say.text('a'), say.text('b')];
    await post(`${url}/v1/runs`, { ...start, runId: 'r' }, { prefer: 'respond-async' });
    const events = `${url}/v1/runs/r/events`;
    const all = await page(events);
    expect(all).toMatchObject({ has_more: false, next_after: 2 });
    expect(all.items.map(({ seq }) => seq)).toEqual([0, 1, 2]);
    expect(await page(`${events}?limit=2`)).toEqual({ items: all.items.slice(0, 2), has_more: true, next_after: 1 });
    expect(await page(`${events}?limit=2&after=1`)).toEqual({
      items: all.items.slice(2),
      has_more: false,
      next_after: 2,
    });
    expect(await page(`${events}?after=2`)).toEqual({ items: [], has_more: false, next_after: 2 });
    expect(await page(`${events}?limit=3`)).toMatchObject({ has_more: false });
    expect(await page(`${events}?limit=0&after=-5`)).toMatchObject({ has_more: true, next_after: 0 });
    engine.append('r', say.finish());
    expect(await page(`${events}?after=2`)).toMatchObject({
      items: [{ type: 'run_finish' }],
      has_more: false,
      next_after: 3,
    });
    expect(await page(`${events}?after=3`)).toEqual({ items: [], has_more: false, next_after: 3 });
    expect(engine.readers('r')).toEqual([]);
  });

  it('of a run that has said nothing is empty', async () => {
    const { url, engine } = await openHttp();
    engine.script = () => [];
    await post(`${url}/v1/runs`, { ...start, runId: 'r' }, { prefer: 'respond-async' });
    expect(await page(`${url}/v1/runs/r/events`)).toEqual({ items: [], has_more: false, next_after: null });
  });

  it('has the same events as the stream', async () => {
    const { url } = await openHttp();
    const frames = await collectSse(await post(`${url}/v1/runs`, { ...start, runId: 'r' }));
    const { items } = await page(`${url}/v1/runs/r/events?format=canonical`);
    expect(items.map((item) => JSON.stringify(item))).toEqual(frames.map(({ data }) => data));
  });
});

describe('POST /v1/runs/:id/cancel (CONTRACT 1.13)', () => {
  it('is 202 while the run is active, whatever body comes with it', async () => {
    const { url, engine } = await openHttp();
    engine.script = () => [];
    await post(`${url}/v1/runs`, { ...start, runId: 'r' }, { prefer: 'respond-async' });
    for (const body of [undefined, '', '{', 'x'.repeat(10_000)]) {
      const response = await fetch(`${url}/v1/runs/r/cancel`, {
        method: 'POST',
        ...(body === undefined ? {} : { body }),
      });
      expect([response.status, await response.json()]).toEqual([202, { status: 'cancel_requested', run_id: 'r' }]);
    }
    expect(engine.commands.slice(1)).toEqual(Array(4).fill({ type: 'cancel', run_id: 'r' }));
  });

  it('is 400 when the run is over', async () => {
    const { url } = await openHttp();
    await (await post(`${url}/v1/runs`, { ...start, runId: 'r' })).text();
    const response = await fetch(`${url}/v1/runs/r/cancel`, { method: 'POST' });
    expect([response.status, await response.json()]).toEqual([400, { error: 'run is not active' }]);
  });
});
