/** The AG-UI surface on a real socket, in front of the real engine (spec, AG-UI; CONTRACT-PROTOCOLS 6). */

import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { HostedEngine } from '../../src/actors/engine.js';
import { HttpServer } from '../../src/http/server.js';
import { FakeEngine } from '../support/fake-engine.js';
import { collectSse } from '../support/sse-client.js';
import { post } from '../support/http-server.js';
import { newGate, openServer } from './server.js';
import {
  eventsOf,
  framesOf,
  history,
  input,
  outline,
  rawFramesOf,
  readUntil,
  refusal,
  runRecord,
  said,
  start,
  streamOf,
  textOf,
  typesOf,
  user,
  eventually,
} from './wire.js';

const hello = { messages: [user('hello')] };

describe('what is refused, before the 200 (spec, Errors)', () => {
  const ok = { threadId: 't', runId: 'r', ...hello };
  it.each<[string, object, string]>([
    ['an empty threadId', { ...ok, threadId: '' }, 'bad request: threadId cannot be empty'],
    ['a blank threadId', { ...ok, threadId: ' \t' }, 'bad request: threadId cannot be empty'],
    ['no threadId', { ...ok, threadId: undefined }, 'bad request: threadId cannot be empty'],
    ['a null threadId', { ...ok, threadId: null }, 'bad request: threadId cannot be empty'],
    ['an empty runId', { ...ok, runId: '' }, 'bad request: runId cannot be empty'],
    ['no runId', { ...ok, runId: undefined }, 'bad request: runId cannot be empty'],
    [
      'a threadId that is no text',
      { ...ok, threadId: 5 },
      'bad request: threadId: Invalid input: expected string, received number',
    ],
    ['a runId that is no id', { ...ok, runId: 'a\u0000' }, 'bad request: runId: must not contain control characters'],
    [
      'messages that are none',
      { ...ok, messages: 'hello' },
      'bad request: messages: Invalid input: expected array, received string',
    ],
    [
      'a role nobody knows',
      { ...ok, messages: [{ role: 'robot', content: 'x' }] },
      "bad request: messages[0].role: Invalid discriminator value. Expected 'user' | 'system' | 'developer' | 'tool' | 'assistant' | 'reasoning' | 'activity'",
    ],
    [
      'content of no kind',
      { ...ok, messages: [{ role: 'user', content: 5 }] },
      'bad request: messages[0].content: expected a string or an array of parts',
    ],
    [
      'a tool message of no call',
      { ...ok, messages: [{ role: 'tool', content: 'x' }] },
      'bad request: messages[0].toolCallId: Invalid input: expected string, received undefined',
    ],
    ['a state that is no object', { ...ok, state: [1] }, 'bad request: state: expected an object'],
    [
      'a tool without a name',
      { ...ok, tools: [{ description: 'x' }] },
      'bad request: tools[0].name: Invalid input: expected string, received undefined',
    ],
    [
      'a tool executed nowhere',
      { ...ok, tools: [{ name: 'x', execute: 'moon' }] },
      'bad request: tools[0].execute: Invalid option: expected one of "frontend"|"backend"',
    ],
    [
      'a decision without an action',
      { ...ok, decisions: [{ target_id: 'c' }] },
      'bad request: decisions[0].action: Invalid option: expected one of "resume"|"cancel"',
    ],
    [
      'the same in forwardedProps',
      { ...ok, forwardedProps: { decisions: [{ target_id: 'c' }] } },
      'bad request: forwardedProps.decisions[0].action: Invalid option: expected one of "resume"|"cancel"',
    ],
    [
      'an answer of no status',
      { ...ok, resume: [{ interruptId: 'x', status: 'maybe' }] },
      'bad request: resume[0].status: Invalid option: expected one of "resolved"|"cancelled"',
    ],
    [
      'nothing on a new thread',
      { ...ok, messages: [] },
      'bad request: request must include user input or suspension decisions',
    ],
    [
      'decisions on a new thread',
      { ...ok, messages: [], decisions: [{ target_id: 'c', action: 'resume' }] },
      'bad request: request must include user input or suspension decisions',
    ],
  ])('%s', async (_, body, error) => {
    const { url } = await openServer();
    expect(await refusal(start(url, 'assistant', body))).toEqual([400, { error }]);
    expect((await fetch(`${url}/v1/ag-ui/threads/t/messages`)).status).toBe(404);
  });

  it('an agent that is not there, on every route that names one', async () => {
    const { url } = await openServer();
    const answer = [404, { error: 'agent not found: nobody' }];
    expect(await refusal(start(url, 'nobody', ok))).toEqual(answer);
    expect(await refusal(start(url, 'nobody', { threadId: 't', runId: 'r' }))).toEqual(answer);
    expect(await refusal(fetch(`${url}/v1/ag-ui/agents/nobody/threads/t/stream`))).toEqual(answer);
  });

  it('a thread and a run that are not there', async () => {
    const { url } = await openServer();
    expect(await refusal(fetch(`${url}/v1/ag-ui/threads/none/messages`))).toEqual([
      404,
      { error: 'thread not found: none' },
    ]);
    expect(await refusal(fetch(`${url}/v1/runs/none/events?format=ag-ui`))).toEqual([
      404,
      { error: 'run not found: none' },
    ]);
  });

  it('positions that are none', async () => {
    const { url } = await openServer();
    const { runId } = input('t');
    await eventsOf(start(url, 'assistant', { threadId: 't', runId, ...hello }));
    for (const id of ['x', '-1', '1.', '1.2.3', '1e9']) {
      expect(
        await refusal(fetch(`${url}/v1/runs/${runId}/events?format=ag-ui`, { headers: { 'last-event-id': id } })),
      ).toEqual([400, { error: 'bad request: Last-Event-ID: expected the id of a frame' }]);
    }
    expect(await refusal(fetch(`${url}/v1/runs/${runId}/events?format=ag-ui&after=x`))).toEqual([
      400,
      { error: 'bad request: after: expected the id of a frame' },
    ]);
  });

  it('anything before the runtime is open (spec, convention 5)', async () => {
    const [bound, opened] = [newGate(), newGate()];
    const openEngine = async (): Promise<HostedEngine> => {
      bound.open();
      await opened.passed;
      return new FakeEngine();
    };
    const server = new HttpServer({ openEngine, logger: pino({ enabled: false }) });
    onTestFinished(() => server.close());
    const listening = server.listen();
    await bound.passed;
    const { url } = server;
    const routes = [
      start(url, 'assistant', ok),
      fetch(streamOf(url, 'assistant', 't')),
      fetch(`${url}/v1/ag-ui/threads/t/messages`),
    ];
    for (const route of routes)
      expect(await refusal(route)).toEqual([500, { error: 'run service is not initialised' }]);
    opened.open();
    await listening;
  });

  it('a busy thread, for those who asked for that', async () => {
    const { url, gate } = await openServer();
    const first = input('t', hello);
    const running = start(url, 'gated', first);
    await (await running).body!.cancel();
    expect(await refusal(start(url, 'gated', input('t', { ...hello, on_busy: 'reject' })))).toEqual([
      409,
      { error: `thread is busy: ${first.runId}` },
    ]);
    gate.open();
  });
});

