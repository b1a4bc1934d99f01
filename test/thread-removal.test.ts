/**
 * The end of a thread (CONTRACT 2.4): in every state, under crashes, and against whoever uses it at the same instant.
 * Nothing of it is found any more from the answer on, nothing of it is left in the store in the end, and its name is free.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { EmbeddedEngine } from '../src/actors/embedded-engine.js';
import { defineAgent } from '../src/agents/agent.js';
import { finish, say, toolCall } from '../src/agents/scripted/parts.js';
import { scriptedModel } from '../src/agents/scripted/model.js';
import { defineTool } from '../src/agents/tool.js';
import type { AgentServerError } from '../src/errors.js';
import { ErrorCode } from '../src/errors.js';
import * as keys from '../src/store/keys.js';
import { MemoryStore, type Fate } from '../src/store/memory.js';
import { bench, type Bench } from './support/engine.js';
import { FakeClock } from './support/fake-clock.js';
import { expectWhole, Scene, STATES } from './support/scene.js';
import { holder } from './support/service.js';

const closing: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of closing.splice(0)) await one.close();
});

const thread_id = 'thread';
const remove = ({ engine }: Bench) => engine.deliver({ type: 'delete_thread', thread_id });
/** Families of rows that are not about any thread or run: what the store and the journal know of themselves. */
const rowsLeft = ({ store }: Bench): string[] =>
  store.disk
    .rows(keys.everything())
    .map(([key]) => String.fromCharCode(key[0]!))
    .filter((family) => family !== 'M');
/** Nothing of it is left. What waits to be tried again is tried at once. */
const removed = (b: Bench, clock?: FakeClock) =>
  expect.poll(() => (clock?.advance(1_000), (b.engine as EmbeddedEngine).gauges.graves), { interval: 1 }).toBe(0);

async function expectGone(b: Bench, runs: readonly string[]): Promise<void> {
  for (const kind of ['thread', 'messages', 'state'] as const)
    expect(await b.engine.read({ kind: kind as 'thread', thread_id })).toBeUndefined();
  await expect(b.engine.list({ kind: 'mailbox', thread_id, offset: 0, limit: 1 })).rejects.toMatchObject({
    code: ErrorCode.threadNotFound,
  });
  for (const run_id of runs) {
    expect(await b.engine.read({ kind: 'run', run_id })).toBeUndefined();
    await expect(b.engine.readEvents(run_id, -1)).rejects.toMatchObject({ code: ErrorCode.runNotFound });
    await expect(b.engine.deliver({ type: 'cancel', run_id })).rejects.toMatchObject({ code: ErrorCode.runNotFound });
  }
  for (const kind of ['runs', 'threads', 'summaries', 'approvals'] as const)
    expect(await b.engine.list({ kind: kind as 'runs', offset: 0, limit: 9 })).toMatchObject({ items: [], total: 0 });
}

describe('a thread that is', () => {
  test.each(STATES)('%s', async (state) => {
    const scene = await Scene.open();
    closing.push(scene);
    await scene.enter(state);
    const { bench: b } = scene;
    const watched = scene.known.map((run_id) => b.events(run_id));
    expect(await remove(b)).toEqual({ deleted: true });
    await expectGone(b, scene.known);
    for (const events of await Promise.all(watched)) {
      expectWhole(events);
      expect(events.at(-1)!.data).toMatchObject({
        termination: { code: 'cancelled', detail: 'the thread was deleted' },
      });
    }
    await removed(b);
    await expectGone(b, scene.known);
    // A tool that ended too late to be part of the run is kept for the operator.
    expect(rowsLeft(b).filter((family) => family !== 'L')).toEqual([]);
    expect((b.engine as EmbeddedEngine).gauges).toMatchObject({ running: 0, queued_threads: 0, hot_threads: 0 });

    const [old] = scene.known;
    const again = await scene.start('next', { run_id: old! });
    expect(await b.settle(again.run_id)).toMatchObject({ status: 'done', termination_code: 'natural' });
    expect(await b.messages(thread_id)).toMatchObject([{ cursor: 0, content: 'next' }, { cursor: 1 }]);
  });

  test('idle, or not there', async () => {
    const scene = await Scene.open();
    closing.push(scene);
    const { bench: b } = scene;
    expect(await remove(b)).toEqual({ deleted: false });
    for (const word of ['one', 'two']) await b.settle((await scene.start(word, { state: { word } })).run_id);
    expect(await remove(b)).toEqual({ deleted: true });
    await expectGone(b, scene.known);
    expect(await remove(b)).toEqual({ deleted: false });
    await removed(b);
    expect(rowsLeft(b)).toEqual([]);
  });
});

