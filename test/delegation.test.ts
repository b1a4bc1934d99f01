/** Agents that give work to agents (CONTRACT 5.5): answers, questions, ends and stops travel along the tree. */

import { afterEach, describe, expect, test } from 'vitest';
import { checkStore } from '../src/actors/doctor/index.js';
import { defineAgent } from '../src/agents/agent.js';
import { finish, say, toolCall } from '../src/agents/scripted/parts.js';
import { scriptedModel, type Script } from '../src/agents/scripted/model.js';
import { defineTool } from '../src/agents/tool.js';
import type { Agent } from '../src/agents/types.js';
import { MemoryStore } from '../src/store/memory.js';
import { bench, type Bench } from './support/engine.js';
import { FakeClock } from './support/fake-clock.js';

let open: Bench | undefined;
afterEach(async () => {
  if (!open) return;
  await open.engine.close(0);
  expect((await checkStore(new MemoryStore(open.store.disk))).faults).toEqual([]);
  open = undefined;
});
const opened = async (agents: Agent[]): Promise<Bench> => (open = await bench(agents));

type Prompt = Parameters<Script>[0]['prompt'];
/** What the last tool message says, as one text; undefined while the last word is a person's. */
const toolAnswer = (prompt: Prompt): string | undefined => {
  const last = prompt.at(-1)!;
  return last.role === 'tool' ? JSON.stringify(last.content) : undefined;
};
const lastText = (prompt: Prompt): string => JSON.stringify(prompt.at(-1)!.content);

function* calls(...wanted: [id: string, name: string, input: object][]) {
  for (const [id, name, input] of wanted) yield* toolCall(id, name, input);
  yield finish('tool-calls');
}

const agent = (id: string, script: Script, more: object = {}) =>
  defineAgent({ id, model: scriptedModel(script), ...more });
const input = { type: 'object' };

/** Asks `to` and says what it answered. */
const asks = (id: string, to: string, background = false) =>
  agent(
    id,
    ({ prompt }) =>
      toolAnswer(prompt) === undefined
        ? calls([`${id} call`, 'agent_run', { agent_id: to, prompt: 'do it', background }])
        : say(`${id}: ${toolAnswer(prompt)}`),
    { delegates: [to] },
  );

