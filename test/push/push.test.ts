/** Push notifications from the commit to the receiver: retries, crashes, order, dead letters. */

import { describe, expect, onTestFinished, test } from 'vitest';
import type { DeliverPush, PushConfig, PushDelivery } from '../../src/actors/index.js';
import { checkStore } from '../../src/actors/doctor/index.js';
import { PushRefused } from '../../src/actors/index.js';
import { defineAgent } from '../../src/agents/agent.js';
import { scriptedModel } from '../../src/agents/scripted/model.js';
import { finish, say, toolCall } from '../../src/agents/scripted/parts.js';
import { defineTool } from '../../src/agents/tool.js';
import { pushDeliverer } from '../../src/http/push/deliver.js';
import { verify } from '../../src/http/push/signature.js';
import { MemoryStore } from '../../src/store/memory.js';
import { bench, type Bench } from '../support/engine.js';
import { FakeClock } from '../support/fake-clock.js';
import { receiver } from '../support/receiver.js';

const pay = defineTool({
  name: 'pay',
  description: 'pays',
  input: { type: 'object' },
  permission: 'ask',
  execute: () => 'paid',
});
const agents = [
  defineAgent({ id: 'talker', model: scriptedModel(() => say('forty-two')) }),
  defineAgent({
    id: 'payer',
    tools: [pay],
    model: scriptedModel(({ prompt }) =>
      prompt.at(-1)!.role === 'tool' ? say('done') : [...toolCall('c1', 'pay'), finish('tool-calls')],
    ),
  }),
];

const config = (url: string, more: Partial<PushConfig> = {}): PushConfig => ({
  id: 'c',
  url,
  token: 'tok',
  authentication: null,
  version: '1.0',
  ...more,
});

async function opened(deliverPush: DeliverPush, more: { store?: MemoryStore; clock?: FakeClock } = {}): Promise<Bench> {
  const world = await bench(agents, { deliverPush, ...more });
  onTestFinished(async () => {
    await world.engine.close(0);
    expect((await checkStore(new MemoryStore(world.store.disk))).faults).toEqual([]);
  });
  return world;
}

/** Keeps what it is told; the first `failures` attempts fail. */
function listener(failures = 0, error: Error = new Error('the receiver answered 500')) {
  const told: PushDelivery[] = [];
  let left = failures;
  const deliver: DeliverPush = async (delivery) => {
    told.push(delivery);
    if (left-- > 0) throw error;
  };
  return { told, deliver, states: () => told.map(({ news }) => news.run.status) };
}

const letters = async ({ engine }: Bench) =>
  (await engine.list({ kind: 'push_dead_letters', offset: 0, limit: 10 })).items;

describe('who is told', () => {
  const set = ({ engine }: Bench, run_id: string, id: string) =>
    engine.deliver({ type: 'set_push', run_id, config: config(`http://${id}/`, { id }) });
  const told = async ({ engine }: Bench, run_id: string) =>
    (await engine.read({ kind: 'push', run_id }))!.map(({ id }) => id).sort();

  test.each<['talker' | 'payer', string]>([
    ['talker', 'has ended'],
    ['payer', 'waits'],
  ])('of changes at the same time none is lost: a run of the %s, which %s', async (agent, _) => {
    const world = await opened(listener().deliver);
    const { run_id } = await world.start(agent, 'go');
    await world.settle(run_id);
    await set(world, run_id, 'old');
    await Promise.all([
      set(world, run_id, 'a'),
      set(world, run_id, 'b'),
      world.engine.deliver({ type: 'delete_push', run_id, config_id: 'old' }),
      set(world, run_id, 'c'),
    ]);
    expect(await told(world, run_id)).toEqual(['a', 'b', 'c']);
  });

  test('one that is set while the run ends is kept', async () => {
    const world = await opened(listener().deliver);
    const { run_id } = await world.start('payer', 'go');
    await world.settle(run_id);
    await Promise.all([
      set(world, run_id, 'a'),
      world.engine.deliver({ type: 'cancel', run_id }),
      set(world, run_id, 'b'),
      set(world, run_id, 'c'),
    ]);
    expect(await told(world, run_id)).toEqual(['a', 'b', 'c']);
  });
});