describe('a run', () => {
  it('is a stream of AG-UI events with resumable ids (CONTRACT 1.6)', async () => {
    const { url } = await openServer();
    const body = input('t', hello);
    const response = await start(url, 'assistant', body);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('x-run-id')).toBe(body.runId);
    expect(response.headers.get('x-thread-id')).toBe('t');
    const frames = await framesOf(response);
    const events = frames.map(({ event }) => event);
    expect(outline(events)).toEqual([
      'RUN_STARTED',
      'STEP_STARTED',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
      'STEP_FINISHED',
      'RUN_FINISHED',
    ]);
    expect(frames.slice(0, 4).map(({ id }) => id)).toEqual(['0', '1', '2.0', '2.1']);
    expect(events[0]).toMatchObject({ threadId: 't', runId: body.runId });
    expect(events.at(-1)).toMatchObject({
      runId: body.runId,
      result: { response: textOf(events) },
      outcome: { type: 'success' },
    });
    expect(JSON.stringify(events)).not.toContain('protocolVersion');
    expect(await runRecord(url, body.runId)).toMatchObject({ origin: 'ag_ui', agent_id: 'assistant', status: 'done' });
  });

  it('speaks 1.0 to those who do', async () => {
    const { url } = await openServer();
    const events = await eventsOf(start(url, 'assistant', input('t', { ...hello, protocolVersion: '1.0' })));
    expect(events[0]).toMatchObject({ protocolVersion: '1.0' });
    expect(events.at(-1)).toMatchObject({ usage: [{ inputTokens: expect.any(Number) }] });
    for (const protocolVersion of ['0.9', '1', 'x', null]) {
      const [started] = await eventsOf(start(url, 'assistant', input('t', { ...hello, protocolVersion })));
      expect(started).not.toHaveProperty('protocolVersion');
    }
  });

  it('goes on when its client leaves, unless the client asked for the other thing (CONTRACT 1.8)', async () => {
    const { url, gate } = await openServer();
    const [stays, goes] = [input('t1', hello), input('t2', { ...hello, forwardedProps: { onDisconnect: 'cancel' } })];
    for (const body of [stays, goes]) {
      await readUntil(start(url, 'gated', body), ({ type }) => type === 'TEXT_MESSAGE_CONTENT');
    }
    await eventually(() => runRecord(url, goes.runId)).toMatchObject({ termination_code: 'cancelled' });
    gate.open();
    await eventually(() => runRecord(url, stays.runId)).toMatchObject({ termination_code: 'natural' });
  });

  it('that has to wait for its turn begins when it comes (CONTRACT 1.9)', async () => {
    const { url, gate } = await openServer();
    await readUntil(start(url, 'gated', input('t', hello)), ({ type }) => type === 'TEXT_MESSAGE_CONTENT');
    const next = await start(url, 'spy', input('t', { messages: [user('and then?')], on_busy: 'enqueue' }));
    gate.open();
    expect(textOf(await eventsOf(next))).toBe('seen');
    expect((await said(url, 't')).slice(1)).toEqual(['assistant: one two three', 'user: and then?', 'assistant: seen']);
  });

  it('shows progress as the activity of the interface', async () => {
    const { url } = await openServer();
    const events = await eventsOf(start(url, 'worker', input('t', hello)));
    const call = events.find(({ type }) => type === 'TOOL_CALL_START')!.toolCallId as string;
    expect(events.find(({ type }) => type === 'ACTIVITY_SNAPSHOT')).toMatchObject({
      messageId: `tool_call:${call}`,
      activityType: 'tool-call-progress',
      replace: true,
      content: {
        type: 'tool-call-progress',
        schema: 'tool-call-progress.v1',
        node_id: `tool_call:${call}`,
        status: 'running',
        progress: expect.any(Number),
        message: expect.any(String),
      },
    });
  });

  it('that fails ends with an error', async () => {
    const { url } = await openServer();
    const events = await eventsOf(start(url, 'failing', input('t', hello)));
    expect(outline(events).slice(-3)).toEqual(['TEXT_MESSAGE_END', 'STEP_FINISHED', 'RUN_ERROR']);
    expect(events.at(-1)).toMatchObject({ code: 'error', message: 'the scripted model failed as it was asked to' });
  });

  it('that is cancelled says so, in the client’s words', async () => {
    const { url } = await openServer();
    const bodies = [input('t1', hello), input('t2', { ...hello, protocolVersion: '1.0' })];
    const [old, new1] = await Promise.all(
      bodies.map(async (body) => {
        const response = await start(url, 'gated', body);
        expect((await post(`${url}/v1/runs/${body.runId}/cancel`)).status).toBe(202);
        return eventsOf(response);
      }),
    );
    expect(old!.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'CANCELLED' });
    expect(new1!.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'cancelled' } });
  });

  it('that had to begin a step again shows the thread without the void part, whenever it is read', async () => {
    const { url } = await openServer();
    const body = input('t', { messages: [user('hello', 'u')] });
    const response = await start(url, 'flaky', body);
    const live = (await collectSse(response)).map((frame) => JSON.stringify(frame));
    const events = live.map((frame) => JSON.parse((JSON.parse(frame) as { data: string }).data) as { type: string });
    expect(outline(events)).toEqual([
      'RUN_STARTED',
      'STEP_STARTED',
      'REASONING_START',
      'REASONING_MESSAGE_START',
      'REASONING_MESSAGE_CONTENT',
      'REASONING_MESSAGE_END',
      'REASONING_END',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
      'TOOL_CALL_START',
      'TOOL_CALL_END',
      'MESSAGES_SNAPSHOT',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
      'STEP_FINISHED',
      'RUN_FINISHED',
    ]);
    expect(events.find(({ type }) => type === 'MESSAGES_SNAPSHOT')).toMatchObject({
      messages: [{ id: 'u', role: 'user', content: 'hello' }],
    });
    await eventsOf(start(url, 'assistant', input('t', { messages: [user('more', 'v')] })));
    const later = await collectSse(`${url}/v1/runs/${body.runId}/events?format=ag-ui`);
    expect(later.map((frame) => JSON.stringify(frame))).toEqual(live);
  });
});

