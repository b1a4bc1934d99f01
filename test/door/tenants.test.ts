/**
 * Two tenants, each trying the other's ids on every route, every filter and every id of a body that the document names.
 *
 * What must hold: the answer is that for an id nobody has, word for word; nothing of the other ever stands in it; and the
 * other's threads, runs, messages and mailbox are afterwards what they were.
 */

import { describe, expect, it } from 'vitest';
import type { RunRecord } from '../../src/actors/records.js';
import { parseTokens } from '../../src/http/tokens.js';
import { asker, echo, openService, user, type Json, type Service } from '../support/service.js';
import { ask, bearer, operationsOf, pathOf, type Operation, type Said } from './operations.js';

const tokens = parseTokens('token-a * ann\ntoken-b * bob\ntoken-all');

/** All that a tenant has: a thread with a run that has ended, one with a run that waits and an entry behind it. */
type Holdings = { thread_id: string; run_id: string; waiting_run: string; entry_id: string; message_id: string };

async function settle(service: Service, name: string): Promise<Holdings> {
  const headers = { ...bearer(`token-${name}`), accept: 'application/json' };
  const post = (body: Json): Promise<{ body: RunRecord }> => service.call<RunRecord>('POST', '/v1/runs', body, headers);
  const said = `secret of ${name}`;
  const done = await post({
    agentId: 'echo',
    threadId: `thread-${name}`,
    runId: `run-${name}`,
    messages: [user(said, { id: `m-${name}` })],
    state: { [said]: true },
  });
  const waiting = await post({ agentId: 'asker', threadId: `thread-${name}`, messages: [user(said)] });
  const inputs = `/v1/runs/${waiting.body.run_id}/inputs`;
  await service.call('POST', inputs, { agentId: 'echo', messages: [user(`${said}, queued`)] }, headers);
  const box = await service.call<{ items: { entry_id: string }[] }>(
    'GET',
    `/v1/threads/thread-${name}/mailbox?status=queued`,
    undefined,
    headers,
  );
  return {
    thread_id: done.body.thread_id,
    run_id: done.body.run_id,
    waiting_run: waiting.body.run_id,
    entry_id: box.body.items[0]!.entry_id,
    message_id: `m-${name}`,
  };
}

async function openTenants(): Promise<{ service: Service; b: Holdings; operations: Operation[] }> {
  const service = await openService({ agents: [echo(), asker()], http: { tokens } });
  await settle(service, 'a');
  const b = await settle(service, 'b');
  return { service, b, operations: await operationsOf(service.url, 'token-all') };
}

/** Everything there is of a tenant, as somebody sees it who may see all. */
async function pictureOf(service: Service, { thread_id, run_id, waiting_run }: Holdings): Promise<string[]> {
  const paths = [
    `/v1/threads/${thread_id}`,
    `/v1/threads/${thread_id}/messages?visibility=none`,
    `/v1/threads/${thread_id}/mailbox?visibility=none&origin=none`,
    `/v1/runs/${run_id}`,
    `/v1/runs/${waiting_run}`,
    `/v1/runs?resource_id=bob`,
    `/v1/threads?resource_id=bob`,
  ];
  const said = await Promise.all(paths.map((path) => ask(service, { method: 'GET', path }, { token: 'token-all' })));
  expect(said.map(({ status }) => status)).toEqual(paths.map(() => 200));
  return said.map(({ text }) => text);
}

/** A body that the operation takes, with ids that nobody has. */
const bodies: Readonly<Record<string, () => Json>> = {
  startRun: () => ({ agentId: 'echo', messages: [user('x')] }),
  postRunInputs: () => ({ agentId: 'echo', messages: [user('x')], decisions: [] }),
  startAgUiRun: () => ({ threadId: fresh(), runId: fresh(), messages: [{ id: fresh(), ...user('x') }] }),
  startChatRun: () => ({
    id: fresh(),
    messages: [{ id: fresh(), role: 'user', parts: [{ type: 'text', text: 'x' }] }],
  }),
  patchThreadMetadata: () => ({ title: 'mine now' }),
  patchMailboxEntry: () => ({ priority: 1 }),
};
let count = 0;
const fresh = (): string => `fresh-${++count}`;

/** The id of the other tenant that a name of a path, a query or a body stands for. */
function idFor(name: string, b: Holdings, operation: string): string | undefined {
  const word = name.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();
  if (/message/.test(word)) return b.message_id;
  if (/resource/.test(word)) return 'bob';
  if (/entry/.test(word)) return b.entry_id;
  if (/actor/.test(word)) return `run:${b.waiting_run}`;
  if (/run_id|task_id/.test(word)) return operation === 'cancelRun' ? b.waiting_run : b.run_id;
  if (/thread|context|chat/.test(word) || (word === 'id' && operation === 'startChatRun')) return b.thread_id;
  return undefined;
}

const OTHERS = /secret of b|\bbob\b|thread-b|run-b|m-b\b/;

