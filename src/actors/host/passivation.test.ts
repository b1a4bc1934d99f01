/** Threads that nothing happens on leave memory, and nobody notices (DESIGN "Bounds"). */

import { afterEach, describe, expect, test } from 'vitest';
import { bench, type Bench } from '../../../test/support/engine.js';
import { FakeClock } from '../../../test/support/fake-clock.js';
import { defineAgent } from '../../agents/agent.js';
import { finish, say, toolCall } from '../../agents/scripted/parts.js';
import { scriptedModel } from '../../agents/scripted/model.js';
import { defineTool } from '../../agents/tool.js';
import { InferenceError } from '../../agents/model-call.js';
import type { EmbeddedEngine } from '../embedded-engine.js';
import { MemoryStore, type Outcome } from '../../store/memory.js';

const HOUR = 3_600_000;
const pay = defineTool({
  name: 'pay',
  description: 'pays',
  input: { type: 'object' },
  permission: 'ask',
  execute: () => 'paid',
});
const asker = defineAgent({
  id: 'asker',
  approval_expiry_ms: HOUR,
  tools: [pay],
  model: scriptedModel(({ prompt }) =>
    prompt.at(-1)!.role === 'tool' ? say('done') : [...toolCall('pay call', 'pay'), finish('tool-calls')],
  ),
});
const talker = defineAgent({ id: 'talker', model: scriptedModel(() => say('hello')) });

let b: Bench;
afterEach(() => b.engine.close(0));
const inMemory = (): Set<string> => new Set((b.engine as EmbeddedEngine).threadsInMemory);
async function talkOn(...threads: string[]): Promise<void> {
  for (const thread_id of threads) await b.settle((await b.start('talker', 'x', { thread_id })).run_id);
}

describe('a thread that is not used', () => {
  test('leaves memory, oldest first, and is read back at the first touch', async () => {
    b = await bench([talker], { limits: { hot_threads: 2 } });
    await talkOn('a', 'b', 'c', 'd');
    await expect.poll(() => [...inMemory()].sort()).toEqual(['c', 'd']);
    await talkOn('a');
    expect(inMemory()).toContain('a');
    expect((await b.messages('a')).map(({ cursor }) => cursor)).toEqual([0, 1, 2, 3]);
  });

  test('that waits for a decision takes it when it comes', async () => {
    b = await bench([asker, talker], { limits: { hot_threads: 2 } });
    const { run_id } = await b.start('asker', 'x', { thread_id: 'waits' });
    await b.settle(run_id);
    await talkOn('a', 'b', 'c');
    await expect.poll(inMemory).not.toContain('waits');
    await b.decide(run_id, 'pay call');
    expect(await b.settle(run_id)).toMatchObject({ status: 'done', termination_code: 'natural' });
  });

  test('that waits until an approval expires is woken by its deadline, on time and once', async () => {
    const clock = new FakeClock();
    b = await bench([asker, talker], { limits: { hot_threads: 2 }, clock });
    const { run_id } = await b.start('asker', 'x', { thread_id: 'waits' });
    await b.settle(run_id);
    await talkOn('a', 'b', 'c');
    await expect.poll(inMemory).not.toContain('waits');
    clock.advance(HOUR - 1);
    expect(inMemory()).not.toContain('waits');
    clock.advance(1);
    await expect.poll(inMemory).toContain('waits');
    clock.advance(0);
    const log = await b.events(run_id);
    expect(log.filter(({ type }) => type === 'tool_call_done')).toMatchObject([
      { data: { outcome: 'denied', error: 'nobody approved it in time' } },
    ]);
    expect(log.at(-1)).toMatchObject({ type: 'run_finish', data: { termination: { code: 'natural' } } });
  });

  test('whose decision came first is not woken', async () => {
    const clock = new FakeClock();
    b = await bench([asker, talker], { limits: { hot_threads: 2 }, clock });
    const { run_id } = await b.start('asker', 'x', { thread_id: 'waits' });
    await b.settle(run_id);
    await talkOn('a', 'b', 'c');
    await b.decide(run_id, 'pay call');
    const log = await b.events(run_id);
    await talkOn('a', 'b', 'c');
    await expect.poll(inMemory).not.toContain('waits');
    clock.advance(2 * HOUR);
    expect(inMemory()).not.toContain('waits');
    expect(await b.events(run_id)).toEqual(log);
  });
});

