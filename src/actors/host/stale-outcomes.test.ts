/** What comes too late: it is not in the log, and it is not lost for the operator (CONTRACT 1.13, DESIGN "Effects"). */

import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { bench, type Bench } from '../../../test/support/engine.js';
import { FakeClock } from '../../../test/support/fake-clock.js';
import { defineAgent } from '../../agents/agent.js';
import { finish, say, text, toolCall } from '../../agents/scripted/parts.js';
import { scriptedModel } from '../../agents/scripted/model.js';
import { defineTool } from '../../agents/tool.js';
import type { JsonValue } from '../../json.js';
import * as keys from '../../store/keys.js';
import { MemoryStore } from '../../store/memory.js';
import { checkStore } from '../doctor/index.js';
import { gate } from '../../../test/support/gate.js';
import { eventually } from '../../../test/support/eventually.js';

let b: Bench;
afterEach(() => b.engine.close(0));

test('a tool that ends after its cancelled run has been closed: the ledger has it, the log has not', async () => {
  const clock = new FakeClock();
  const [started, paid] = [gate(), gate()];
  const pay = defineTool({
    name: 'pay',
    description: 'pays, whatever it is told meanwhile',
    input: { type: 'object' },
    execute: async () => {
      started.open();
      await paid.opened;
      return 'paid 100';
    },
  });
  const model = scriptedModel(({ prompt }) =>
    prompt.at(-1)!.role === 'tool' ? say('done') : [...toolCall('pay call', 'pay'), finish('tool-calls')],
  );
  b = await bench([defineAgent({ id: 'payer', model, tools: [pay] })], { clock, limits: { cancel_ms: 10_000 } });
  const { run_id, thread_id } = await b.start('payer', 'go');
  await started.opened;
  await b.engine.deliver({ type: 'cancel', run_id });
  expect(await b.run(run_id)).toMatchObject({ status: 'running' });
  clock.advance(9_999);
  await turn();
  expect(await b.run(run_id)).toMatchObject({ status: 'running' });
  clock.advance(1);
  const log = await b.events(run_id);
  expect(log.at(-1)).toMatchObject({ type: 'run_finish', data: { termination: { code: 'cancelled' } } });
  const closed = log.find(({ type }) => type === 'tool_call_done');
  expect(closed).toMatchObject({
    data: { outcome: 'cancelled', error: expect.stringContaining('may have taken effect') },
  });

  paid.open();
  await expect
    .poll(() => b.store.disk.rows(keys.allLedger()).map(([, value]) => JSON.parse(value) as object))
    .toEqual([
      expect.objectContaining({
        kind: 'late_outcome',
        thread_id,
        outcome: { output: { outcome: 'succeeded', result: 'paid 100' } },
      }),
    ]);
  expect(await b.events(run_id)).toEqual(log);

  // The operator is shown it, of the run and after a restart, for as long as the thread is there.
  const shown = [
    { at: clock.now(), tool_call_id: 'pay call', name: 'pay', outcome: 'succeeded', result: 'paid 100', error: null },
  ];
  expect(await b.engine.inspect().actor(`run:${run_id}`)).toMatchObject({ value: 'done', late_outcomes: shown });
  expect(await b.engine.inspect().actor(`thread:${thread_id}`)).toMatchObject({ late_outcomes: [] });
  await b.engine.close(0);
  const { disk } = b.store;
  expect((await checkStore(new MemoryStore(disk))).faults).toEqual([]);
  disk.holder = null;
  b = await bench([], { clock, store: new MemoryStore(disk) });
  expect(await b.engine.inspect().actor(`run:${run_id}`)).toMatchObject({ late_outcomes: shown });
  await b.engine.deliver({ type: 'delete_thread', thread_id });
  await expect.poll(() => disk.rows(keys.allLedger())).toEqual([]);
  await expect.poll(() => disk.rows(keys.familyOf('I'))).toEqual([]);
});