test('a run id of a deleted thread is free while its rows are being removed', async () => {
  let open: () => void = () => {};
  const gate = new Promise<void>((resolve) => (open = resolve));
  let slow = false;
  const store = new MemoryStore(undefined, { batch: () => (slow ? ((slow = false), { slow: gate }) : 'ok') });
  const b = await bench([defineAgent({ id: 'agent', model: scriptedModel(() => say('ok')) })], { store });
  closing.push({ close: () => b.engine.close(0) });
  await b.settle((await b.start('agent', 'one', { thread_id, run_id: 'same' })).run_id);
  await remove(b);
  slow = true; // The first commit of the removal does not end before the gate opens.
  const again = b.start('agent', 'two', { thread_id: 'another', run_id: 'same' });
  open();
  await again;
  expect(await b.settle('same')).toMatchObject({ thread_id: 'another', status: 'done' });
  await removed(b);
  expect(await b.run('same')).toMatchObject({ thread_id: 'another' });
  expect((await b.engine.claimRun('same', '')).claimed).toBe(false);
});

test('whoever starts a run at the same instant is served by the old thread or by a new one', async () => {
  const { agent } = holder('agent');
  const b = await bench([agent, defineAgent({ id: 'quick', model: scriptedModel(() => say('ok')) })]);
  closing.push({ close: () => b.engine.close(0) });
  // What is committed before the lists are whole is marked for the next start to read.
  await b.engine.list({ kind: 'runs', offset: 0, limit: 1 });
  for (let round = 0; round < 40; round++) {
    await b.start('agent', 'wait', { thread_id });
    const acts = [
      () => b.start('quick', 'new', { thread_id, run_id: `run ${round}` }),
      () => remove(b),
      () => b.engine.deliver({ type: 'interrupt', thread_id }),
      () => b.engine.deliver({ type: 'edit_metadata', thread_id, patch: { round } }),
    ];
    const outcomes = await Promise.allSettled(
      [...acts.slice(round % 4), ...acts.slice(0, round % 4)].map((act) => act()),
    );
    for (const outcome of outcomes)
      if (outcome.status === 'rejected')
        expect((outcome.reason as AgentServerError).code, String(outcome.reason)).toBe(ErrorCode.threadNotFound);
    const run = await b.engine.read({ kind: 'run', run_id: `run ${round}` });
    if (run) expect(await b.settle(run.run_id)).toMatchObject({ status: 'done' });
    await remove(b);
    await removed(b);
    await expectGone(b, [`run ${round}`]);
  }
  expect(rowsLeft(b)).toEqual([]);
});