test('a deadline that comes while the store cannot be read is kept', async () => {
  const clock = new FakeClock();
  const disk = { outcome: 'ok' as Outcome, gone: false };
  const store = new MemoryStore(undefined, { batch: () => disk.outcome, reopenFails: () => disk.gone });
  b = await bench([asker, talker], { limits: { hot_threads: 2 }, clock, store });
  const { run_id } = await b.start('asker', 'x', { thread_id: 'waits' });
  await b.settle(run_id);
  await talkOn('a', 'b', 'c');
  await expect.poll(inMemory).not.toContain('waits');
  [disk.outcome, disk.gone] = ['fail-lost', true];
  await expect(b.start('talker', 'x')).rejects.toMatchObject({ code: 'storage_unavailable' });
  // From the first try to open it again there is no handle to read with.
  await expect.poll(() => b.messages('a').catch((error: { code: string }) => error.code)).toBe('storage_unavailable');
  clock.advance(HOUR);
  [disk.outcome, disk.gone] = ['ok', false];
  await expect
    .poll(() => (clock.advance(1_000), b.run(run_id).catch(() => undefined)), { timeout: 10_000 })
    .toMatchObject({ status: 'done', termination_code: 'natural' });
});

describe('a thread that stays', () => {
  test('one whose waiting run somebody watches', async () => {
    b = await bench([asker, talker], { limits: { hot_threads: 2 } });
    const { run_id } = await b.start('asker', 'x', { thread_id: 'watched' });
    await b.settle(run_id);
    const reader = await b.engine.readEvents(run_id, -1);
    while (!reader.caughtUp) await reader.next();
    const next = reader.next();
    await talkOn('a', 'b', 'c', 'd');
    expect(inMemory()).toContain('watched');
    await b.decide(run_id, 'pay call');
    expect((await next)!.chunk.events[0]![0]).toBe('run_resumed');
    reader.close();
    await b.events(run_id);
    await talkOn('a', 'b', 'c', 'd');
    await expect.poll(inMemory).not.toContain('watched');
  });

  test('one whose run is between two tries of its model keeps its slot, and gives it back once', async () => {
    const clock = new FakeClock();
    let tries = 0;
    const flaky = defineAgent({
      id: 'flaky',
      model: scriptedModel(() => {
        if (tries++ === 0) throw new InferenceError('try again', true);
        return say('now');
      }),
    });
    b = await bench([flaky, talker, asker], { limits: { hot_threads: 1, max_running: 2 }, clock });
    const { run_id } = await b.start('flaky', 'x', { thread_id: 'flaky' });
    await b.events(run_id, ({ type }) => type === 'inference_retry');
    await talkOn('a', 'b', 'c');
    clock.advance(HOUR);
    expect(await b.settle(run_id)).toMatchObject({ termination_code: 'natural' });
    await talkOn('a', 'b');
    expect((b.engine as unknown as { gauges: { running: number } }).gauges.running).toBe(0);
  });

  test('one whose run waits for a slot of the process gets its turn', async () => {
    let free = () => {};
    const gate = new Promise<void>((resolve) => (free = resolve));
    const busy = defineAgent({
      id: 'busy',
      model: scriptedModel(async function* () {
        await gate;
        yield* say('done');
      }),
    });
    b = await bench([busy, talker, asker], { limits: { hot_threads: 1, max_running: 1 } });
    const { run_id } = await b.start('asker', 'x', { thread_id: 'waits' });
    await b.settle(run_id);
    await b.start('busy', 'x', { thread_id: 'busy' });
    const queued = await b.start('talker', 'x', { thread_id: 'queued' });
    expect(queued).toMatchObject({ status: 'waiting', termination_code: 'queued' });
    // Commits on another thread make room in memory again and again.
    for (let i = 0; i < 3; i++) await b.start('talker', 'x', { thread_id: `more ${i}` });
    free();
    expect(await b.settle(queued.run_id)).toMatchObject({ status: 'done', termination_code: 'natural' });
  });

  test('hides none of those that need not: however many stay, the others leave', async () => {
    b = await bench([asker, talker], { limits: { hot_threads: 4 } });
    const readers = [];
    for (let i = 0; i < 40; i++) {
      const { run_id } = await b.start('asker', 'x', { thread_id: `stays ${i}` });
      await b.settle(run_id);
      readers.push(await b.engine.readEvents(run_id, -1));
    }
    for (let i = 0; i < 60; i++) await talkOn(`leaves ${i}`);
    const left = [...inMemory()].filter((thread_id) => thread_id.startsWith('leaves'));
    expect(left.length).toBeLessThan(10);
    expect(inMemory()).toContain('stays 0');
    for (const reader of readers) reader.close();
  });

  test('one that a request is on its way to, however many threads are in use', async () => {
    let free = () => {};
    const gate = new Promise<void>((resolve) => (free = resolve));
    const busy = defineAgent({
      id: 'busy',
      model: scriptedModel(async function* () {
        await gate;
        yield* say('done');
      }),
    });
    b = await bench([busy, talker, asker], { limits: { hot_threads: 1 } });
    for (let i = 0; i < 5; i++) await b.start('busy', 'x', { thread_id: `busy ${i}` });
    const starts = Array.from({ length: 50 }, (_, i) =>
      b.start('talker', null, { thread_id: `t${i % 20}`, messages: [{ role: 'user', content: 'x', id: `m${i}` }] }),
    );
    const outcomes = await Promise.allSettled(starts);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
    free();
  });
});