test.each<[string, () => Promise<JsonValue>, object]>([
  ['gave up', () => Promise.reject(new Error('stopped')), { outcome: 'aborted', result: null, error: null }],
  [
    'ended well',
    () => Promise.resolve({ ok: true, api_key: 'sk-abcdefghijklmnop' }),
    { outcome: 'succeeded', result: { ok: true, api_key: expect.stringContaining('redacted') as string }, error: null },
  ],
] as const)(
  'a once tool that took too long is in doubt; that it %s is seen by who has to decide',
  async (_, end, came) => {
    const clock = new FakeClock();
    const [started, late] = [gate(), gate()];
    const pay = defineTool({
      name: 'pay',
      description: 'pays, in its own time',
      input: { type: 'object' },
      timeout_ms: 1_000,
      execute: async () => {
        started.open();
        await late.opened;
        return end();
      },
    });
    const model = scriptedModel(({ prompt }) =>
      prompt.at(-1)!.role === 'tool' ? say('done') : [...toolCall('c', 'pay'), finish('tool-calls')],
    );
    b = await bench([defineAgent({ id: 'payer', model, tools: [pay] })], { clock });
    const { run_id, thread_id } = await b.start('payer', 'go');
    await started.opened;
    clock.advance(1_000);
    clock.advance(60_000);
    await b.events(run_id, ({ type }) => type === 'run_waiting');
    const detail = (id: string) => b.engine.inspect().actor(id);
    expect(await detail(`tool_call:${run_id}:c`)).toMatchObject({ path: ['in_doubt'], late_outcomes: [] });
    late.open();
    const shown = [expect.objectContaining({ tool_call_id: 'c', name: 'pay', ...came })];
    await expect.poll(async () => (await detail(`tool_call:${run_id}:c`))!.late_outcomes).toEqual(shown);
    expect(await detail(`run:${run_id}`)).toMatchObject({ path: ['waiting'], late_outcomes: shown });
    expect(await b.run(run_id)).toMatchObject({ thread_id, status: 'waiting' });
  },
);

test('one that comes while the disk is full is kept when there is room again', async () => {
  const clock = new FakeClock();
  const [started, late] = [gate(), gate()];
  let full = false;
  const store = new MemoryStore(undefined, { batch: () => (full ? 'fail-lost' : 'ok') });
  const pay = defineTool({
    name: 'pay',
    description: 'pays',
    input: { type: 'object' },
    execute: async () => {
      started.open();
      await late.opened;
      return 'paid';
    },
  });
  const model = scriptedModel(() => [...toolCall('c', 'pay'), finish('tool-calls')]);
  b = await bench([defineAgent({ id: 'payer', model, tools: [pay] })], { clock, store, limits: { cancel_ms: 1 } });
  const { run_id } = await b.start('payer', 'go');
  await started.opened;
  await b.engine.deliver({ type: 'cancel', run_id });
  clock.advance(1);
  await b.events(run_id);
  full = true;
  late.open();
  await turn();
  full = false;
  await eventually(async () => {
    clock.advance(1_000);
    expect((await b.engine.inspect().actor(`run:${run_id}`))!.late_outcomes).toMatchObject([{ result: 'paid' }]);
  });
});

test('a tool that ends within the deadline says how it really ended', async () => {
  const clock = new FakeClock();
  const started = gate();
  const stop = defineTool({
    name: 'stop',
    description: 'stops when it is told to',
    input: { type: 'object' },
    execute: async (_, { signal }) => {
      started.open();
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      return 'had happened already';
    },
  });
  const model = scriptedModel(() => [...toolCall('call', 'stop'), finish('tool-calls')]);
  b = await bench([defineAgent({ id: 'stopper', model, tools: [stop] })], { clock });
  const { run_id } = await b.start('stopper', 'go');
  await started.opened;
  await b.engine.deliver({ type: 'cancel', run_id });
  const log = await b.events(run_id);
  expect(log.find(({ type }) => type === 'tool_call_done')).toMatchObject({
    data: { outcome: 'succeeded', result: 'had happened already' },
  });
  expect(log.at(-1)).toMatchObject({ data: { termination: { code: 'cancelled' } } });
  expect(b.store.disk.rows(keys.allLedger())).toEqual([]);
});

test('an answer of the model in one drain with the cancel before it is dropped, and so are its last words', async () => {
  const disk = gate();
  const [speaking, end] = [gate(), gate()];
  let slow = false;
  const model = scriptedModel(async function* () {
    yield* text(['first ']);
    speaking.open();
    await end.opened;
    yield* text(['too late'], 'second');
    yield finish();
  });
  const agents = [defineAgent({ id: 'talker', model })];
  const store = new MemoryStore(undefined, { batch: () => (slow ? { slow: disk.opened } : 'ok') });
  b = await bench(agents, { store });
  const { run_id, thread_id } = await b.start('talker', 'go');
  await speaking.opened;
  await b.events(run_id, ({ type }) => type === 'text_delta');
  // A commit that takes its time: what comes meanwhile is one drain, in the order of arrival.
  slow = true;
  const held = b.start('talker', 'queued', { thread_id, on_busy: 'enqueue' });
  await turn();
  const cancelled = b.engine.deliver({ type: 'cancel', run_id });
  end.open();
  for (let i = 0; i < 5; i++) await turn();
  slow = false;
  disk.open();
  await Promise.all([held, cancelled]);
  const log = await b.events(run_id);
  expect(log.flatMap((event) => (event.type === 'text_delta' ? [event.data.delta] : []))).toEqual(['first ']);
  expect(log.map(({ type }) => type)).not.toContain('inference_complete');
  expect(log.at(-1)).toMatchObject({ data: { termination: { code: 'cancelled' } } });
  expect((await b.messages(thread_id))[1]).toMatchObject({ role: 'assistant', content: 'first ' });
});