describe('a child in the foreground', () => {
  test('answers its parent, is a run of its own, and is linked both ways', async () => {
    const b = await opened([asks('parent', 'child'), agent('child', () => say('forty', '-two'))]);
    const parent = await b.start('parent', 'go');
    const end = await b.settle(parent.run_id);
    expect(end).toMatchObject({ status: 'done', termination_code: 'natural' });
    expect((await b.messages(parent.thread_id)).at(-1)!.content).toContain('forty-two');
    const { items } = await b.engine.list({ kind: 'runs', offset: 0, limit: 50 });
    expect(items.find((run) => run.agent_id === 'child')).toMatchObject({
      origin: 'subagent',
      parent_run_id: parent.run_id,
      parent_thread_id: parent.thread_id,
      status: 'done',
    });
  });

  test('is stopped with its parent', async () => {
    let began = () => {};
    const inferring = new Promise<void>((resolve) => (began = resolve));
    const hangs = agent('child', async function* () {
      began();
      await new Promise(() => {});
      yield finish();
    });
    const b = await opened([asks('parent', 'child'), hangs]);
    const parent = await b.start('parent', 'go');
    await inferring;
    await b.engine.deliver({ type: 'cancel', run_id: parent.run_id });
    expect(await b.settle(parent.run_id)).toMatchObject({ status: 'done', termination_code: 'cancelled' });
    const child = (await b.engine.list({ kind: 'runs', offset: 0, limit: 50 })).items.find(
      (run) => run.agent_id === 'child',
    )!;
    expect(await b.settle(child.run_id)).toMatchObject({ status: 'done', termination_code: 'cancelled' });
  });

  const approves = () => {
    let paid = 0;
    const pay = defineTool({
      name: 'pay',
      description: 'pays',
      input,
      permission: 'ask',
      execute: () => `paid ${++paid}`,
    });
    const child = agent(
      'child',
      ({ prompt }) =>
        toolAnswer(prompt) === undefined ? calls(['pay call', 'pay', {}]) : say(`ok ${toolAnswer(prompt)}`),
      { tools: [pay] },
    );
    return { child, paid: () => paid };
  };

  test('asks through its parent, and takes the answer given there', async () => {
    const { child, paid } = approves();
    const b = await opened([asks('parent', 'child'), child]);
    const parent = await b.start('parent', 'go');
    const waiting = await b.settle(parent.run_id);
    expect(waiting).toMatchObject({ status: 'waiting', termination_code: 'input_required' });
    expect(waiting.termination_detail).toContain('pay');
    expect(paid()).toBe(0);
    await b.decide(parent.run_id, 'parent call');
    expect(await b.settle(parent.run_id)).toMatchObject({ status: 'done', termination_code: 'natural' });
    expect(paid()).toBe(1);
    expect((await b.messages(parent.thread_id)).at(-1)!.content).toContain('paid 1');
  });

  test('takes a denial given there', async () => {
    const { child, paid } = approves();
    const b = await opened([asks('parent', 'child'), child]);
    const parent = await b.start('parent', 'go');
    await b.settle(parent.run_id);
    await b.decide(parent.run_id, 'parent call', { action: 'cancel', reason: 'too dear' });
    expect(await b.settle(parent.run_id)).toMatchObject({ status: 'done', termination_code: 'natural' });
    expect(paid()).toBe(0);
    expect((await b.messages(parent.thread_id)).at(-1)!.content).toContain('too dear');
  });

  test('may be answered itself: the parent goes on by itself', async () => {
    const { child, paid } = approves();
    const b = await opened([asks('parent', 'child'), child]);
    const parent = await b.start('parent', 'go');
    await b.settle(parent.run_id);
    const own = (await b.engine.list({ kind: 'runs', offset: 0, limit: 50 })).items.find(
      (run) => run.agent_id === 'child',
    )!;
    await b.decide(own.run_id, 'pay call');
    const events = await b.events(parent.run_id);
    expect(events.at(-1)).toMatchObject({ type: 'run_finish', data: { termination: { code: 'natural' } } });
    expect(paid()).toBe(1);
  });

  const childOf = async (b: Bench) =>
    (await b.engine.list({ kind: 'runs', offset: 0, limit: 50 })).items.filter((run) => run.agent_id === 'child');

  test('whose thread is deleted while it asks is not begun again: its parent is told', async () => {
    const { child } = approves();
    const b = await opened([asks('parent', 'child'), child]);
    const parent = await b.start('parent', 'go');
    await b.settle(parent.run_id);
    const [{ thread_id } = { thread_id: '' }] = await childOf(b);
    await b.engine.deliver({ type: 'delete_thread', thread_id });
    const events = await b.events(parent.run_id);
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'tool_call_done',
        data: expect.objectContaining({ error: 'the run ended cancelled: the thread was deleted' }),
      }),
    );
    expect(events.at(-1)).toMatchObject({ type: 'run_finish', data: { termination: { code: 'natural' } } });
    expect(await childOf(b)).toEqual([]);
  });

  test('whose question its parent does not get answered in time is told so, and goes on', async () => {
    const clock = new FakeClock();
    const { child, paid } = approves();
    const parents = { ...asks('parent', 'child'), approval_expiry_ms: 1_000 };
    const b = (open = await bench([parents, child], { clock }));
    const parent = await b.start('parent', 'go');
    await b.settle(parent.run_id);
    clock.advance(1_000);
    const events = await b.events(parent.run_id);
    expect(events.at(-1)).toMatchObject({ type: 'run_finish', data: { termination: { code: 'natural' } } });
    expect(await childOf(b)).toMatchObject([{ status: 'done', termination_code: 'natural' }]);
    expect((await b.messages(parent.thread_id)).at(-1)!.content).toContain('nobody approved it in time');
    expect(paid()).toBe(0);
  });
});

