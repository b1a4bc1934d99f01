/** The interface document's A2A tables, row by row, by the routes of a whole server. */

import { describe, expect, it } from 'vitest';
import { asker, echo, holder, openService, user, type Json, type Service } from '../../../test/support/service.js';
import { parseTokens } from '../tokens.js';

type Task = {
  taskId: string;
  contextId: string;
  status: string;
  origin: string;
  terminationCode: string | null;
  message: Json | null;
  artifacts: Json[];
  history: Json[];
};
type Accepted = { contextId: string; taskId: string; status: string };

const CARD = '/.well-known/agent-card.json';
const agentPath = (id: string): string => `/v1/a2a/agents/${id}`;
const taskPath = (id: string, task: string): string => `${agentPath(id)}/tasks/${task}`;

const send = (service: Service, agent: string, body: unknown, headers?: Record<string, string>) =>
  service.call<Accepted & { error: string }>('POST', `${agentPath(agent)}/message:send`, body, headers);

const taskOf = async (service: Service, agent: string, id: string): Promise<Task> =>
  (await service.call<Task>('GET', taskPath(agent, id))).body;

const untilTask = (service: Service, agent: string, id: string, status: string) =>
  expect.poll(() => taskOf(service, agent, id)).toMatchObject({ status });

const approve = (target_id: string, decision_id = 'd1'): Json => ({
  target_id,
  decision_id,
  action: 'resume',
  result: { approved: true },
  updated_at: 1,
});

describe('the well-known card', () => {
  it('leads to the one agent there is', async () => {
    const { call } = await openService({ agents: [echo('a b')] });
    const { status, body, headers } = await call(`GET`, CARD);
    expect(status).toBe(200);
    expect(body.url).toBe('/v1/a2a/agents/a%20b/message:send');
    expect(body.capabilities).toMatchObject({ taskManagement: true, streaming: true, agentDiscovery: true });
    expect(headers.get('cache-control')).toBe('public, max-age=30, must-revalidate');
    expect(headers.get('etag')).toMatch(/^W\/"a2a-agents-[0-9a-f]{16}"$/);
  });

  it.each([[[]], [[echo('one'), echo('two')]]])('leads to the list of agents when there is not one', async (agents) => {
    const { call } = await openService({ agents });
    expect((await call('GET', CARD)).body.url).toBe('/v1/a2a/agents');
  });

  it('has a tag that changes with the agents alone', async () => {
    const tag = async (...agents: ReturnType<typeof echo>[]) => {
      const { call, url } = await openService({ agents });
      const { headers } = await call('GET', CARD, undefined, { host: new URL(url).host });
      return headers.get('etag');
    };
    const { call } = await openService({ agents: [echo('one')] });
    const first = (await call('GET', CARD)).headers.get('etag');
    expect((await call('GET', CARD)).headers.get('etag')).toBe(first);
    expect(await tag(echo('two'))).not.toBe(await tag(echo('one'), echo('two')));
  });

  it.each([
    ['the tag', (tag: string) => tag],
    ['the tag, strong', (tag: string) => tag.slice(2)],
    ['*', () => '*'],
    ['a list', (tag: string) => `"x", ${tag} , W/"y"`],
    ['* in a list', () => '"x", *'],
  ])('is not sent to a client that has it: %s', async (_, have) => {
    const { call } = await openService({ agents: [echo()] });
    const etag = (await call('GET', CARD)).headers.get('etag')!;
    const { status, body, headers } = await call('GET', CARD, undefined, { 'if-none-match': have(etag) });
    expect(status).toBe(304);
    expect(body).toEqual({});
    expect(headers.get('etag')).toBe(etag);
    expect(headers.get('cache-control')).toBe('public, max-age=30, must-revalidate');
  });

  it.each(['"x"', 'W/"a2a-agents-0000000000000000"', '', 'a2a-agents'])('is sent to one that has %j', async (have) => {
    const { call } = await openService({ agents: [echo()] });
    expect((await call('GET', CARD, undefined, { 'if-none-match': have })).status).toBe(200);
  });

  it('is the one thing of this surface that needs no token', async () => {
    const { call } = await openService({ agents: [echo()], http: { tokens: parseTokens('secret') } });
    expect((await call('GET', CARD)).status).toBe(200);
    for (const path of ['/v1/a2a/agents', `${agentPath('echo')}/agent-card`, taskPath('echo', 'x')])
      expect((await call('GET', path)).status).toBe(401);
    const card = (await call('GET', CARD)).body;
    expect(card.capabilities).toMatchObject({ extendedAgentCard: true });
    expect(card.securitySchemes).toMatchObject({ bearer: { type: 'http', scheme: 'bearer' } });
  });
});