describe('agents below', () => {
  const input = { type: 'object' } as const;
  /** A parent whose child pays and never ends by itself. */
  function family() {
    const stopped = new Set<string>();
    let began: () => void = () => {};
    const running = new Promise<void>((resolve) => (began = resolve));
    const pay = defineTool({
      name: 'pay',
      description: 'pays',
      input,
      execute: (_, { signal, run_id }) => {
        began();
        return new Promise((_, reject) =>
          signal.addEventListener('abort', () => (stopped.add(run_id), reject(signal.reason as Error))),
        );
      },
    });
    const child = defineAgent({
      id: 'child',
      tools: [pay],
      model: scriptedModel(() => [...toolCall('c', 'pay'), finish('tool-calls')]),
    });
    const parent = defineAgent({
      id: 'parent',
      delegates: ['child'],
      model: scriptedModel(() => [
        ...toolCall('p', 'agent_run', { agent_id: 'child', prompt: 'pay' }),
        finish('tool-calls'),
      ]),
    });
    return { agents: [parent, child], running, stopped };
  }

  test('are stopped with their parent, and keep their threads', async () => {
    const { agents, running, stopped } = family();
    const b = await bench(agents);
    closing.push({ close: () => b.engine.close(0) });
    await b.start('parent', 'go', { thread_id });
    await running;
    const [child] = (await b.engine.list({ kind: 'runs', agent_id: 'child', offset: 0, limit: 1 })).items;
    await remove(b);
    expect(await b.settle(child!.run_id)).toMatchObject({ status: 'done', termination_code: 'cancelled' });
    expect([...stopped]).toEqual([child!.run_id]);
    expect(await b.engine.read({ kind: 'thread', thread_id: child!.thread_id })).toMatchObject({ status: 'idle' });
  });

  test('are stopped also when the server dies in between', async () => {
    const { agents, running } = family();
    const first = await bench(agents);
    await first.start('parent', 'go', { thread_id });
    await running;
    const [child] = (await first.engine.list({ kind: 'runs', agent_id: 'child', offset: 0, limit: 1 })).items;
    await remove(first);
    first.store.crash();
    const second = await bench(agents, { store: new MemoryStore(first.store.disk) });
    closing.push({ close: () => second.engine.close(0) });
    await second.events(child!.run_id); // It may wait for somebody to say what became of the payment, until it is stopped.
    expect(await second.run(child!.run_id)).toMatchObject({ status: 'done', termination_code: 'cancelled' });
    await removed(second);
    await expect(second.engine.readEvents(child!.parent_run_id!, -1)).rejects.toMatchObject({ code: 'run_not_found' });
  });
});

describe('whatever happens to the server while it removes', () => {
  const agent = defineAgent({ id: 'agent', model: scriptedModel(() => say('ok')) });

  async function scenario(fault: { fate: Fate; at: number } | null): Promise<number> {
    let acknowledged = false;
    let fired = false;
    let begun = Infinity;
    let disk = new MemoryStore().disk;
    disk.holder = null;
    for (let life = 0; ; life++) {
      expect(life, 'the thread is never gone').toBeLessThan(5);
      const store = new MemoryStore(disk, {
        batch: (n) => (fault && !fired && n - begun === fault.at ? ((fired = true), fault.fate) : 'ok'),
      });
      disk = store.disk;
      const clock = new FakeClock();
      const b = await bench([agent], { store, clock });
      const lived = (async () => {
        if (life === 0) {
          for (const word of ['one', 'two', 'three'])
            await b.settle((await b.start('agent', word, { thread_id })).run_id);
          await b.start('agent', 'other', { thread_id: 'other', run_id: 'other' });
          await b.settle('other');
          begun = disk.batches;
        }
        for (;;) {
          try {
            await remove(b);
            acknowledged = true;
            break;
          } catch (error) {
            expect(error).toMatchObject({ code: ErrorCode.storageUnavailable });
            await nextTurn();
          }
        }
        await removed(b, clock);
        return true;
      })();
      const lives = await Promise.race([lived, store.crashed.then(() => false)]);
      if (acknowledged && !lives) {
        const next = await bench([agent], { store: new MemoryStore(disk) });
        expect(
          await next.engine.read({ kind: 'thread', thread_id }),
          'an acknowledged end is for good',
        ).toBeUndefined();
        expect(await next.engine.list({ kind: 'runs', offset: 0, limit: 9 })).toMatchObject({ total: 1 });
        await removed(next);
        await next.engine.close(0);
      }
      if (!lives) continue;
      expect((await b.engine.list({ kind: 'threads', offset: 0, limit: 9 })).items).toMatchObject([
        { thread_id: 'other' },
      ]);
      expect(await b.run('other')).toMatchObject({ status: 'done' });
      expect(disk.rows(keys.allGraves())).toEqual([]);
      expect(disk.rows(keys.allRuns())).toHaveLength(1);
      expect(rowsLeft(b).filter((family) => 'TSAQ'.includes(family))).toEqual(['T']);
      const ends = disk.batches - begun;
      await b.engine.close(0);
      return fired || !fault ? ends : -1;
    }
  }

  test.each(['crash-before', 'crash-after', 'fail-lost', 'fail-landed'] as const)(
    '%s at every commit',
    async (fate) => {
      const commits = await scenario(null);
      expect(commits).toBeGreaterThan(5);
      for (let at = 0; at < commits; at++) expect(await scenario({ fate, at }), `at ${at}`).toBeGreaterThan(0);
    },
  );
});
