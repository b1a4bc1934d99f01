/**
 * The queue of a busy thread: its bound, its order, and what becomes of those who wait when the process dies
 * (CONTRACT 1.9, 4.2, 4.3).
 */

import { afterEach, describe, expect, test } from 'vitest';
import { defineAgent } from '../src/agents/agent.js';
import { finish, say, text, toolCall } from '../src/agents/scripted/parts.js';
import { scriptedModel } from '../src/agents/scripted/model.js';
import { defineTool } from '../src/agents/tool.js';
import type { OnBusy } from '../src/agents/types.js';
import { AgentServerError } from '../src/errors.js';
import { MemoryStore } from '../src/store/memory.js';
import { bench, type Bench } from './support/engine.js';
import { expectWhole } from './support/scene.js';

const open: Bench[] = [];
afterEach(async () => {
  for (const b of open.splice(0)) await b.engine.close(0);
});

const BOUND = 1_000;

/** An agent whose answer to `wait` takes until `release`. */
function waiter() {
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const model = scriptedModel(({ prompt }) => (prompt.length === 1 ? waiting() : say('ok')));
  async function* waiting() {
    yield* text(['wait']);
    await released;
    yield finish();
  }
  const agent = defineAgent({ id: 'agent', model });
  const start = async (store = new MemoryStore()) => {
    const b = await bench([agent], { store });
    open.push(b);
    return b;
  };
  return { start, release: () => release() };
}

/** Arrival numbers in the order of turns: priority from high to low, then arrival. */
const turns = (priorities: number[]): number[] =>
  priorities.map((_, i) => i).sort((a, b) => priorities[b]! - priorities[a]! || a - b);

test(`10,000 starts on one busy thread: ${BOUND} wait, in order, and the rest is refused`, async () => {
  const { start, release } = waiter();
  const b = await start();
  const busy = { thread_id: 't', on_busy: 'enqueue' as const };
  await b.start('agent', 'wait', busy);
  const priorities = Array.from({ length: 10_000 }, (_, i) => (i * 37) % 5);
  const starts = await Promise.allSettled(
    priorities.map((priority, i) => b.start('agent', `${i}`, { ...busy, priority, run_id: `run ${i}` })),
  );
  const accepted = starts.flatMap(({ status }, i) => (status === 'fulfilled' ? [i] : []));
  expect(accepted).toEqual(Array.from({ length: BOUND }, (_, i) => i));
  for (const refused of starts.slice(BOUND)) {
    const { reason } = refused as PromiseRejectedResult;
    expect(reason).toBeInstanceOf(AgentServerError);
    expect((reason as AgentServerError).code).toBe('too_many');
  }
  expect(await b.engine.read({ kind: 'run', run_id: `run ${BOUND}` })).toBeUndefined();
  expect(await b.engine.read({ kind: 'thread', thread_id: 't' })).toMatchObject({ queued_count: BOUND });

  release();
  const expected = turns(priorities.slice(0, BOUND));
  const last = await b.settle(`run ${expected.at(-1)}`);
  expect(last).toMatchObject({ status: 'done', termination_code: 'natural' });
  const said = (await b.messages('t')).filter(({ role }) => role === 'user').map(({ content }) => content);
  expect(said).toEqual(['wait', ...expected.map(String)]);
});

describe('those who wait when the process dies', () => {
  test('keep their places, and each begins once', async () => {
    const { start, release } = waiter();
    const first = await start();
    const busy = { thread_id: 't', on_busy: 'enqueue' as const };
    await first.start('agent', 'wait', { ...busy, run_id: 'blocker' });
    const priorities = [1, 200, 128, 200, 1];
    for (const [i, priority] of priorities.entries())
      await first.start('agent', `${i}`, { ...busy, priority, run_id: `run ${i}` });
    await first.engine.deliver({ type: 'cancel', run_id: 'run 2' });
    first.store.crash();
    open.pop();

    const second = await start(new MemoryStore(first.store.disk));
    expect(await second.run('run 0')).toMatchObject({ status: 'waiting', termination_code: 'queued' });
    await second.start('agent', '5', { ...busy, priority: 200, run_id: 'run 5' });
    release();
    for (const id of ['run 0', 'run 1', 'run 3', 'run 4', 'run 5'])
      expect(await second.settle(id)).toMatchObject({ status: 'done', termination_code: 'natural' });
    expect(await second.run('run 2')).toMatchObject({ status: 'done', termination_code: 'cancelled' });
    const said = (await second.messages('t')).filter(({ role }) => role === 'user').map(({ content }) => content);
    expect(said).toEqual(['wait', '1', '3', '5', '0', '4']);
  });
});