describe('agents', () => {
  it('are listed by id', async () => {
    const { call } = await openService({ agents: [echo('two'), echo('one')] });
    const { status, body } = await call('GET', '/v1/a2a/agents');
    expect(status).toBe(200);
    expect(body).toEqual(
      ['one', 'two'].map((id) => ({
        agentId: id,
        name: id,
        description: `${id} answers`,
        agentCardUrl: `/v1/a2a/agents/${id}/agent-card`,
        messageSendUrl: `/v1/a2a/agents/${id}/message:send`,
      })),
    );
  });

  it('have a card each', async () => {
    const { call, url } = await openService({ agents: [echo('two'), echo('one')] });
    const { body } = await call('GET', `${agentPath('two')}/agent-card`);
    expect(body).toMatchObject({
      name: 'two',
      url: '/v1/a2a/agents/two/message:send',
      protocolVersion: '0.3.0',
      preferredTransport: 'AGENT-RUN',
      additionalInterfaces: [{ transport: 'JSONRPC', url: `${url}/v1/a2a/rpc/two` }],
    });
    expect((await call('GET', `${agentPath('three')}/agent-card`)).body).toEqual({ error: 'agent not found: three' });
  });
});

describe('message:send', () => {
  it('submits a task, which is a run like any other', async () => {
    const service = await openService({ agents: [echo()] });
    const { status, body } = await send(service, 'echo', { input: ' hello ' });
    expect(status).toBe(202);
    expect(body).toEqual({ contextId: expect.any(String), taskId: expect.any(String), status: 'submitted' });
    await untilTask(service, 'echo', body.taskId, 'done');
    const task = await taskOf(service, 'echo', body.taskId);
    expect(task).toEqual({
      taskId: body.taskId,
      contextId: body.contextId,
      status: 'done',
      origin: 'a2a',
      terminationCode: 'natural',
      terminationDetail: null,
      createdAt: expect.any(Number),
      updatedAt: expect.any(Number),
      message: { role: 'assistant', content: 'well said' },
      artifacts: [{ content: 'well said' }],
      history: [
        { role: 'user', content: 'hello' },
        { role: 'assistant', content: 'well said' },
      ],
    });
    expect((await service.call('GET', `/v1/runs/${body.taskId}`)).body).toMatchObject({
      origin: 'a2a',
      thread_id: body.contextId,
    });
  });

  it('takes both spellings of ids, and input before message', async () => {
    const service = await openService({ agents: [echo()] });
    const { body } = await send(service, 'echo', {
      context_id: ' c1 ',
      input: ' first ',
      message: { role: 'system', content: ' second ' },
    });
    expect(body.contextId).toBe('c1');
    await untilTask(service, 'echo', body.taskId, 'done');
    expect((await taskOf(service, 'echo', body.taskId)).history.slice(0, 2)).toEqual([
      { role: 'user', content: 'first' },
      { role: 'system', content: 'second' },
    ]);
  });

  it.each(['taskId', 'task_id'])('continues the task named by %s', async (name) => {
    const service = await openService({ agents: [echo()] });
    const first = (await send(service, 'echo', { input: 'one' })).body;
    const { status, body } = await send(service, 'echo', { [name]: first.taskId, message: { content: 'two' } });
    expect(status).toBe(202);
    expect(body).toEqual({ contextId: first.contextId, taskId: expect.any(String), status: 'submitted' });
    expect(body.taskId).not.toBe(first.taskId);
    const run = (await service.call('GET', `/v1/runs/${body.taskId}`)).body;
    expect(run).toMatchObject({ parent_run_id: first.taskId, thread_id: first.contextId });
  });

  it('lets a task wait behind the active one', async () => {
    const { agent, release } = holder();
    const service = await openService({ agents: [agent] });
    const first = (await send(service, 'holder', { input: 'one' })).body;
    const second = (await send(service, 'holder', { contextId: first.contextId, input: 'two' })).body;
    expect(await taskOf(service, 'holder', second.taskId)).toMatchObject({
      status: 'waiting',
      terminationCode: 'queued',
      message: null,
      artifacts: [],
    });
    release();
    await untilTask(service, 'holder', second.taskId, 'done');
  });

  it('forwards decisions to the task, again and again', async () => {
    const service = await openService({ agents: [asker()] });
    const { taskId, contextId } = (await send(service, 'asker', { input: 'pay' })).body;
    await untilTask(service, 'asker', taskId, 'waiting');
    const decide = { taskId, decisions: [approve('call-1')] };
    const forwarded = { contextId, taskId, status: 'decision_forwarded' };
    expect(await send(service, 'asker', decide)).toMatchObject({ status: 202, body: forwarded });
    await untilTask(service, 'asker', taskId, 'done');
    expect(await send(service, 'asker', decide)).toMatchObject({ status: 202, body: forwarded });
    expect(await send(service, 'asker', { taskId, decisions: [approve('call-1', 'd2')] })).toMatchObject({
      status: 400,
      body: { error: 'task is not active' },
    });
  });

  it('submits once what is sent twice under one Idempotency-Key', async () => {
    const service = await openService({ agents: [echo()] });
    const key = { 'idempotency-key': 'k' };
    const [one, two] = await Promise.all([
      send(service, 'echo', { input: 'hello' }, key),
      send(service, 'echo', { input: 'hello' }, key),
    ]);
    expect(one.body).toEqual(two.body);
    expect((await service.call('GET', '/v1/runs')).body.total).toBe(1);
    expect((await send(service, 'echo', { input: 'other' }, key)).status).toBe(409);
  });

  const empty = 'bad request: payload must contain at least one of input, message, decisions, contextId, taskId';
  const needsTask = 'bad request: taskId: required when only decisions are sent';
  it.each<[string, string, unknown, number, string]>([
    ['action', 'echo/message:stream', {}, 400, "bad request: unsupported A2A action; expected 'message:send'"],
    ['action first', 'none/send', {}, 400, "bad request: unsupported A2A action; expected 'message:send'"],
    ['agent before payload', 'none/message:send', {}, 404, 'agent not found: none'],
    ['empty payload', 'echo/message:send', {}, 400, empty],
    ['no payload', 'echo/message:send', undefined, 400, empty],
    ['blank payload', 'echo/message:send', { input: ' ', contextId: '', message: { content: '\n' } }, 400, empty],
    ['no decisions', 'echo/message:send', { decisions: [] }, 400, empty],
    ['decisions without task', 'echo/message:send', { contextId: 'c', decisions: [approve('x')] }, 400, needsTask],
    ['decisions for nobody', 'echo/message:send', { taskId: 'x', decisions: [approve('x')] }, 404, 'run not found: x'],
    ['unknown task', 'echo/message:send', { taskId: 'x', input: 'a' }, 404, 'run not found: x'],
    [
      'wrong type',
      'echo/message:send',
      { input: 1 },
      400,
      'bad request: input: Invalid input: expected string, received number',
    ],
  ])('refuses: %s', async (_, path, body, status, error) => {
    const { call } = await openService({ agents: [echo()] });
    expect(await call('POST', `/v1/a2a/agents/${path}`, body)).toMatchObject({ status, body: { error } });
  });

  it('refuses a context that is not the task’s', async () => {
    const service = await openService({ agents: [echo()] });
    const { taskId } = (await send(service, 'echo', { input: 'one' })).body;
    expect(await send(service, 'echo', { taskId, contextId: 'other', input: 'two' })).toMatchObject({
      status: 400,
      body: { error: `bad request: contextId: task ${taskId} is in another context` },
    });
  });
});

