/** The live actors over a real socket (CONTRACT 9.1). */

import { describe, expect, it } from 'vitest';
import { openEngine } from '../../src/actors/index.js';
import { defineAgent } from '../../src/agents/agent.js';
import { createAgentRegistry } from '../../src/agents/registry.js';
import { finish, say, toolCall } from '../../src/agents/scripted/parts.js';
import { scriptedModel } from '../../src/agents/scripted/model.js';
import { defineTool } from '../../src/agents/tool.js';
import { MemoryStore } from '../../src/store/memory.js';
import { asker, echo, holder, openService, user, type Service } from '../support/service.js';

type Item = { id: string; kind: string; path: string[]; since: number; [key: string]: unknown };
type Page = { items: Item[]; total: number; has_more: boolean };

const list = async ({ call }: Service, query = ''): Promise<Page> =>
  (await call<Page>('GET', `/v1/actors${query}`)).body;
const ids = async (service: Service, query: string): Promise<string[]> =>
  (await list(service, query)).items.map(({ id }) => id).sort();

describe('GET /v1/actors', () => {
  it('filters by kind, state, thread, run and agent; the total is exact, the oldest state comes first', async () => {
    const { agent, release } = holder();
    const service = await openService({ agents: [asker(), agent, echo()] });
    const waits = await service.run({ agentId: 'asker', threadId: 'w', messages: [user('pay')] });
    const runs = await service.start({ agentId: 'holder', threadId: 'r', messages: [user('x')] });
    await service.run({ agentId: 'echo', threadId: 'idle', messages: [user('x')] });
    const [w, r] = [`run:${waits.run_id}`, `run:${runs.run_id}`];
    const call = `tool_call:${waits.run_id}:call-1`;
    expect(await ids(service, '')).toEqual([call, w, r, 'thread:r', 'thread:w'].sort());
    expect(await ids(service, '?kind=run')).toEqual([w, r].sort());
    expect(await ids(service, '?kind=run,thread&state=waiting')).toEqual(['thread:w', w].sort());
    expect(await ids(service, '?state=running')).toEqual([r, 'thread:r'].sort());
    expect(await ids(service, '?state=running.inferring,suspended')).toEqual([call, r].sort());
    expect(await ids(service, '?thread_id=w')).toEqual([call, w, 'thread:w'].sort());
    expect(await ids(service, `?run_id=${waits.run_id}`)).toEqual([call, w].sort());
    expect(await ids(service, '?agent_id=holder')).toEqual([r]);
    expect(await ids(service, '?thread_id=nobody')).toEqual([]);

    const oldest = await list(service, '?limit=2');
    expect(oldest).toMatchObject({ total: 5, has_more: true });
    const all = (await list(service)).items;
    expect(all.map(({ since }) => since)).toEqual(all.map(({ since }) => since).sort((a, b) => a - b));
    expect((await list(service, '?order=desc')).items).toEqual(all.toReversed());
    expect((await list(service, '?offset=3&limit=2')).items).toEqual(all.slice(3));
    release();
  });

  it.each(['kind=ghost', 'state=flying', 'order=up', 'limit=x', 'offset=-1'])('%s is refused', async (query) => {
    const service = await openService();
    expect((await service.call('GET', `/v1/actors?${query}`)).status).toBe(400);
  });

  it('shows the parent of a child thread, and what a run asks', async () => {
    const child = asker('child');
    const boss = defineAgent({
      id: 'boss',
      delegates: ['child'],
      model: scriptedModel(({ prompt }) =>
        prompt.at(-1)!.role === 'tool'
          ? say('done')
          : [...toolCall('sub', 'agent_run', { agent_id: 'child', prompt: 'pay' }), finish('tool-calls')],
      ),
    });
    const service = await openService({ agents: [boss, child] });
    const run = await service.run({ agentId: 'boss', threadId: 'top', messages: [user('go')] });
    const { items } = await list(service);
    const childThread = items.find(({ kind, thread_id }) => kind === 'thread' && thread_id !== 'top')!;
    expect(childThread.parent_id).toBe(`run:${run.run_id}`);
    const parent = items.find(({ id }) => id === `run:${run.run_id}`)!;
    expect(parent).toMatchObject({
      parent_id: 'thread:top',
      waiting_for: { kind: 'approval', tool_call_ids: ['sub'] },
    });
    const detail = await service.call<{ children: string[] }>('GET', `/v1/actors/${encodeURIComponent(parent.id)}`);
    expect(detail.body.children).toHaveLength(1);
    expect((await service.call('GET', `/v1/actors/run:${detail.body.children[0]}`)).body).toMatchObject({
      parent_run_id: run.run_id,
      parent_id: childThread.id,
    });
  });
});

