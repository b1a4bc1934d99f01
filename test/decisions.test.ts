/**
 * Decisions of pending calls: any order, partial sets, every execution mode, repeated, late, after a crash; and what
 * happens when nobody decides (CONTRACT 1.10, 1.13, 1.15, 5.2 to 5.4).
 */

import { afterEach, describe, expect, test } from 'vitest';
import { defineAgent } from '../src/agents/agent.js';
import { finish, say, toolCall } from '../src/agents/scripted/parts.js';
import { scriptedModel, type Script } from '../src/agents/scripted/model.js';
import { defineTool } from '../src/agents/tool.js';
import type { Agent, ExecutionMode, ToolContext } from '../src/agents/types.js';
import type { CanonicalEvent, Decision } from '../src/actors/index.js';
import * as keys from '../src/store/keys.js';
import { MemoryStore } from '../src/store/memory.js';
import { bench, type Bench } from './support/engine.js';
import { FakeClock } from './support/fake-clock.js';
import { expectValid, expectWhole } from './support/scene.js';

const open: Bench[] = [];
afterEach(async () => {
  for (const b of open.splice(0)) await b.engine.close(0);
});

const MODES = ['parallel_streaming', 'parallel_batch_approval', 'sequential'] as const satisfies ExecutionMode[];
const input = { type: 'object' };
const SLOW_MS = 1_000;