describe('what is told', () => {
  test('each change of the state, in order, once', async () => {
    const there = listener();
    const world = await opened(there.deliver);
    const { run_id } = await world.start('payer', 'go', { push: config('http://x/') });
    await world.settle(run_id);
    await world.decide(run_id, 'c1');
    await world.settle(run_id);
    await expect.poll(() => there.told).toHaveLength(4);
    expect(there.states()).toEqual(['running', 'waiting', 'running', 'done']);
    expect(there.told[1]!.news.pending).toMatchObject([{ kind: 'approval', tool_call_id: 'c1' }]);
    expect(there.told[3]!.news.response).toMatchObject({ text: 'done' });
    expect(new Set(there.told.map(({ delivery_id }) => delivery_id)).size).toBe(4);
  });

  test('from when it was asked for, until it is asked for no more', async () => {
    const there = listener();
    const world = await opened(there.deliver);
    const { run_id } = await world.start('payer', 'go');
    await world.settle(run_id);
    await world.engine.deliver({ type: 'set_push', run_id, config: config('http://x/') });
    expect(await world.engine.read({ kind: 'push', run_id })).toEqual([config('http://x/')]);
    await world.decide(run_id, 'c1');
    await world.settle(run_id);
    await expect.poll(() => there.states()).toEqual(['running', 'done']);
    expect(await world.engine.deliver({ type: 'delete_push', run_id, config_id: 'c' })).toEqual({ deleted: true });
    expect(await world.engine.deliver({ type: 'delete_push', run_id, config_id: 'c' })).toEqual({ deleted: false });
    expect(await world.engine.read({ kind: 'push', run_id })).toEqual([]);
  });

  test('nobody can be named where nobody delivers', async () => {
    const world = await bench(agents);
    onTestFinished(() => world.engine.close(0));
    const { run_id } = await world.start('talker', 'go');
    const refused = world.engine.deliver({ type: 'set_push', run_id, config: config('http://x/') });
    await expect(refused).rejects.toMatchObject({ code: 'bad_request' });
  });
});

describe('a receiver that fails', () => {
  test('twice and then takes it: pauses double, the order holds', async () => {
    const clock = new FakeClock();
    const there = listener(2);
    const world = await opened(there.deliver, { clock });
    const { run_id } = await world.start('talker', 'go', { push: config('http://x/') });
    await world.events(run_id);
    await expect.poll(() => there.told).toHaveLength(1);
    await eventually(clock, 1_000, () => there.told.length === 2);
    await eventually(clock, 2_000, () => there.told.length === 4);
    expect(there.states()).toEqual(['running', 'running', 'running', 'done']);
    expect(new Set(there.told.slice(0, 3).map(({ delivery_id }) => delivery_id)).size).toBe(1);
  });

  test('over HTTP: signed each time, told at last', async () => {
    const clock = new FakeClock();
    const there = await receiver([500, 503]);
    const world = await opened(
      pushDeliverer({ allow_private: true, secret: () => 'key' }, () => clock.now()),
      { clock },
    );
    const { run_id } = await world.start('talker', 'go', { push: config(there.url) });
    await world.events(run_id);
    await eventually(clock, 1_000, () => there.told.length === 4);
    for (const { body, headers } of there.told)
      expect(verify('key', body, headers['x-agent-server-signature'] as string, clock.now() / 1_000)).toBe(true);
    expect(there.told.map(({ headers }) => headers['x-a2a-notification-token'])).toEqual(Array(4).fill('tok'));
    expect(JSON.parse(there.told[3]!.body)).toMatchObject({ task: { status: { state: 'TASK_STATE_COMPLETED' } } });
  });

  test('for a day is given up: a dead letter that holds no secret, and that can be sent again', async () => {
    const clock = new FakeClock();
    const there = listener(Infinity);
    const world = await opened(there.deliver, { clock });
    const { run_id } = await world.start('talker', 'go', { push: config('http://receiver.example/hook?key=s3cret') });
    await world.events(run_id);
    await eventually(clock, 3_600_000, async () => (await letters(world)).length === 2);
    const dead = await letters(world);
    expect(dead[0]).toMatchObject({
      run_id,
      agent_id: 'talker',
      receiver: 'http://receiver.example',
      status: 'running',
      last_error: 'the receiver answered 500',
    });
    expect(JSON.stringify(dead)).not.toMatch(/s3cret|tok/);
    const before = there.told.length;
    await world.engine.deliver({ type: 'retry_push', dead_letter_id: dead[0]!.id });
    await expect.poll(() => there.told.length).toBe(before + 1);
    expect(await letters(world)).toHaveLength(1);
    const unknown = world.engine.deliver({ type: 'retry_push', dead_letter_id: '1-999' });
    await expect(unknown).rejects.toMatchObject({ code: 'entry_not_found' });
  });

  test('for good is given up at once', async () => {
    const there = listener(Infinity, new PushRefused('the receiver is an address of a private network'));
    const world = await opened(there.deliver);
    const { run_id } = await world.start('talker', 'go', { push: config('http://10.0.0.1/') });
    await world.events(run_id);
    await expect.poll(async () => (await letters(world)).length).toBe(2);
    expect(there.told).toHaveLength(2);
  });
});