describe('GET /v1/actors/:id', () => {
  const pay = defineTool({
    name: 'pay',
    description: 'pays',
    input: { type: 'object' },
    permission: 'ask',
    execute: () => 'paid',
  });
  const leaky = defineAgent({
    id: 'leaky',
    tools: [pay],
    approval_expiry_ms: 3_600_000,
    model: scriptedModel(() => [
      ...toolCall('call/1', 'pay', { to: 'me', card: { Password: 'hunter2' }, apiKey: 'k-123' }),
      finish('tool-calls'),
    ]),
  });

  it('shows context without secrets, deadlines and effects, of threads in memory or not', async () => {
    const service = await openService({ agents: [leaky, echo()], limits: { hot_threads: 1 } });
    const run = await service.run({ agentId: 'leaky', threadId: 't', messages: [user('pay')] });
    const id = encodeURIComponent(`tool_call:${run.run_id}:call/1`);
    const live = (await service.call('GET', `/v1/actors/${id}`)).body;
    expect(live).toMatchObject({
      memory: 'live',
      machine: 'tool-call',
      machine_version: 1,
      parent_id: `run:${run.run_id}`,
      tool: { name: 'pay', arguments: { to: 'me', card: { Password: '[redacted]' }, apiKey: '[redacted]' } },
      context: { plan: { arguments: { to: 'me', card: { Password: '[redacted]' }, apiKey: '[redacted]' } } },
      deadlines: [{ id: 'expiry', src: 'timer', due: run.updated_at + 3_600_000 }],
      effects: [{ id: 'expiry', src: 'timer', state: 'waiting' }],
      transitions: [
        { from: [], to: ['new'] },
        { event: 'GO', from: ['new'], to: ['suspended', 'asking'] },
      ],
    });
    for (let i = 0; i < 4; i++) await service.run({ agentId: 'echo', threadId: `u${i}`, messages: [user('x')] });
    await expect.poll(async () => (await service.call('GET', `/v1/actors/${id}`)).body['memory']).toBe('passivated');
    expect((await service.call('GET', `/v1/actors/${id}`)).body).toEqual({ ...live, memory: 'passivated' });
    for (const path of ['/v1/actors', '/v1/approvals', `/v1/actors/run:${run.run_id}`, `/v1/actors/${id}`])
      expect(JSON.stringify((await service.call('GET', path)).body)).not.toMatch(/hunter2|k-123/);
  });

  it('shows runs that are queued or done, and threads that are idle, as their records have them', async () => {
    const service = await openService({ agents: [asker(), echo()] });
    await service.run({ agentId: 'asker', threadId: 't', messages: [user('pay')] });
    const queued = await service.start({ agentId: 'echo', threadId: 't', onBusy: 'enqueue', messages: [user('x')] });
    const done = await service.run({ agentId: 'echo', threadId: 'u', messages: [user('x')] });
    const of = async (id: string) => (await service.call('GET', `/v1/actors/${id}`)).body;
    expect(await of(`run:${queued.run_id}`)).toMatchObject({ value: 'queued', path: ['queued'], context: null });
    expect(await of('thread:t')).toMatchObject({ value: 'waiting', queued: 1 });
    expect(await of(`run:${done.run_id}`)).toMatchObject({
      value: 'done',
      path: ['done'],
      memory: 'passivated',
      context: null,
      transitions: [],
      enabled_events: [{ event: 'FAULT' }],
    });
    expect(await of('thread:u')).toMatchObject({
      value: 'idle',
      enabled_events: [{ event: 'START' }, { event: 'INTERRUPT' }],
    });
  });

  it.each(['run:nobody', 'thread:nobody', 'nonsense', 'tool_call:a:b', 'run:'])('404 for %s', async (id) => {
    const service = await openService();
    expect(await service.call('GET', `/v1/actors/${id}`)).toMatchObject({
      status: 404,
      body: { error: `actor not found: ${id}` },
    });
  });
});

describe('a server that was killed', () => {
  it('shows the same actors afterwards', async () => {
    const { agent, release } = holder();
    const store = new MemoryStore();
    const agents = createAgentRegistry([asker(), agent, echo()]);
    const before = await openEngine({ store, agents });
    const start = async (agent_id: string, thread_id: string) =>
      (
        await before.deliver({
          type: 'start',
          start: {
            agent_id,
            thread_id,
            origin: 'user',
            on_busy: 'enqueue',
            messages: [{ role: 'user', content: 'x' }],
          },
        })
      ).run.run_id;
    for (let i = 0; i < 3; i++) await start('asker', `w${i}`);
    await start('echo', 'w1');
    await start('holder', 'r');
    const query = { offset: 0, limit: 200, order: 'asc' } as const;
    const look = async (engine: typeof before) =>
      (await engine.inspect().actors(query)).items.map(({ memory: _, ...item }) => item);
    await expect.poll(async () => (await look(before)).filter(({ value }) => value === 'waiting')).toHaveLength(6);
    const then = await look(before);
    store.crash();
    const after = await openEngine({ store: new MemoryStore(store.disk), agents });
    // A run that was asking its model asks again: that is a transition, but the state is the same.
    expect(await look(after)).toEqual(then);
    expect(after.inspect().stats()).toMatchObject({ running: 1, waiting: 3, queued: 1 });
    release();
    await after.close(0);
  });
});