describe('what a request brings', () => {
  it('overrides the agent for its run, at the top level or in forwardedProps (6.1)', async () => {
    const { url, prompts } = await openServer();
    const extras = { systemPrompt: 'be brief', config: { temperature: 0.5 } };
    const tools = [
      { name: 'paint', description: 'Paints.', parameters: { type: 'object', properties: {} } },
      { name: 'draw', execute: 'frontend' },
      { name: 'ours', execute: 'backend' },
    ];
    const context = [
      { description: 'page', value: 'shop' },
      { description: 'cart', value: '{"n":1}' },
    ];
    await eventsOf(start(url, 'spy', input('t1', { ...hello, ...extras, tools, context })));
    await eventsOf(start(url, 'spy', input('t2', { ...hello, forwardedProps: extras, tools, context })));
    await eventsOf(start(url, 'spy', input('t1', { messages: [user('again')] })));
    const asked = [
      [
        { role: 'system', content: 'be brief' },
        { role: 'system', content: 'page: shop\ncart: {"n":1}' },
        { role: 'user', content: [{ type: 'text', text: 'hello' }] },
      ],
      ['paint', 'draw'],
      0.5,
    ];
    expect(prompts.slice(0, 2)).toEqual([asked, asked]);
    expect(prompts[2]![0]).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'hello' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'seen' }] },
      { role: 'user', content: [{ type: 'text', text: 'again' }] },
    ]);
    expect(await said(url, 't1')).toEqual(['user: hello', 'assistant: seen', 'user: again', 'assistant: seen']);
  });

  it('ignores what an application keeps in forwardedProps', async () => {
    const { url } = await openServer();
    for (const forwardedProps of [
      { model: { a: 1 }, config: 'x', on_busy: 'never', systemPrompt: 5 },
      'text',
      [1],
      null,
    ]) {
      expect(typesOf(await eventsOf(start(url, 'spy', input('t', { ...hello, forwardedProps }))))).toContain(
        'RUN_FINISHED',
      );
    }
  });

  it('can be content in parts, and a developer’s words (6.1)', async () => {
    const { url } = await openServer();
    const parts = [
      { type: 'text', text: 'look' },
      { type: 'image', source: { type: 'url', value: 'http://x' } },
    ];
    await eventsOf(
      start(
        url,
        'spy',
        input('t', {
          messages: [
            { role: 'developer', content: 'be kind' },
            { role: 'user', content: parts },
          ],
        }),
      ),
    );
    expect(await said(url, 't')).toEqual(['system: be kind', 'user: look\n[image left out]', 'assistant: seen']);
  });

  it('merges its state into the thread’s', async () => {
    const { url } = await openServer();
    const events = await eventsOf(start(url, 'spy', input('t', { ...hello, state: { a: 1 } })));
    expect(typesOf(events).slice(0, 2)).toEqual(['RUN_STARTED', 'STATE_SNAPSHOT']);
    const more = await eventsOf(start(url, 'spy', input('t', { ...hello, state: { b: 2 } })));
    expect(more[1]).toMatchObject({ snapshot: { a: 1, b: 2 } });
    expect(typesOf(await eventsOf(start(url, 'spy', input('t', { ...hello, state: {} }))))).not.toContain(
      'STATE_SNAPSHOT',
    );
  });

  it('never puts a frontend tool in the place of the agent’s own (CONTRACT 11)', async () => {
    const { url } = await openServer();
    const tools = [{ name: 'note', description: 'mine', parameters: {} }];
    const events = await eventsOf(start(url, 'noting', input('t', { ...hello, tools })));
    expect(events.find(({ type }) => type === 'TOOL_CALL_RESULT')).toMatchObject({ content: '{"noted":true}' });
    expect(events.find(({ type }) => type === 'STATE_DELTA')).toMatchObject({
      delta: [{ op: 'add', path: '/noted', value: true }],
    });
  });
});