describe('starts that replace while what they replace is still stopping (CONTRACT 1.9)', () => {
  /** A run whose tool takes its time to stop, replaced by `first`, which is replaced by `second`. */
  async function replaced(first: OnBusy, between: OnBusy | null, second: OnBusy) {
    let settle = () => {};
    let began = () => {};
    const running = new Promise<void>((resolve) => (began = resolve));
    const deaf = defineTool({
      name: 'deaf',
      description: 'listens to nobody',
      input: { type: 'object' },
      execute: () => (began(), new Promise<string>((resolve) => (settle = () => resolve('done')))),
    });
    const asked: string[] = [];
    const model = scriptedModel(({ prompt }) => {
      asked.push(JSON.stringify(prompt.at(-1)!.content));
      return prompt.length === 1 ? [...toolCall('c', 'deaf'), finish('tool-calls')] : say('ok');
    });
    const b = await bench([defineAgent({ id: 'agent', model, tools: [deaf] })]);
    open.push(b);
    const on = (on_busy: OnBusy, run_id: string) => b.start('agent', run_id, { thread_id: 't', on_busy, run_id });
    await on('interrupt', 'slow');
    await running;
    await on(first, 'first');
    if (between) await on(between, 'between');
    await on(second, 'second');
    settle();
    const said = async () =>
      (await b.messages('t')).filter(({ role }) => role === 'user').map(({ content }) => content);
    expect(await b.settle('second')).toMatchObject({ termination_code: 'natural' });
    expect(await b.run('slow')).toMatchObject({ termination_code: 'superseded', termination_detail: 'first' });
    return { b, asked, said: await said() };
  }

  test('the newest is asked at once, about everything that was said', async () => {
    const { b, asked, said } = await replaced('interrupt', null, 'interrupt');
    expect(await b.run('first')).toMatchObject({ termination_code: 'superseded', termination_detail: 'second' });
    expectWhole(await b.events('first'));
    expect(said).toEqual(['slow', 'first', 'second']);
    expect(asked).toHaveLength(2);
  });

  test('one that takes back leaves nothing of the one before it', async () => {
    const { b, said } = await replaced('interrupt', null, 'rollback');
    expect(await b.run('first')).toMatchObject({ termination_code: 'superseded', termination_detail: 'second' });
    expect(said).toEqual(['slow', 'second']);
  });

  test('one that was taken back by the first stays so', async () => {
    const { said } = await replaced('rollback', null, 'interrupt');
    expect(said).toEqual(['first', 'second']);
  });

  test('those that came to wait have their turn', async () => {
    const { b, said } = await replaced('interrupt', 'enqueue', 'interrupt');
    expect(await b.run('first')).toMatchObject({ termination_code: 'superseded', termination_detail: 'second' });
    expect(await b.run('between')).toMatchObject({ termination_code: 'natural' });
    expect(said).toEqual(['slow', 'first', 'between', 'second']);
  });

  test('nobody is replaced who came to wait', async () => {
    const { b } = await replaced('interrupt', 'enqueue', 'enqueue');
    for (const run_id of ['first', 'between'])
      expect(await b.run(run_id)).toMatchObject({ termination_code: 'natural' });
  });
});

describe('starts that name what the thread cannot give', () => {
  test('another resource than that of the thread is refused (CONTRACT 11)', async () => {
    const { start, release } = waiter();
    const b = await start();
    release();
    const on = { thread_id: 't', on_busy: 'enqueue' as const };
    await b.start('agent', 'no resource yet', on);
    await b.start('agent', 'the first that names one', { ...on, resource_id: 'ada' });
    await expect(b.start('agent', 'another', { ...on, resource_id: 'bob' })).rejects.toMatchObject({
      code: 'conflict',
    });
    const last = await b.start('agent', 'none', on);
    expect(last.resource_id).toBe('ada');
    expect(await b.start('agent', 'the same', { ...on, resource_id: 'ada' })).toMatchObject({ resource_id: 'ada' });
  });
});

test('a dead letter that is retried asks for what its start has asked for (CONTRACT 4.5)', async () => {
  const prompts: unknown[] = [];
  const model = scriptedModel(({ prompt }) => (prompts.push(structuredClone(prompt)), say('ok')));
  const leaving = defineAgent({ id: 'leaving', model });
  const never = scriptedModel(async function* () {
    yield await new Promise<never>(() => {});
  });
  const holder = defineAgent({ id: 'holder', model: never });
  const first = await bench([holder, leaving]);
  const held = await first.start('holder', 'go', { thread_id: 't' });
  const overrides = { system_prompt: 'Be brief.', context: ['it is late'] };
  const dead = await first.start('leaving', 'hello', { thread_id: 't', on_busy: 'enqueue', overrides });
  await first.engine.close(0);

  const second = await bench([], { store: new MemoryStore(first.store.disk) });
  await second.events(held.run_id);
  expect(await second.settle(dead.run_id)).toMatchObject({ termination_detail: 'agent not found: leaving' });
  await second.engine.close(0);

  const third = await bench([leaving], { store: new MemoryStore(first.store.disk) });
  open.push(third);
  const entry_id = dead.source_mailbox_entry_id!;
  const { entry } = await third.engine.deliver({ type: 'retry_entry', thread_id: 't', entry_id });
  expect(await third.settle(entry.run_id)).toMatchObject({ parent_run_id: dead.run_id, termination_code: 'natural' });
  expect(JSON.stringify(prompts.at(-1))).toMatch(/Be brief\..*it is late.*hello/);
  const { items } = await third.engine.list<'mailbox'>({ kind: 'mailbox', thread_id: 't', offset: 0, limit: 9 });
  for (const shown of [entry, ...items]) expect(shown).not.toHaveProperty('overrides');
});