/** An agent that makes the calls `c0`, `c1`, … of these tools and then speaks; what it did, in order. */
class World {
  readonly did: string[] = [];
  readonly prompts: Parameters<Script>[0]['prompt'][] = [];
  readonly clock = new FakeClock();
  #beginSlow = () => {};
  readonly slowBegan = new Promise<void>((resolve) => (this.#beginSlow = resolve));

  constructor(private readonly calls: string[]) {}

  async open(agent: Partial<Agent> = {}, store = new MemoryStore(), limits = {}): Promise<Bench> {
    const b = await bench([this.#agent(agent)], { store, clock: this.clock, limits });
    open.push(b);
    return b;
  }

  #agent(more: Partial<Agent>): Agent {
    const model = scriptedModel(({ prompt }) => {
      this.prompts.push(structuredClone(prompt));
      return prompt.at(-1)!.role === 'tool' ? say('all done') : makeCalls(this.calls);
    });
    return defineAgent({ id: 'agent', model, tools: this.#tools, ...more });
  }

  readonly #tool = (name: string, more: object) =>
    defineTool({
      name,
      description: name,
      input,
      execute: (_: unknown, { call_id }: ToolContext) => (this.did.push(call_id), `did ${call_id}`),
      ...more,
    });

  readonly #tools = [
    this.#tool('free', { effect: 'idempotent' }),
    this.#tool('ask', { permission: 'ask' }),
    this.#tool('inquire', {
      execute: (_: unknown, { call_id, suspend }: ToolContext) => {
        this.did.push(call_id);
        return suspend({ message: 'which one?', response_schema: { type: 'string' } });
      },
    }),
    this.#tool('client', { execute: undefined }),
    this.#tool('recall', { permission: 'ask', execute: (_: unknown, { state }: ToolContext) => state.get() }),
    this.#tool('slow', {
      permission: 'ask',
      timeout_ms: SLOW_MS,
      execute: () => (this.#beginSlow(), new Promise(() => {})),
    }),
  ];
}

function* makeCalls(names: string[]) {
  for (const [i, name] of names.entries()) yield* toolCall(`c${i}`, name);
  yield finish('tool-calls');
}

const decision = (target_id: string, more: Partial<Decision> = {}): Decision => ({
  target_id,
  decision_id: `d ${target_id}`,
  action: 'resume',
  result: { approved: true },
  updated_at: 0,
  ...more,
});

const pendingOf = (events: CanonicalEvent[]): string[] => {
  const last = events.findLast((event) => event.type === 'run_waiting');
  return last?.data.pending.map((s) => s.tool_call_id) ?? [];
};
const upToPause = (b: Bench, run_id: string) => b.events(run_id, (event) => event.type === 'run_waiting');

/** The results that the model was told, by call. */
async function results(b: Bench, thread_id: string): Promise<Record<string, string>> {
  const tools = (await b.messages(thread_id)).filter(({ role }) => role === 'tool');
  return Object.fromEntries(tools.map(({ tool_call_id, content }) => [tool_call_id!, content]));
}

async function expectEnd(b: Bench, world: World, run_id: string): Promise<void> {
  const events = await b.events(run_id);
  expectWhole(events);
  expect(events.at(-1)).toMatchObject({ data: { termination: { code: 'natural' } } });
  for (const prompt of world.prompts) expectValid(prompt);
  expect(b.store.disk.rows(keys.allActors())).toEqual([]);
}

const ORDERS = [
  ['c0', 'c2', 'c3'],
  ['c0', 'c3', 'c2'],
  ['c2', 'c0', 'c3'],
  ['c2', 'c3', 'c0'],
  ['c3', 'c0', 'c2'],
  ['c3', 'c2', 'c0'],
];

describe.each(MODES)('%s', (tool_execution_mode) => {
  test.each(ORDERS)('approvals in the order %s, %s, %s', async (...order) => {
    const world = new World(['ask', 'free', 'ask', 'ask']);
    const b = await world.open({ tool_execution_mode });
    const { run_id, thread_id } = await b.start('agent', 'go');
    expect(pendingOf(await upToPause(b, run_id))).toEqual(
      tool_execution_mode === 'sequential' ? ['c0'] : ['c0', 'c2', 'c3'],
    );
    // In sequence only the first question is open; the others are asked, and decided, when their turn comes.
    const left = [...order];
    while (left.length > 0) {
      const asked = pendingOf(await upToPause(b, run_id));
      const target = left.find((id) => asked.includes(id))!;
      left.splice(left.indexOf(target), 1);
      await b.engine.deliver({ type: 'decide', run_id, decisions: [decision(target)] });
      if (tool_execution_mode === 'parallel_batch_approval' && left.length > 0) {
        await upToPause(b, run_id);
        expect(world.did, 'none runs before all are decided').toEqual(['c1']);
      }
    }
    await expectEnd(b, world, run_id);
    expect([...world.did].sort()).toEqual(['c0', 'c1', 'c2', 'c3']);
    if (tool_execution_mode === 'sequential') expect(world.did).toEqual(['c0', 'c1', 'c2', 'c3']);
    if (tool_execution_mode === 'parallel_streaming') expect(world.did).toEqual(['c1', ...order]);
    expect(await results(b, thread_id)).toEqual({ c0: 'did c0', c1: 'did c1', c2: 'did c2', c3: 'did c3' });
  });

  test('a set that decides some, denies some, and names what is not pending', async () => {
    const world = new World(['ask', 'ask', 'free']);
    const b = await world.open({ tool_execution_mode });
    const { run_id, thread_id } = await b.start('agent', 'go');
    await upToPause(b, run_id);
    const denial = decision('fc_c0', { action: 'cancel', reason: 'too dear' });
    const decisions = [denial, decision('c2'), decision('nobody'), decision('c1')];
    await b.engine.deliver({ type: 'decide', run_id, decisions });
    if (tool_execution_mode === 'sequential') {
      expect(pendingOf(await upToPause(b, run_id))).toEqual(['c1']);
      await b.engine.deliver({ type: 'decide', run_id, decisions: [decision('c1')] });
    }
    await expectEnd(b, world, run_id);
    expect(await results(b, thread_id)).toEqual({ c0: 'too dear', c1: 'did c1', c2: 'did c2' });
    const done = (await b.events(run_id)).find((event) => event.type === 'tool_call_done' && event.data.id === 'c0');
    expect(done?.data).toMatchObject({ outcome: 'denied', error: 'too dear' });
  });

  test.each([
    [{ action: 'cancel' as const }, 'denied by the user'],
    [{ result: { approved: false } }, 'denied by the user'],
    [{ result: { approved: false }, reason: 'no' }, 'no'],
  ])('a denial said as %j', async (said, told) => {
    const world = new World(['ask']);
    const b = await world.open({ tool_execution_mode });
    const { run_id, thread_id } = await b.start('agent', 'go');
    await upToPause(b, run_id);
    await b.decide(run_id, 'c0', said);
    await expectEnd(b, world, run_id);
    expect([world.did, await results(b, thread_id)]).toEqual([[], { c0: told }]);
  });

  test('answers to a question and to a call of the client are their results; neither runs again', async () => {
    const world = new World(['inquire', 'client']);
    const b = await world.open({ tool_execution_mode });
    const { run_id, thread_id } = await b.start('agent', 'go');
    const asked = await b.events(run_id, (event) => event.type === 'tool_call_suspended' && event.data.id === 'c0');
    expect(asked.at(-1)!.data).toMatchObject({
      id: 'c0',
      suspension: { id: 'fc_c0', kind: 'input', message: 'which one?', response_schema: { type: 'string' } },
    });
    await b.decide(run_id, 'c0', { result: 'the red one' });
    await upToPause(b, run_id);
    await b.decide(run_id, 'c1', { result: { painted: true } });
    await expectEnd(b, world, run_id);
    expect(world.did).toEqual(['c0']);
    expect(await results(b, thread_id)).toEqual({ c0: 'the red one', c1: '{"painted":true}' });
  });

  test('a question that is not answered is a denial', async () => {
    const world = new World(['inquire']);
    const b = await world.open({ tool_execution_mode });
    const { run_id, thread_id } = await b.start('agent', 'go');
    await upToPause(b, run_id);
    await b.decide(run_id, 'c0', { action: 'cancel', reason: 'none of your business' });
    await expectEnd(b, world, run_id);
    expect(await results(b, thread_id)).toEqual({ c0: 'none of your business' });
  });
});

describe('state that comes with a decision', () => {
  const state = { form: { name: 'Ada' } };

  test('is there when the call runs, and is told behind the resumption, once', async () => {
    const world = new World(['recall']);
    const b = await world.open();
    const { run_id, thread_id } = await b.start('agent', 'go');
    const paused = await upToPause(b, run_id);
    const messages = [{ role: 'user' as const, content: 'and then?' }];
    const start = {
      agent_id: 'agent',
      thread_id,
      origin: 'user' as const,
      on_busy: 'reject' as const,
      messages,
      state,
    };
    const answer = await b.engine.deliver({ type: 'start', start: { ...start, decisions: [decision('c0')] } });
    const rest = (await b.events(run_id)).slice(paused.length);
    expect(rest.slice(0, 3)).toMatchObject([
      { type: 'run_resumed' },
      { type: 'state_snapshot', data: { snapshot: state } },
      { type: 'tool_call_resumed' },
    ]);
    expect(await results(b, thread_id)).toMatchObject({ c0: JSON.stringify(state) });
    const next = await b.events(answer.follows!.run_id, (event) => event.type === 'step_start');
    expect(next.map(({ type }) => type)).toEqual(['run_start', 'step_start']);
  });

  test('is not told when it is known, and not taken with one that nothing asks for', async () => {
    const world = new World(['ask']);
    const b = await world.open();
    const { run_id, thread_id } = await b.start('agent', 'go');
    await upToPause(b, run_id);
    const asked = { agent_id: 'agent', thread_id, origin: 'user' as const, on_busy: 'reject' as const, messages: [] };
    const wrong = { ...asked, state, decisions: [decision('nobody')] };
    await expect(b.engine.deliver({ type: 'start', start: wrong })).rejects.toMatchObject({ code: 'conflict' });
    await b.engine.deliver({ type: 'start', start: { ...asked, state: {}, decisions: [decision('c0')] } });
    const told = (await b.events(run_id)).map(({ type }) => type as string);
    expect(told.filter((type) => type.startsWith('state'))).toEqual([]);
    expect(await b.engine.read({ kind: 'state', thread_id })).toEqual({});
  });
});

describe('a decision that is repeated (CONTRACT 1.10)', () => {
  const repeat = { type: 'decide' as const, decisions: [decision('c0')] };

  test('acts once, also when it comes three times at once, and is acknowledged when the run is done', async () => {
    const world = new World(['ask', 'ask']);
    const b = await world.open();
    const { run_id } = await b.start('agent', 'go');
    await upToPause(b, run_id);
    const said = { ...repeat, run_id };
    await Promise.all([b.engine.deliver(said), b.engine.deliver(said), b.engine.deliver(said)]);
    await upToPause(b, run_id);
    await b.engine.deliver(said);
    await b.decide(run_id, 'c1');
    const events = await b.events(run_id);
    await expect(b.engine.deliver(said)).resolves.toMatchObject({ run: { status: 'done' } });
    expect(await b.events(run_id)).toEqual(events);
    expect(world.did).toEqual(['c0', 'c1']);
    expect(events.filter((event) => event.type === 'tool_call_resumed' && event.data.target_id === 'c0')).toHaveLength(
      1,
    );
  });

  test('says nothing about a question that the call asks later', async () => {
    const world = new World(['slow']);
    const b = await world.open();
    const { run_id, thread_id } = await b.start('agent', 'go');
    await upToPause(b, run_id);
    await b.engine.deliver({ ...repeat, run_id });
    await world.slowBegan;
    world.clock.advance(SLOW_MS);
    const inDoubt = await upToPause(b, run_id);
    expect(inDoubt.findLast((event) => event.type === 'tool_call_suspended')?.data).toMatchObject({
      suspension: { kind: 'in_doubt' },
    });
    await b.engine.deliver({ ...repeat, run_id });
    expect(await upToPause(b, run_id)).toEqual(inDoubt);
    await b.decide(run_id, 'c0', { result: 'it did happen' });
    await expectEnd(b, world, run_id);
    expect(await results(b, thread_id)).toEqual({ c0: 'it did happen' });
  });

  test('with another id it is ignored while the run is active, and refused when it is done', async () => {
    const world = new World(['ask', 'ask']);
    const b = await world.open();
    const { run_id } = await b.start('agent', 'go');
    await upToPause(b, run_id);
    await b.decide(run_id, 'c0', { action: 'cancel' });
    await b.decide(run_id, 'c0');
    await b.decide(run_id, 'c1');
    await b.events(run_id);
    await expect(b.decide(run_id, 'c0')).rejects.toMatchObject({ code: 'run_not_active' });
    expect(world.did).toEqual(['c1']);
  });

  const requests = [
    { what: 'with one that nothing asked for', asked: 1, more: [decision('nobody')] },
    { what: 'with a hundred others', asked: 100, more: [] },
  ];
  test.each(requests)('$what is acknowledged again, by whatever way, and begins nothing', async ({ asked, more }) => {
    const world = new World(Array.from({ length: asked }, () => 'ask'));
    const b = await world.open();
    const { run_id, thread_id } = await b.start('agent', 'go');
    const decisions = [...pendingOf(await upToPause(b, run_id)).map((id) => decision(id)), ...more];
    await b.engine.deliver({ type: 'decide', run_id, decisions });
    const events = await b.events(run_id);
    const start = { agent_id: 'agent', thread_id, origin: 'user' as const, on_busy: 'reject' as const, messages: [] };
    for (const repeated of [decisions, decisions.slice(0, 1)]) {
      await b.engine.deliver({ type: 'decide', run_id, decisions: repeated });
      const answer = await b.engine.deliver({ type: 'start', start: { ...start, decisions: repeated } });
      expect(answer).toMatchObject({ attached: true, run: { run_id } });
    }
    expect(await b.events(run_id)).toEqual(events);
    expect(world.did).toHaveLength(asked);
    expect(await b.engine.list({ kind: 'runs', offset: 0, limit: 9 })).toMatchObject({ total: 1 });
  });

  test('beside one that comes too late does not make that one welcome', async () => {
    const world = new World(['ask']);
    const b = await world.open();
    const { run_id } = await b.start('agent', 'go');
    await upToPause(b, run_id);
    await b.engine.deliver({ ...repeat, run_id });
    await b.events(run_id);
    const decisions = [decision('c0'), decision('c0', { decision_id: 'late', action: 'cancel' })];
    const late = b.engine.deliver({ type: 'decide', run_id, decisions });
    await expect(late).rejects.toMatchObject({ code: 'run_not_active' });
  });

  test('is remembered, however many that nothing asks for come beside later ones', async () => {
    const world = new World(['ask', 'ask']);
    const b = await world.open();
    const { run_id } = await b.start('agent', 'go');
    await upToPause(b, run_id);
    await b.engine.deliver({ ...repeat, run_id });
    await upToPause(b, run_id);
    const nobody = Array.from({ length: 1_000 }, (_, i) => decision(`nobody ${i}`));
    await b.engine.deliver({ type: 'decide', run_id, decisions: [...nobody, decision('c1')] });
    await expectEnd(b, world, run_id);
    await expect(b.engine.deliver({ ...repeat, run_id })).resolves.toMatchObject({ run: { status: 'done' } });
  });

  test('having been ignored beside another, acts when something asks for it', async () => {
    const world = new World(['ask', 'ask']);
    const b = await world.open({ tool_execution_mode: 'sequential' });
    const { run_id } = await b.start('agent', 'go');
    await upToPause(b, run_id);
    const decisions = [decision('c0'), decision('c1')];
    await b.engine.deliver({ type: 'decide', run_id, decisions });
    expect(pendingOf(await upToPause(b, run_id))).toEqual(['c1']);
    await b.engine.deliver({ type: 'decide', run_id, decisions });
    await expectEnd(b, world, run_id);
    expect(world.did).toEqual(['c0', 'c1']);
  });

  test('beside one that is news does not keep that one from acting', async () => {
    const world = new World(['ask', 'ask']);
    const b = await world.open();
    const { run_id, thread_id } = await b.start('agent', 'go');
    await upToPause(b, run_id);
    await b.engine.deliver({ ...repeat, run_id });
    await upToPause(b, run_id);
    const decisions = [decision('c0'), decision('c1')];
    const answer = await b.engine.deliver({
      type: 'start',
      start: { agent_id: 'agent', thread_id, origin: 'user', on_busy: 'reject', messages: [], decisions },
    });
    expect(answer).toMatchObject({ attached: false, run: { run_id } });
    await expectEnd(b, world, run_id);
    expect(world.did).toEqual(['c0', 'c1']);
  });

  test('across a crash acts once', async () => {
    const world = new World(['ask', 'ask']);
    const first = await world.open();
    const { run_id } = await first.start('agent', 'go');
    await upToPause(first, run_id);
    await first.engine.deliver({ ...repeat, run_id });
    await upToPause(first, run_id);
    first.store.crash();
    open.pop();
    const second = await world.open({}, new MemoryStore(first.store.disk));
    await second.engine.deliver({ ...repeat, run_id });
    await second.decide(run_id, 'c1');
    await expectEnd(second, world, run_id);
    expect(world.did).toEqual(['c0', 'c1']);
  });
});

describe.each(MODES)('a crash while the run waits (%s)', (tool_execution_mode) => {
  test('the questions stand, and the run goes on where it stood', async () => {
    const world = new World(['ask', 'inquire', 'client']);
    const agent = { tool_execution_mode };
    let b = await world.open(agent);
    const { run_id, thread_id } = await b.start('agent', 'go');
    for (const target of ['c0', 'c1', 'c2']) {
      const before = await upToPause(b, run_id);
      expect(pendingOf(before)).toContain(target);
      b.store.crash();
      open.pop();
      b = await world.open(agent, new MemoryStore(b.store.disk));
      expect(await upToPause(b, run_id)).toEqual(before);
      await b.decide(run_id, target, { result: target === 'c0' ? { approved: true } : `answer ${target}` });
    }
    await expectEnd(b, world, run_id);
    expect([...world.did].sort()).toEqual(['c0', 'c1']);
    expect(await results(b, thread_id)).toEqual({ c0: 'did c0', c1: 'answer c1', c2: 'answer c2' });
    expect(world.prompts).toHaveLength(2);
  });
});

describe('an approval that nobody gives (CONTRACT 1.16)', () => {
  const approval_expiry_ms = 1_000;

  test('counts as denied when its time is over, not before; later decisions come too late', async () => {
    const world = new World(['ask', 'client']);
    const b = await world.open({ approval_expiry_ms });
    const { run_id, thread_id } = await b.start('agent', 'go');
    await upToPause(b, run_id);
    world.clock.advance(approval_expiry_ms - 1);
    await b.decide(run_id, 'nobody');
    expect(pendingOf(await upToPause(b, run_id))).toEqual(['c0', 'c1']);
    world.clock.advance(1);
    await b.events(run_id, (event) => event.type === 'tool_call_done');
    expect(pendingOf(await upToPause(b, run_id))).toEqual(['c1']);
    await b.decide(run_id, 'c0');
    await b.decide(run_id, 'c1', { result: 'painted' });
    await expectEnd(b, world, run_id);
    expect(world.did).toEqual([]);
    expect(await results(b, thread_id)).toEqual({ c0: 'nobody approved it in time', c1: 'painted' });
  });

  test('expires while the server is down', async () => {
    const world = new World(['ask']);
    const first = await world.open({ approval_expiry_ms });
    const { run_id, thread_id } = await first.start('agent', 'go');
    await upToPause(first, run_id);
    first.store.crash();
    open.pop();
    world.clock.advance(approval_expiry_ms * 10);
    const second = await world.open({ approval_expiry_ms }, new MemoryStore(first.store.disk));
    await upToPause(second, run_id);
    world.clock.advance(0);
    await expectEnd(second, world, run_id);
    expect(await results(second, thread_id)).toEqual({ c0: 'nobody approved it in time' });
  });

  test('given in time, it does not expire any more', async () => {
    const world = new World(['ask', 'ask']);
    const b = await world.open({ approval_expiry_ms, tool_execution_mode: 'parallel_batch_approval' });
    const { run_id, thread_id } = await b.start('agent', 'go');
    await upToPause(b, run_id);
    await b.decide(run_id, 'c0');
    world.clock.advance(approval_expiry_ms);
    await expectEnd(b, world, run_id);
    expect(await results(b, thread_id)).toEqual({ c0: 'did c0', c1: 'nobody approved it in time' });
  });
});

describe('a tool that does not listen (CONTRACT 1.13)', () => {
  const MAY_HAVE_RUN = 'was running when it was stopped; it may have taken effect';
  const limits = { cancel_ms: 5_000 };

  /** A run whose one call runs and is being stopped. */
  async function stopping() {
    const clock = new FakeClock();
    let began = () => {};
    const running = new Promise<void>((resolve) => (began = resolve));
    let settle: (result: string) => void = () => {};
    const deaf = defineTool({
      name: 'deaf',
      description: 'listens to nobody',
      input,
      execute: () => (began(), new Promise<string>((resolve) => (settle = resolve))),
    });
    const agent = defineAgent({ id: 'agent', model: scriptedModel(() => makeCalls(['deaf'])), tools: [deaf] });
    const start = async (store: MemoryStore) => {
      const b = await bench([agent], { clock, limits, store });
      open.push(b);
      return b;
    };
    const b = await start(new MemoryStore());
    const run = await b.start('agent', 'go');
    await running;
    await b.engine.deliver({ type: 'cancel', run_id: run.run_id });
    return { b, run, clock, start, settle: (result: string) => settle(result) };
  }

  test('has its call closed at the deadline; what it comes to later is kept for the operator alone', async () => {
    const { b, run, clock, settle } = await stopping();
    const { run_id, thread_id } = run;
    clock.advance(limits.cancel_ms - 1);
    await b.decide(run_id, 'nobody');
    expect(await b.run(run_id)).toMatchObject({ status: 'running' });
    clock.advance(1);
    const events = await b.events(run_id);
    expect(await b.run(run_id)).toMatchObject({ status: 'done', termination_code: 'cancelled' });
    expect(await results(b, thread_id)).toEqual({ c0: MAY_HAVE_RUN });
    expect(b.store.disk.rows(keys.allLedger())).toEqual([]);

    settle('paid after all');
    await expect.poll(() => b.store.disk.rows(keys.allLedger()).length).toBe(1);
    const [[, row]] = b.store.disk.rows(keys.allLedger()) as [[unknown, string]];
    expect(JSON.parse(row)).toMatchObject({
      kind: 'late_outcome',
      thread_id,
      outcome: { output: { outcome: 'succeeded', result: 'paid after all' } },
    });
    expect(await b.events(run_id)).toEqual(events);
    expectWhole(events);
  });

  test('ends before the deadline all the same: what it did is its result', async () => {
    const { b, run, settle } = await stopping();
    settle('paid');
    expectWhole(await b.events(run.run_id));
    expect(await b.run(run.run_id)).toMatchObject({ status: 'done', termination_code: 'cancelled' });
    expect(await results(b, run.thread_id)).toEqual({ c0: 'paid' });
    expect(b.store.disk.rows(keys.allLedger())).toEqual([]);
  });

  test('is lost in a crash while it is being stopped: its call is closed', async () => {
    const { b, run, start } = await stopping();
    b.store.crash();
    open.pop();
    const second = await start(new MemoryStore(b.store.disk));
    expectWhole(await second.events(run.run_id));
    expect(await second.run(run.run_id)).toMatchObject({ status: 'done', termination_code: 'cancelled' });
    expect(await results(second, run.thread_id)).toEqual({ c0: MAY_HAVE_RUN });
  });
});
