/** The official protocol on the wire: notations, versions, errors, pages, files, and streams that go on where they broke. */

import { expect, describe, it, onTestFinished } from 'vitest';
import { post } from '../support/http-server.js';
import { collectSse, readSse, type SseFrame } from '../support/sse-client.js';
import { toolCall } from '../../src/agents/scripted/parts.js';
import { createServer } from '../../src/index.js';
import { parseTokens } from '../../src/http/tokens.js';
import { asker, echo, holder, openService, user, type Json, type Service } from '../support/service.js';
import { tempDir } from '../support/temp-dir.js';
import { newClient } from './clients.js';

type Rpc = { jsonrpc: string; id: unknown; result?: Json & { task?: Json }; error?: { code: number; message: string } };

const V1 = { 'a2a-version': '1.0' };
const message = (text: string, more: Json = {}): Json => ({
  message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text }], ...more },
});

const rpc = (service: Service, method: string, params?: unknown, headers: Record<string, string> = V1) =>
  service.call<Rpc>('POST', '/v1/a2a/rpc/echo', { jsonrpc: '2.0', id: 7, method, params }, headers);

const rest = <T = Json>(service: Service, method: string, path: string, body?: unknown, headers = V1) =>
  service.call<T>(method, `/v1/a2a/rest/${path}`, body, headers);

describe('JSON-RPC', () => {
  it.each<[string, string, unknown, Record<string, string>, number]>([
    ['an unknown method', 'Nothing', {}, V1, -32601],
    ['an unknown method, 0.3', 'nothing/at/all', {}, {}, -32601],
    ['no parameters', 'SendMessage', undefined, V1, -32602],
    ['parameters that are none', 'SendMessage', { message: { messageId: 'm', parts: [null] } }, V1, -32602],
    ['parameters that are none, 0.3', 'message/send', { message: 5 }, {}, -32602],
    ['a message that says nothing', 'SendMessage', { message: { messageId: 'm', parts: [] } }, V1, -32602],
    ['a message without an id', 'SendMessage', message('hi', { messageId: ' ' }), V1, -32602],
    ['a message of an agent', 'SendMessage', message('hi', { role: 'ROLE_AGENT' }), V1, -32602],
    ['an unknown task', 'GetTask', { id: 'nowhere' }, V1, -32001],
    ['an unknown task, 0.3', 'tasks/get', { id: 'nowhere' }, {}, -32001],
    ['a stream of an unknown task', 'SubscribeToTask', { id: 'nowhere' }, V1, -32001],
    ['a length that is none', 'GetTask', { id: 'x', historyLength: -1 }, V1, -32602],
    ['a page that is too large', 'ListTasks', { pageSize: 101 }, V1, -32602],
    ['a token of another server', 'ListTasks', { pageToken: 'xyz' }, V1, -32602],
    ['a state that cannot be listed', 'ListTasks', { status: 'TASK_STATE_REJECTED' }, V1, -32602],
    ['a version there is not', 'GetTask', { id: 'x' }, { 'a2a-version': '2.0' }, -32009],
    ['the extended card of nobody', 'GetExtendedAgentCard', {}, V1, -32004],
    [
      'a picture',
      'SendMessage',
      { message: { messageId: 'm', parts: [{ raw: 'AAAA', mediaType: 'image/png' }] } },
      V1,
      -32005,
    ],
  ])('refuses %s in its own form', async (_, method, params, headers, code) => {
    const { status, body } = await rpc(await openService({ agents: [echo()] }), method, params, headers);
    expect(status).toBe(200);
    expect(body).toMatchObject({ jsonrpc: '2.0', id: 7, error: { code, message: expect.any(String) } });
    expect(body.error!.message).not.toMatch(/Cannot read|undefined/);
  });

  it.each<[string, string, string, number, unknown]>([
    ['no JSON', '{', 'application/json', 200, { jsonrpc: '2.0', id: null, error: { code: -32700 } }],
    ['a list', '[]', 'application/json', 200, { jsonrpc: '2.0', id: null, error: { code: -32600 } }],
    ['another type', 'x', 'text/plain', 200, { jsonrpc: '2.0', id: null, error: { code: -32005 } }],
    ['too much', JSON.stringify({ x: 'y'.repeat(2000) }), 'application/json', 413, { jsonrpc: '2.0', error: {} }],
  ])('refuses %s', async (_, body, type, status, answer) => {
    const { url } = await openService({ agents: [echo()], http: { body_limit: 1000 } });
    const response = await fetch(`${url}/v1/a2a/rpc/echo`, { method: 'POST', body, headers: { 'content-type': type } });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject(answer as object);
  });

  it('knows no agent of another name', async () => {
    const { call } = await openService({ agents: [echo()] });
    const asked = { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 'x' } };
    expect(await call('POST', '/v1/a2a/rpc/none', asked)).toMatchObject({
      status: 404,
      body: { error: 'agent not found: none' },
    });
  });

  it('shows a caller with a token what the agent can do', async () => {
    const token = { authorization: 'Bearer secret' };
    const service = await openService({ agents: [asker('echo')], http: { tokens: parseTokens('secret') } });
    const { body } = await rpc(service, 'GetExtendedAgentCard', undefined, { ...V1, ...token });
    expect(body.result).toMatchObject({ skills: [{ id: 'echo' }, { id: 'tool:pay', name: 'pay' }] });
  });
});