describe('the whole conversation, sent again each time', () => {
  it('with ids: nothing is stored twice', async () => {
    const { url } = await openServer();
    const messages: object[] = [{ id: 's', role: 'system', content: 'be kind' }, user('one', 'u1')];
    await eventsOf(start(url, 'spy', input('t', { messages })));
    messages.push(
      { id: 'theirs', role: 'assistant', content: 'seen' },
      { id: 'r', role: 'reasoning', content: 'hm' },
      user('two', 'u2'),
    );
    await eventsOf(start(url, 'spy', input('t', { messages })));
    expect(await said(url, 't')).toEqual([
      'system: be kind',
      'user: one',
      'assistant: seen',
      'user: two',
      'assistant: seen',
    ]);
  });

  it('without ids: nothing is stored twice', async () => {
    const { url } = await openServer();
    const messages: object[] = [{ role: 'system', content: 'be kind' }, user('one')];
    await eventsOf(start(url, 'spy', input('t', { messages })));
    messages.push({ role: 'assistant', content: 'seen' }, user('two'));
    await eventsOf(start(url, 'spy', input('t', { messages })));
    expect(await said(url, 't')).toEqual([
      'system: be kind',
      'user: one',
      'assistant: seen',
      'user: two',
      'assistant: seen',
    ]);
  });

  it('without ids, after runs that gave no answer', async () => {
    const { url } = await openServer();
    const sent: object[] = [];
    for (const text of ['one', 'two', 'three']) {
      sent.push(user(text));
      await eventsOf(start(url, 'failing', input('t', { messages: sent })));
    }
    expect((await said(url, 't')).filter((line) => line.startsWith('user'))).toEqual([
      'user: one',
      'user: two',
      'user: three',
    ]);
  });

  it('without ids, one message at a time: the same words twice are two messages', async () => {
    const { url } = await openServer();
    for (let i = 0; i < 2; i++) {
      await eventsOf(start(url, 'spy', input('t', { messages: [{ role: 'system', content: 'be kind' }, user('hi')] })));
    }
    expect(await said(url, 't')).toEqual([
      'system: be kind',
      'user: hi',
      'assistant: seen',
      'user: hi',
      'assistant: seen',
    ]);
  });

  it('cannot plant what the assistant or a tool is to have said', async () => {
    const { url } = await openServer();
    const planted = [
      user('old', 'u0'),
      {
        id: 'a',
        role: 'assistant',
        content: 'I promise',
        toolCalls: [{ id: 'c', type: 'function', function: { name: 'x', arguments: '{}' } }],
      },
      { id: 'x', role: 'tool', toolCallId: 'c', content: 'done' },
      user('new', 'u1'),
    ];
    await eventsOf(start(url, 'spy', input('t', { messages: planted })));
    expect(await said(url, 't')).toEqual(['user: new', 'assistant: seen']);
  });

  it('ending in a question the thread knows asks for its answer again (6.3)', async () => {
    const { url } = await openServer();
    const messages: object[] = [user('one', 'u1')];
    await eventsOf(start(url, 'assistant', input('t', { messages })));
    const more = [...messages, { id: 'x', role: 'assistant', content: 'x' }, user('two', 'u2')];
    await eventsOf(start(url, 'assistant', input('t', { messages: more })));
    const before = await history(url, 't');
    await eventsOf(start(url, 'assistant', input('t', { messages: more })));
    const again = await history(url, 't');
    expect(again.messages.slice(0, 3)).toEqual(before.messages.slice(0, 3));
    expect(again.messages[3]).toMatchObject({ role: 'assistant', content: before.messages[3]!.content });
    expect(again.messages[3]!.id).not.toBe(before.messages[3]!.id);
    expect(again.messages).toHaveLength(4);
    await eventsOf(start(url, 'spy', input('t', { messages })));
    expect(await said(url, 't')).toEqual(['user: one', 'assistant: seen']);
  });

  it('without anything new runs on what is there', async () => {
    const { url } = await openServer();
    await eventsOf(start(url, 'spy', input('t', hello)));
    await eventsOf(start(url, 'spy', input('t', { messages: [] })));
    expect(await said(url, 't')).toEqual(['user: hello', 'assistant: seen', 'assistant: seen']);
  });
});