describe('a crash', () => {
  test('between the commit and the delivery: it is told after the restart', async () => {
    const store = new MemoryStore();
    const silent = await bench(agents, { store, deliverPush: () => new Promise(() => {}) });
    const { run_id } = await silent.start('talker', 'go', { push: config('http://x/') });
    await silent.events(run_id);
    store.crash();
    const there = listener();
    await opened(there.deliver, { store: new MemoryStore(store.disk) });
    await expect.poll(() => there.states()).toEqual(['running', 'done']);
  });

  test('does not forget the pause that was begun', async () => {
    const clock = new FakeClock();
    const store = new MemoryStore();
    const first = listener(Infinity);
    const world = await bench(agents, { store, clock, deliverPush: first.deliver });
    const { run_id } = await world.start('talker', 'go', { push: config('http://x/') });
    await world.events(run_id);
    await eventually(clock, 1_000, () => first.told.length === 5);
    await expect.poll(() => pushRow(store)).toMatchObject({ attempts: 5 });
    store.crash();
    const there = listener();
    const again = await opened(there.deliver, { store: new MemoryStore(store.disk), clock });
    await again.settle(run_id);
    expect(there.told).toEqual([]);
    await eventually(clock, 1_000, () => there.told.length === 2);
    expect(there.states()).toEqual(['running', 'done']);
  });
});

test('a deleted thread tells its end, and leaves nothing', async () => {
  const there = listener();
  const store = new MemoryStore();
  const world = await opened(there.deliver, { store });
  const { run_id, thread_id } = await world.start('payer', 'go', { push: config('http://x/') });
  await world.settle(run_id);
  await world.engine.deliver({ type: 'delete_thread', thread_id });
  const once = () => new Map(there.told.map(({ delivery_id, news }) => [delivery_id, news.run.status]));
  await expect.poll(() => [...once().values()]).toEqual(['running', 'waiting', 'done']);
  await expect.poll(() => families(store)).not.toMatch(/[GOPW]/);
});

/** Moves the clock on in steps until the condition holds. */
async function eventually(clock: FakeClock, step: number, holds: () => boolean | Promise<boolean>): Promise<void> {
  await expect
    .poll(
      async () => {
        if (await holds()) return true;
        clock.advance(step);
        return false;
      },
      { interval: 5, timeout: 10_000 },
    )
    .toBe(true);
}

async function rows(store: MemoryStore): Promise<[string, string][]> {
  const all: [string, string][] = [];
  for await (const [key, value] of store.range({ gte: Buffer.of(0), lt: Buffer.of(0xff) }))
    all.push([String.fromCharCode(key[0]!), value]);
  return all;
}
const families = async (store: MemoryStore): Promise<string> => (await rows(store)).map(([family]) => family).join('');
const pushRow = async (store: MemoryStore): Promise<unknown> => {
  const row = (await rows(store)).find(([family]) => family === 'O');
  return row && (JSON.parse(row[1]) as { push: unknown }).push;
};