/** The answer without the id that was asked for, which the asker knows. */
const without = ({ text }: Said, ...asked: string[]): string =>
  asked.reduce((rest, id) => rest.replaceAll(id, '<id>').replaceAll(encodeURIComponent(id), '<id>'), text);

/** What differs from answer to answer. */
const steady = (text: string): string => text.replace(/[0-9a-f]{8}-[0-9a-f-]{27}|\d{13}|fresh-\d+/g, '<new>');

describe('a tenant who has the ids of another', () => {
  it('gets from every path the answer for an unknown id', async () => {
    const { service, b, operations } = await openTenants();
    const before = await pictureOf(service, b);
    const withIds = operations.filter(({ path }) => /\{(?!agent_id\}|name\})/.test(path));
    expect(withIds.length).toBeGreaterThan(15);
    for (const operation of withIds) {
      const { id, method, path, parameters } = operation;
      const names = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
      const theirs = Object.fromEntries(names.map((name) => [name, idFor(name, b, id) ?? 'echo']));
      const nobodys = Object.fromEntries(names.map((name) => [name, name === 'agent_id' ? 'echo' : 'nobody']));
      const options = { token: 'token-a', ...(operation.body ? { body: bodies[id]?.() ?? {} } : {}) };
      const [found, unknown] = [
        await ask(service, { method, path: pathOf({ path }, theirs) }, options),
        await ask(service, { method, path: pathOf({ path }, nobodys) }, options),
      ];
      const name = `${method} ${path}: ${found.status} ${found.text.slice(0, 300)}`;
      expect(found.status, name).toBe(unknown.status);
      const ids = names.filter((name) => name !== 'agent_id').map((name) => theirs[name]!);
      expect(without(found, ...ids), name).toBe(without(unknown, 'nobody'));
      expect([204, 403, 404], name).toContain(found.status);
    }
    expect(await pictureOf(service, b)).toEqual(before);
  });

  it('finds nothing by any filter', async () => {
    const { service, b, operations } = await openTenants();
    const lists = operations.filter(({ method, path }) => method === 'GET' && !/\{(?!name\})/.test(path));
    for (const { id, method, path, parameters } of lists) {
      const queries = parameters.flatMap(({ name, in: place, schema }) => {
        const theirs = idFor(name, b, id);
        if (place !== 'query') return [];
        if (theirs !== undefined) return [[name, theirs]];
        return (schema.enum ?? []).map((word) => [name, String(word)]);
      });
      for (const [name, value] of [['limit', '200'], ...queries]) {
        const asked = `${path}?limit=200&${name}=${encodeURIComponent(value!)}`.replace('limit=200&limit', 'limit');
        const said = await ask(service, { method, path: asked }, { token: 'token-a' });
        if (said.type.startsWith('text/event-stream')) throw new Error(`a stream: ${asked}`);
        expect(without(said, value!), `${asked}: ${said.status}`).not.toMatch(OTHERS);
      }
    }
    const page = (path: string): Promise<Said> => ask(service, { method: 'GET', path }, { token: 'token-a' });
    for (const path of ['/v1/runs', '/v1/threads', '/v1/threads/summaries', '/v1/approvals']) {
      const { items, total } = JSON.parse((await page(path)).text) as { items: object[]; total: number };
      expect([path, items.length, total]).toEqual([path, path === '/v1/runs' ? 3 : 1, path === '/v1/runs' ? 3 : 1]);
    }
    expect(JSON.parse((await page('/v1/runs?resource_id=bob')).text)).toEqual({ items: [], total: 0, has_more: false });
  });

  it('gets by every id of every body the answer for an unknown id, and no hold on anything', async () => {
    const { service, b, operations } = await openTenants();
    const before = await pictureOf(service, b);
    const run = (await service.call<RunRecord>('GET', '/v1/runs/run-a', undefined, bearer('token-a'))).body;
    const own: Json = { run_id: run.run_id, thread_id: run.thread_id, agent_id: 'echo' };
    let tried = 0;
    for (const { id, method, path, body } of operations) {
      for (const name of Object.keys(body?.properties ?? {})) {
        const theirs = idFor(name, b, id);
        if (theirs === undefined) continue;
        tried++;
        const request = { method, path: pathOf({ path }, own as Record<string, string>) };
        const send = (value: string): Promise<Said> =>
          ask(service, request, { token: 'token-a', body: { ...bodies[id]?.(), [name]: value } });
        const nobodys = fresh();
        const [found, unknown] = [await send(theirs), await send(nobodys)];
        const label = `${id} ${name}: ${found.status} ${found.text.slice(0, 300)}`;
        expect(without(found, theirs), label).not.toMatch(OTHERS);
        const words = (said: Said, id: string): string =>
          said.type.includes('stream') ? '' : steady(without(said, id));
        const hides = found.status === unknown.status && words(found, theirs) === words(unknown, nobodys);
        if (!hides) expect(refusal(found, theirs), label).toBe(true);
      }
    }
    expect(tried).toBeGreaterThan(15);
    expect(await pictureOf(service, b)).toEqual(before);
  });

  /** What an id that begins something new cannot hide is that it is taken; and its own resource is no secret. */
  const refusal = ({ status, text }: Said, id: string): boolean => {
    const { error } = JSON.parse(text) as { error: string };
    const words: Record<string, number> = {
      [`thread not found: ${id}`]: 404,
      [`run already exists: ${id}`]: 409,
      [`thread already exists: ${id}`]: 409,
      [`bad request: threadId: run run-a is on another thread`]: 400,
      'forbidden: the token is bound to another resource': 403,
    };
    return words[error] === status;
  };
});