test('a child in the background ends as an entry of the parent thread, told to the model once', async () => {
  let release = () => {};
  const gate = new Promise<void>((resolve) => (release = resolve));
  const slow = agent('child', async function* () {
    await gate;
    yield* say('at last');
  });
  const told: string[] = [];
  const parent = agent(
    'parent',
    ({ prompt }) => {
      if (lastText(prompt).includes('has ended')) told.push(lastText(prompt));
      return prompt.length === 1
        ? calls(['bg', 'agent_run', { agent_id: 'child', prompt: 'x', background: true }])
        : say('noted');
    },
    { delegates: ['child'] },
  );
  const b = await opened([parent, slow]);
  const first = await b.start('parent', 'go');
  expect(await b.settle(first.run_id)).toMatchObject({ status: 'done', termination_code: 'natural' });
  release();
  const second = await expect
    .poll(async () =>
      (await b.engine.list({ kind: 'runs', offset: 0, limit: 50 })).items.find((run) => run.origin === 'internal'),
    )
    .toBeDefined()
    .then(async () =>
      (await b.engine.list({ kind: 'runs', offset: 0, limit: 50 })).items.find((run) => run.origin === 'internal')!,
    );
  expect(await b.settle(second.run_id)).toMatchObject({ status: 'done', thread_id: first.thread_id });
  expect(told).toHaveLength(1);
  expect(told[0]).toContain('at last');
});

test('a handoff lets the same run go on as another agent', async () => {
  const b = await opened([
    agent('front', () => calls(['h', 'agent_handoff', { agent_id: 'expert' }]), { delegates: ['expert'] }),
    agent('expert', () => say('I am the expert')),
  ]);
  const run = await b.start('front', 'go');
  expect(await b.settle(run.run_id)).toMatchObject({ status: 'done', agent_id: 'expert', termination_code: 'natural' });
  expect((await b.messages(run.thread_id)).at(-1)!.content).toBe('I am the expert');
});

test('calls that were made beside a handoff are carried out as the agent that made them', async () => {
  const executed: string[] = [];
  const pay = defineTool({
    name: 'pay',
    description: 'pays',
    input,
    permission: 'ask',
    execute: (_: unknown, { agent_id }) => void executed.push(agent_id),
  });
  const b = await opened([
    agent('front', () => calls(['h', 'agent_handoff', { agent_id: 'expert' }], ['p', 'pay', {}]), {
      delegates: ['expert'],
      tools: [pay],
    }),
    agent('expert', ({ prompt }) => say(toolAnswer(prompt)!)),
  ]);
  const run = await b.start('front', 'go');
  expect(await b.settle(run.run_id)).toMatchObject({ status: 'waiting', agent_id: 'expert' });
  await b.decide(run.run_id, 'p');
  expect(await b.settle(run.run_id)).toMatchObject({ status: 'done', agent_id: 'expert', termination_code: 'natural' });
  expect(executed).toEqual(['front']);
});

test('an agent outside the list is refused to the model, not to the run', async () => {
  const b = await opened([
    agent(
      'parent',
      ({ prompt }) =>
        toolAnswer(prompt) === undefined
          ? calls(['c', 'agent_run', { agent_id: 'secret', prompt: 'x' }])
          : say(toolAnswer(prompt)!),
      { delegates: ['child'] },
    ),
    agent('child', () => say('x')),
    agent('secret', () => say('never')),
  ]);
  const run = await b.start('parent', 'go');
  expect(await b.settle(run.run_id)).toMatchObject({ termination_code: 'natural' });
  expect((await b.messages(run.thread_id)).at(-1)!.content).toContain('you cannot delegate to secret');
});