describe('tasks', () => {
  it('are those of their agent', async () => {
    const service = await openService({ agents: [echo('one'), echo('two')] });
    const { taskId } = (await send(service, 'one', { input: 'hello' })).body;
    const notFound = { status: 404, body: { error: `run not found: ${taskId}` } };
    expect(await service.call('GET', taskPath('two', taskId))).toMatchObject(notFound);
    expect(await service.call('POST', `${taskPath('two', taskId)}:cancel`)).toMatchObject(notFound);
    expect(await send(service, 'two', { taskId, input: 'more' })).toMatchObject(notFound);
    expect((await service.call('GET', taskPath('one', taskId))).status).toBe(200);
  });

  it('are found by their mailbox entry as well', async () => {
    const { agent, release } = holder();
    const service = await openService({ agents: [agent] });
    const running = (await send(service, 'holder', { input: 'one' })).body;
    const queued = (await send(service, 'holder', { contextId: running.contextId, input: 'two' })).body;
    for (const { taskId } of [running, queued]) {
      const run = (await service.call<{ source_mailbox_entry_id: string }>('GET', `/v1/runs/${taskId}`)).body;
      expect(await taskOf(service, 'holder', run.source_mailbox_entry_id)).toMatchObject({ taskId });
    }
    release();
    await untilTask(service, 'holder', queued.taskId, 'done');
    const { source_mailbox_entry_id: entry } = (
      await service.call<{ source_mailbox_entry_id: string }>('GET', `/v1/runs/${queued.taskId}`)
    ).body;
    expect(await taskOf(service, 'holder', entry)).toMatchObject({ taskId: queued.taskId });
    const continued = await send(service, 'holder', { taskId: entry, input: 'three' });
    expect((await service.call('GET', `/v1/runs/${continued.body.taskId}`)).body.parent_run_id).toBe(queued.taskId);
    // Digits that lead to a run which this entry has not started.
    const forged = entry.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
    expect((await service.call('GET', taskPath('holder', forged))).status).toBe(404);
  });

  it('are cancelled while they are active', async () => {
    const { agent, release } = holder();
    const service = await openService({ agents: [agent] });
    const { taskId, contextId } = (await send(service, 'holder', { input: 'one' })).body;
    const queued = (await send(service, 'holder', { contextId, input: 'two' })).body;
    for (const id of [queued.taskId, taskId]) {
      expect(await service.call('POST', `${taskPath('holder', id)}:cancel`)).toMatchObject({
        status: 202,
        body: { taskId: id, status: 'cancel_requested' },
      });
      await untilTask(service, 'holder', id, 'done');
      expect(await taskOf(service, 'holder', id)).toMatchObject({ terminationCode: 'cancelled' });
      expect(await service.call('POST', `${taskPath('holder', id)}:cancel`)).toMatchObject({
        status: 400,
        body: { error: 'task is not active' },
      });
    }
    release();
  });

  it('of other surfaces are seen and stopped here', async () => {
    const service = await openService({ agents: [asker()] });
    const run = await service.run({ agentId: 'asker', messages: [user('pay')] });
    expect(await taskOf(service, 'asker', run.run_id)).toMatchObject({
      status: 'waiting',
      origin: 'user',
      terminationCode: 'input_required',
    });
    expect((await service.call('POST', `${taskPath('asker', run.run_id)}:cancel`)).status).toBe(202);
  });

  const suffix = "bad request: task cancel path must end with ':cancel'";
  it.each([
    ['GET', 'echo/tasks/x:cancel', 400, suffix],
    ['POST', 'echo/tasks/x', 400, suffix],
    ['POST', 'echo/tasks/x:stop', 400, suffix],
    ['POST', 'none/tasks/x', 400, suffix],
    ['POST', 'none/tasks/x:cancel', 404, 'agent not found: none'],
    ['GET', 'none/tasks/x', 404, 'agent not found: none'],
    ['GET', 'echo/tasks/x', 404, 'run not found: x'],
    ['POST', 'echo/tasks/x:cancel', 404, 'run not found: x'],
    ['POST', 'echo/tasks/:cancel', 400, 'bad request: task id: cannot be empty'],
    ['GET', 'echo/tasks/%E0%A4', 400, 'bad request: task id: malformed percent-encoding'],
    ['DELETE', 'echo/tasks/x', 405, 'method not allowed'],
    ['GET', 'echo/message:send', 405, 'method not allowed'],
  ])('refuses %s %s', async (method, path, status, error) => {
    const { call } = await openService({ agents: [echo()] });
    expect(await call(method, `/v1/a2a/agents/${path}`)).toMatchObject({ status, body: { error } });
  });
});