describe('a tenant who calls by JSON-RPC', () => {
  const message = (ids: Json): Json => ({
    message: { messageId: fresh(), role: 'user', kind: 'message', parts: [{ kind: 'text', text: 'x' }], ...ids },
  });
  const calls: [method: string, params: (ids: { task: string; context: string }) => Json][] = [
    ['tasks/get', ({ task }) => ({ id: task })],
    ['tasks/cancel', ({ task }) => ({ id: task })],
    ['tasks/resubscribe', ({ task }) => ({ id: task })],
    ['message/send', ({ task }) => message({ taskId: task })],
    ['message/stream', ({ task }) => message({ taskId: task })],
    ['message/send', ({ context, task }) => message({ taskId: task, contextId: context })],
    ['GetTask', ({ task }) => ({ id: task })],
    ['CancelTask', ({ task }) => ({ id: task })],
    ['SubscribeToTask', ({ task }) => ({ id: task })],
  ];

  it('finds no task of another', async () => {
    const { service, b } = await openTenants();
    const before = await pictureOf(service, b);
    for (const [method, params] of calls) {
      const call = (ids: { task: string; context: string }): Promise<Said> =>
        ask(
          service,
          { method: 'POST', path: '/v1/a2a/rpc/asker' },
          { token: 'token-a', body: { jsonrpc: '2.0', id: 1, method, params: params(ids) } },
        );
      const found = await call({ task: b.waiting_run, context: b.thread_id });
      const unknown = await call({ task: 'nobody', context: 'nothing' });
      const label = `${method}: ${found.text.slice(0, 300)}`;
      expect(found.status, label).toBe(unknown.status);
      expect(without(found, b.waiting_run, b.thread_id), label).toBe(without(unknown, 'nobody', 'nothing'));
      expect(found.text, label).toMatch(/"error":\{/);
    }
    expect(await pictureOf(service, b)).toEqual(before);
  });
});

describe('what a tenant does', () => {
  it('is of its resource, and of no other', async () => {
    const { service } = await openTenants();
    const call = (body: Json): Promise<Said> =>
      ask(
        service,
        { method: 'POST', path: '/v1/runs' },
        { token: 'token-a', body, headers: { prefer: 'respond-async' } },
      );
    const started = JSON.parse((await call({ agentId: 'echo', messages: [user('x')] })).text) as RunRecord;
    expect(started.resource_id).toBe('ann');
    expect((await call({ agentId: 'echo', resourceId: 'ann', messages: [user('x')] })).status).toBe(202);
    expect(await call({ agentId: 'echo', resourceId: 'bob', messages: [user('x')] })).toMatchObject({
      status: 403,
      text: JSON.stringify({ error: 'forbidden: the token is bound to another resource' }),
    });
  });

  it('does not take over a thread that is nobody’s', async () => {
    const { service } = await openTenants();
    const start = (token: string): Promise<Said> =>
      ask(
        service,
        { method: 'POST', path: '/v1/runs' },
        { token, body: { agentId: 'echo', threadId: 'open', messages: [user('x')] } },
      );
    expect((await start('token-all')).status).toBe(200);
    expect((await start('token-a')).status).toBe(404);
    expect((await start('token-all')).status).toBe(200);
  });

  it('meets nobody under an idempotency key', async () => {
    const { service } = await openTenants();
    const start = async (token: string): Promise<RunRecord> => {
      const headers = { prefer: 'respond-async', 'idempotency-key': 'one' };
      const body = { agentId: 'echo', messages: [user('x')] };
      return JSON.parse(
        (await ask(service, { method: 'POST', path: '/v1/runs' }, { token, body, headers })).text,
      ) as RunRecord;
    };
    const [a, again, b] = [await start('token-a'), await start('token-a'), await start('token-b')];
    expect(again.run_id).toBe(a.run_id);
    expect(b.run_id).not.toBe(a.run_id);
  });

  it('frees a run id whose start was refused', async () => {
    const { service } = await openTenants();
    const start = (thread: string): Promise<Said> =>
      ask(
        service,
        { method: 'POST', path: '/v1/runs' },
        { token: 'token-a', body: { agentId: 'echo', runId: 'again', threadId: thread, messages: [user('x')] } },
      );
    expect((await start('thread-b')).status).toBe(404);
    expect((await start('thread-of-mine')).status).toBe(200);
  });
});