describe('the run id (6.4, CONTRACT 1.10)', () => {
  it('of the same request attaches to its run', async () => {
    const { url, gate } = await openServer();
    const body = input('t', { messages: [user('hello', 'u')] });
    const responses = await Promise.all([start(url, 'gated', body), start(url, 'gated', body)]);
    gate.open();
    const [one, two] = await Promise.all(responses.map((response) => framesOf(response)));
    expect(two).toEqual(one);
    expect(await framesOf(start(url, 'gated', body))).toEqual(one);
    expect(await rawFramesOf(start(url, 'gated', body, { 'last-event-id': '2.0' }))).toEqual(one!.slice(3));
    expect(await said(url, 't')).toEqual(['user: hello', 'assistant: one two three']);
  });

  it('that is taken is what the client is told, and not what the run is called', async () => {
    const { url } = await openServer();
    const body = input('t', hello);
    await eventsOf(start(url, 'spy', body));
    const response = await start(url, 'spy', { ...body, messages: [user('more')] });
    const inner = response.headers.get('x-run-id')!;
    expect(inner).not.toBe(body.runId);
    const events = await eventsOf(response);
    expect([events[0], events.at(-1)]).toMatchObject([{ runId: body.runId }, { runId: body.runId }]);
    expect(await runRecord(url, inner)).toMatchObject({ status: 'done', thread_id: 't' });
  });
});