describe('HTTP and JSON', () => {
  it('refuses in its own form, with its own type', async () => {
    const service = await openService({ agents: [echo()] });
    const { status, body, headers } = await rest(service, 'GET', 'echo/tasks/nowhere');
    expect(status).toBe(404);
    expect(body).toMatchObject({ error: { code: 404, status: 'NOT_FOUND', details: [{ reason: 'TASK_NOT_FOUND' }] } });
    expect(headers.get('content-type')).toContain('application/a2a+json');
    expect((await rest(service, 'POST', 'echo/message:send', {})).body).toMatchObject({
      error: { code: 400, status: 'INVALID_ARGUMENT' },
    });
    expect((await rest(service, 'GET', 'echo/tasks', undefined, { 'a2a-version': '0.3' })).status).toBe(400);
    expect((await rest(service, 'GET', 'none/tasks')).body).toEqual({ error: 'agent not found: none' });
    expect((await rest(service, 'PUT', 'echo/tasks')).body).toEqual({ error: 'method not allowed' });
  });

  it('needs no version, and takes the names of fields in both spellings', async () => {
    const service = await openService({ agents: [echo()] });
    const body = { message: { message_id: 'm', context_id: 'c', role: 'ROLE_USER', parts: [{ text: 'hi' }] } };
    const { status, body: sent } = await rest<{ task: Json }>(service, 'POST', 'echo/message:send', body, {} as never);
    expect(status).toBe(200);
    expect(sent.task).toMatchObject({ contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' } });
  });
});

describe('messages', () => {
  it('bring text, links, data and text files, and what is said about them', async () => {
    const service = await openService({ agents: [echo()] });
    const parts = [
      { text: 'look:' },
      { url: 'https://example.org/a.pdf', filename: 'a.pdf', mediaType: 'application/pdf' },
      { data: { a: [1] } },
      { raw: Buffer.from('x,y').toString('base64'), filename: 't.csv', mediaType: 'text/csv' },
    ];
    const { body } = await rest<{
      task: { id: string; metadata: Json; history: { parts: Json[]; messageId: string }[] };
    }>(service, 'POST', 'echo/message:send', {
      message: { messageId: 'm', role: 'ROLE_USER', parts, metadata: { b: 2 } },
      metadata: { a: 1 },
    });
    expect(body.task.history[0]).toMatchObject({
      messageId: 'm',
      parts: [{ text: 'look:\n[a.pdf (application/pdf): https://example.org/a.pdf]\n{"a":[1]}\n[t.csv]\nx,y' }],
    });
    expect(body.task.metadata).toMatchObject({ a: 1, b: 2 });
    expect((await service.call('GET', `/v1/runs/${body.task.id}`)).body.metadata).toEqual({ a: 1, b: 2 });
  });
});

describe('the tokens of a task', () => {
  it('are told with its end, and by the task itself from then on', async () => {
    const service = await openService({ agents: [echo()] });
    const response = await post(`${service.url}/v1/a2a/rest/echo/message:stream`, message('hi'), V1);
    const events = (await collectSse(response)).map(({ data }) => JSON.parse(data) as Record<string, Json>);
    const { taskId, metadata } = events.at(-1)!.statusUpdate!;
    expect(metadata).toEqual({ usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 } });
    expect((await rest(service, 'GET', `echo/tasks/${String(taskId)}`)).body).toMatchObject({ metadata });
  });
});

describe('the list of tasks', () => {
  type Page = {
    tasks: { id: string; status: { state: string } }[];
    nextPageToken: string;
    pageSize: number;
    totalSize: number;
  };

  it('goes from page to page, newest first, whatever begins meanwhile', async () => {
    const service = await openService({ agents: [echo(), echo('other')] });
    const ids: string[] = [];
    for (let i = 0; i < 7; i++) ids.push((await service.run({ agentId: 'echo', messages: [user(`${i}`)] })).run_id);
    await service.run({ agentId: 'other', messages: [user('no')] });
    const listed: string[] = [];
    let token = '';
    do {
      const query = `pageSize=3&pageToken=${token}&status=TASK_STATE_COMPLETED`;
      const { body } = await rest<Page>(service, 'GET', `echo/tasks?${query}`);
      listed.push(...body.tasks.map(({ id }) => id));
      expect(body).toMatchObject({ pageSize: 3, totalSize: listed.length > 3 ? 8 : 7 });
      if (token === '') await service.run({ agentId: 'echo', messages: [user('late')] });
      token = body.nextPageToken;
    } while (token !== '');
    expect(listed).toEqual(ids.reverse());
  });

  it('is filtered by context, state and time, and shows artifacts when asked', async () => {
    const service = await openService({ agents: [asker(), echo()] });
    const waiting = await service.run({ agentId: 'asker', threadId: 'c', messages: [user('pay')] });
    await service.run({ agentId: 'asker', messages: [user('pay')] });
    const list = async (query: string): Promise<Page> =>
      (await rest<Page>(service, 'GET', `asker/tasks?${query}`)).body;
    expect((await list('contextId=c')).tasks).toMatchObject([
      { id: waiting.run_id, status: { state: 'TASK_STATE_INPUT_REQUIRED' } },
    ]);
    expect(await list('status=TASK_STATE_INPUT_REQUIRED')).toMatchObject({ totalSize: 2 });
    expect(await list('status=TASK_STATE_WORKING')).toEqual({
      tasks: [],
      nextPageToken: '',
      pageSize: 50,
      totalSize: 0,
    });
    expect(await list('statusTimestampAfter=2999-01-01T00:00:00Z')).toMatchObject({ totalSize: 0 });
    await service.run({ agentId: 'echo', messages: [user('hi')] });
    const shown = (await rest<{ tasks: Json[] }>(service, 'GET', 'echo/tasks?includeArtifacts=true')).body.tasks;
    expect(shown[0]).toMatchObject({ artifacts: [{ parts: [{ text: 'well said' }] }] });
    expect((await rest<{ tasks: Json[] }>(service, 'GET', 'echo/tasks')).body.tasks[0]).not.toHaveProperty('artifacts');
  });
});

describe('a stream', () => {
  const subscribe = (url: string, id: string, after: string): Promise<SseFrame[]> =>
    collectSse(`${url}/v1/a2a/rest/echo/tasks/${id}:subscribe`, { headers: { 'last-event-id': after } });

  it('goes on behind any of its frames, in every notation, and has the same frames whenever it is read', async () => {
    const service = await openService({ agents: [echo()] });
    const { body } = await rpc(service, 'SendMessage', message('hi'));
    const { id } = body.result!.task as { id: string };
    const whole = await subscribe(service.url, id, '0');
    const ids = whole.map((frame) => Number(frame.id));
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
    expect(new Set(ids).size).toBe(ids.length);
    for (const [i, { id: seen }] of whole.entries())
      expect(await subscribe(service.url, id, seen!)).toEqual(whole.slice(i + 1));
    const client = await newClient(service.url, 'echo', 'JSONRPC');
    const told = [];
    for await (const event of client.resubscribe(id, { lastEventId: '0' })) told.push(event);
    expect(told).toHaveLength(whole.length);
  });

  it('loses nothing and repeats nothing when its connection breaks and its server is started anew', async () => {
    const data = await tempDir();
    const first = holder('echo');
    const before = createServer({ agents: [first.agent], data });
    onTestFinished(() => before.close());
    const url = await before.listen();
    const got: SseFrame[] = [];
    const asked = await fetch(`${url}/v1/a2a/rest/echo/message:stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...V1 },
      body: JSON.stringify(message('hi')),
    });
    for await (const frame of readSse(asked)) if (got.push(frame) && frame.data.includes('one moment')) break;
    const { id } = (JSON.parse(got[0]!.data) as { task: { id: string } }).task;
    await before.close();

    const second = holder('echo');
    second.release();
    const after = createServer({ agents: [second.agent], data });
    onTestFinished(() => after.close());
    const again = await after.listen();
    const rest = await subscribe(again, id, got.at(-1)!.id!);
    expect(rest.at(-1)!.data).toContain('TASK_STATE_COMPLETED');
    // What was told first is the task as it stood; what follows it is the log.
    const [, opening, ...others] = got;
    expect([...others, ...rest]).toEqual(await subscribe(again, id, opening!.id!));
    // The same message again: the same task, which has ended by now.
    const repeated = await fetch(`${again}/v1/a2a/rest/echo/message:send`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...V1 },
      body: JSON.stringify(message('hi')),
    });
    expect(await repeated.json()).toMatchObject({ task: { id, status: { state: 'TASK_STATE_COMPLETED' } } });
  });

  it('begins at a waiting task with its question and goes on when it is answered', async () => {
    const service = await openService({ agents: [asker('echo')] });
    const run = await service.run({ agentId: 'echo', messages: [user('pay')] });
    const frames = readSse(`${service.url}/v1/a2a/rest/echo/tasks/${run.run_id}:subscribe`);
    const { task } = JSON.parse((await frames.next()).value!.data as string) as { task: Json };
    expect(task).toMatchObject({ status: { state: 'TASK_STATE_INPUT_REQUIRED' } });
    const status = task.status as { message: { parts: { data?: { pending: Json[] } }[] } };
    expect(status.message.parts[1]!.data!.pending).toMatchObject([
      { tool_call_id: 'call-1', name: 'pay', kind: 'approval', arguments: { eur: 5 } },
    ]);
    const decisions = [{ target_id: 'call-1', decision_id: 'd', action: 'resume', result: { approved: true } }];
    await service.call('POST', `/v1/runs/${run.run_id}/inputs`, { decisions });
    const told: string[] = [];
    for await (const { data } of frames) told.push(data);
    expect(told.at(-1)).toContain('TASK_STATE_COMPLETED');
  });
});

describe('a message behind a task that is active', () => {
  /** Two messages, of which the second waits for its turn; `asks` lets the first one's task ask. */
  async function queued() {
    const { agent, release: asks } = holder('asker', toolCall('call-1', 'pay'));
    const service = await openService({ agents: [{ ...agent, tools: asker().tools }] });
    const thread = (state: Json) =>
      expect.poll(() => service.call('GET', '/v1/threads/c')).toMatchObject({ body: { ...state } });
    const send = (text: string) =>
      rest(service, 'POST', 'asker/message:send', message(text, { contextId: 'c', messageId: text }));
    const first = send('one');
    await thread({ status: 'running' });
    const second = send('two');
    await thread({ queued_count: 1 });
    return { service, first, second, asks };
  }

  it('is answered when that task asks for something', async () => {
    const { first, second, asks } = await queued();
    asks();
    expect((await first).body).toMatchObject({ task: { status: { state: 'TASK_STATE_INPUT_REQUIRED' } } });
    expect((await second).body).toMatchObject({ task: { status: { state: 'TASK_STATE_SUBMITTED' } } });
  });

  it('is answered when its own task ends before', async () => {
    const { service, second, first, asks } = await queued();
    const { items } = (await service.call<{ items: Json[] }>('GET', '/v1/threads/c/mailbox?status=queued')).body;
    await service.call('POST', `/v1/runs/${String(items[0]!.run_id)}/cancel`);
    expect((await second).body).toMatchObject({ task: { status: { state: 'TASK_STATE_CANCELED' } } });
    asks();
    await first;
  });
});

describe('one run on all surfaces', () => {
  it('begun here is decided on the run API, and stopped there', async () => {
    const service = await openService({ agents: [asker('echo'), holder('slow').agent] });
    const client = await newClient(service.url, 'echo', 'JSONRPC');
    const { id } = await client.send('pay');
    expect((await service.call('GET', `/v1/runs/${id}`)).body).toMatchObject({ origin: 'a2a', status: 'waiting' });
    const decisions = [{ target_id: 'call-1', decision_id: 'd', action: 'resume', result: { approved: true } }];
    expect((await service.call('POST', `/v1/runs/${id}/inputs`, { decisions })).status).toBe(202);
    await expect.poll(() => client.get(id)).toMatchObject({ state: 'completed', text: 'done' });
    const slow = await newClient(service.url, 'slow', 'HTTP+JSON');
    const task = await slow.send('hi', { blocking: false });
    expect((await service.call('POST', `/v1/runs/${task.id}/cancel`)).status).toBe(202);
    await expect.poll(() => slow.get(task.id)).toMatchObject({ state: 'canceled' });
  });

  it('begun on the run API is answered here, and stopped', async () => {
    const service = await openService({ agents: [asker('echo')] });
    const client = await newClient(service.url, 'echo', 'HTTP+JSON');
    const run = await service.run({ agentId: 'echo', messages: [user('pay')] });
    expect(await client.send('approved', { taskId: run.run_id })).toMatchObject({ id: run.run_id, state: 'completed' });
    expect((await service.call('GET', `/v1/runs/${run.run_id}`)).body).toMatchObject({ status: 'done' });
    const other = await service.run({ agentId: 'echo', messages: [user('pay')] });
    expect(await client.cancel(other.run_id)).toMatchObject({ state: 'canceled' });
    expect((await service.call('GET', `/v1/runs/${other.run_id}`)).body).toMatchObject({
      termination_code: 'cancelled',
    });
  });
});

describe('a client that leaves', () => {
  it.each(['continue', 'cancel'] as const)('%ss its task where the agent says so', async (on_disconnect) => {
    const { agent, release } = holder('echo');
    const service = await openService({ agents: [{ ...agent, on_disconnect }] });
    const patience = new AbortController();
    const asked = fetch(`${service.url}/v1/a2a/rest/echo/message:send`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...V1 },
      body: JSON.stringify(message('hi')),
      signal: patience.signal,
    });
    const listed = async () => (await rest<{ tasks: { id: string }[] }>(service, 'GET', 'echo/tasks')).body.tasks;
    await expect.poll(listed).toMatchObject([{ status: { state: 'TASK_STATE_WORKING' } }]);
    patience.abort();
    await expect(asked).rejects.toThrow();
    if (on_disconnect === 'continue') release();
    const state = on_disconnect === 'continue' ? 'TASK_STATE_COMPLETED' : 'TASK_STATE_CANCELED';
    await expect.poll(listed).toMatchObject([{ status: { state } }]);
    release();
  });
});

describe('push notification configs', () => {
  it('are kept with their task', async () => {
    const data = await tempDir();
    const server = createServer({ agents: [asker('echo')], data, push: { allow_private: true } });
    onTestFinished(() => server.close());
    const url = await server.listen();
    const ask = async (method: string, path: string, body?: unknown) => {
      const response = await fetch(`${url}/v1/a2a/rest/echo/${path}`, {
        method,
        headers: { ...V1, ...(body ? { 'content-type': 'application/json' } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      return { status: response.status, body: response.status === 204 ? {} : ((await response.json()) as Json) };
    };
    const { task } = (await ask('POST', 'message:send', message('pay'))).body as { task: { id: string } };
    const configs = `tasks/${task.id}/pushNotificationConfigs`;
    const config = {
      id: 'c1',
      url: 'http://127.0.0.1:9/hook',
      token: 't',
      authentication: { scheme: 'Bearer', credentials: 's' },
    };
    expect(await ask('POST', configs, config)).toMatchObject({ status: 201, body: { ...config, taskId: task.id } });
    expect(await ask('GET', configs)).toMatchObject({ body: { configs: [{ id: 'c1' }] } });
    expect(await ask('GET', `${configs}/c1`)).toMatchObject({ status: 200, body: { url: config.url } });
    expect((await ask('GET', `${configs}/c2`)).status).toBe(404);
    expect((await ask('POST', configs, { url: 'ftp://x' })).status).toBe(400);
    expect((await ask('DELETE', `${configs}/c1`)).status).toBe(204);
    expect((await ask('GET', `${configs}/c1`)).status).toBe(404);
    expect((await ask('GET', 'tasks/nowhere/pushNotificationConfigs')).status).toBe(404);
  });

  it('are refused where nobody may be told', async () => {
    const service = await openService({ agents: [echo()] });
    const { body } = await rpc(service, 'SendMessage', message('hi'));
    const { id } = body.result!.task as { id: string };
    const refused = await rpc(service, 'CreateTaskPushNotificationConfig', { taskId: id, url: 'https://example.org' });
    expect(refused.body.error!.code).toBe(-32003);
  });
});