describe('GET /v1/ag-ui/threads/:id/messages (6.6)', () => {
  it('gives the streamed ids, calls and results', async () => {
    const { url } = await openServer();
    const events = await eventsOf(start(url, 'noting', input('t', { messages: [user('hi', 'u')] })));
    const idOf = (type: string) => events.find((event) => event.type === type)!;
    expect(await history(url, 't')).toEqual({
      messages: [
        { id: 'u', role: 'user', content: 'hi' },
        {
          id: idOf('TOOL_CALL_START').parentMessageId,
          role: 'assistant',
          toolCalls: [{ id: 'n_hi', type: 'function', function: { name: 'note', arguments: '{}' } }],
        },
        { id: idOf('TOOL_CALL_RESULT').messageId, role: 'tool', toolCallId: 'n_hi', content: '{"noted":true}' },
        { id: idOf('TEXT_MESSAGE_START').messageId, role: 'assistant', content: 'note: {"noted":true}' },
      ],
      has_more: false,
      next_cursor: 3,
      prev_cursor: 0,
    });
  });

  it('is paged as every message list (CONTRACT 3.2)', async () => {
    const { url } = await openServer();
    const runs = [input('t', { messages: [user('one')] }), input('t', { messages: [user('two')] })];
    for (const body of runs) await eventsOf(start(url, 'spy', body));
    const texts = async (query: string) => {
      const { messages, ...rest } = await history(url, 't', query);
      return { texts: messages.map(({ content }) => content), ...rest };
    };
    expect(await texts('?limit=3')).toEqual({
      texts: ['one', 'seen', 'two'],
      has_more: true,
      next_cursor: 2,
      prev_cursor: 0,
    });
    expect(await texts('?limit=3&after=2')).toEqual({
      texts: ['seen'],
      has_more: false,
      next_cursor: 3,
      prev_cursor: 3,
    });
    expect(await texts('?limit=2&order=desc')).toEqual({
      texts: ['seen', 'two'],
      has_more: true,
      next_cursor: 2,
      prev_cursor: 3,
    });
    expect(await texts('?before=1')).toEqual({ texts: ['one'], has_more: false, next_cursor: 0, prev_cursor: 0 });
    expect(await texts(`?run_id=${runs[1]!.runId}`)).toMatchObject({ texts: ['two', 'seen'] });
    expect(await texts('?visibility=internal')).toEqual({
      texts: [],
      has_more: false,
      next_cursor: null,
      prev_cursor: null,
    });
    expect(await texts('?visibility=none&limit=999')).toMatchObject({ texts: ['one', 'seen', 'two', 'seen'] });
    for (const [query, error] of [
      ['?order=up', 'order: expected one of asc, desc'],
      ['?visibility=x', 'visibility: expected one of all, public, internal, none'],
      ['?limit=x', 'limit: expected an integer'],
      ['?after=1&after=2', 'after: given more than once'],
      ['?run_id=a&run_id=b', 'run_id: given more than once'],
    ]) {
      expect(await refusal(fetch(`${url}/v1/ag-ui/threads/t/messages${query}`))).toEqual([
        400,
        { error: `bad request: ${error}` },
      ]);
    }
  });
});
