/** A message that may have arrived is told once: a remote that does not take messages once is not asked again unbidden (CONTRACT 1.15). */

import { describe, expect, test } from 'vitest';
import { defineAgent } from '../../src/agents/agent.js';
import { scriptedModel } from '../../src/agents/scripted/model.js';
import { finish, say, toolCall } from '../../src/agents/scripted/parts.js';
import { MemoryStore } from '../../src/store/memory.js';
import { bench, type Bench } from '../support/engine.js';
import { gate, type Gate } from '../support/gate.js';
import { saidIn, type Play, type RemoteOptions, type RemoteServer } from '../support/remote-agent.js';
import { agentAt, opened, remoteServer, spoken } from './world.js';

const reply: Play = (turn) => (turn.text(`re: ${saidIn(turn.message)}`), turn.complete());

/** A remote that says nothing before `speak`; how often it was told. */
async function mute(options: Partial<RemoteOptions> = {}): Promise<{ remote: RemoteServer; speak: Gate }> {
  const speak = gate();
  const remote = await remoteServer(reply, { version: '0.3', dedupes: false, answersAfter: speak.opened, ...options });
  return { remote, speak };
}

const pending = async (b: Bench) => (await b.engine.list({ kind: 'approvals', offset: 0, limit: 9 })).items;

/** This server dies when the remote has been told and has said nothing; what is there after the start that follows. */
async function died(remote: RemoteServer, more: object = {}): Promise<Bench> {
  const far = agentAt(remote, more);
  const store = new MemoryStore();
  const first = await bench([far], { store });
  await first.start('far', 'do it', { run_id: 'r', thread_id: 't' });
  await expect.poll(() => remote.received).toHaveLength(1);
  store.crash();
  return opened([far], new MemoryStore(store.disk));
}

/** The same, up to the question. */
async function inDoubt(): Promise<{ b: Bench; remote: RemoteServer; call: string }> {
  const { remote, speak } = await mute();
  const b = await died(remote);
  expect(await b.settle('r')).toMatchObject({ status: 'waiting', termination_code: 'input_required' });
  speak.open();
  const [asked] = await pending(b);
  return { b, remote, call: asked!.tool_call_id };
}

describe('a crash between a message and its first answer', () => {
  test.each(['0.3', '1.0'] as const)('leaves it in doubt (%s)', async (version) => {
    const { remote } = await mute({ version });
    // A remote that makes contexts of its own cannot be asked for what was sent.
    remote.hides = true;
    const b = await died(remote);
    await b.settle('r');
    expect(await pending(b)).toMatchObject([
      { run_id: 'r', name: 'remote_send', arguments: { message: 'do it' }, suspension: { kind: 'in_doubt' } },
    ]);
    expect(remote.received).toHaveLength(1);
  });

  test.each([
    ['its configuration says that it takes messages once', {}, { idempotent: true }],
    ['its card does', { declares: true }, {}],
  ])('is no question when %s', async (_, options, config) => {
    const { remote, speak } = await mute({ dedupes: true, ...options });
    const b = await died(remote, config);
    speak.open();
    expect(spoken(await b.events('r'))).toBe('re: do it');
    expect(remote.received).toHaveLength(1);
  });

  test('is one when the configuration takes back what the card says', async () => {
    const { remote } = await mute({ declares: true });
    const b = await died(remote, { idempotent: false });
    expect(await b.settle('r')).toMatchObject({ status: 'waiting' });
  });

  test('of an answer to a question is none: its task tells whether it has come', async () => {
    const held = gate();
    const remote = await remoteServer(
      async (turn) => {
        if (turn.task.task.history.length === 1) return turn.ask('sure?');
        await held.opened;
        return reply(turn);
      },
      { version: '0.3', dedupes: false },
    );
    const far = agentAt(remote);
    const store = new MemoryStore();
    const first = await bench([far], { store });
    await first.start('far', 'do it', { run_id: 'r' });
    await first.settle('r');
    const [asked] = await pending(first);
    remote.refusal = 500;
    await first.decide('r', asked!.tool_call_id, { result: 'yes' });
    await first.events('r', ({ type }) => type === 'run_resumed');
    store.crash();
    remote.refusal = null;
    const second = await opened([far], new MemoryStore(store.disk));
    held.open();
    expect(spoken((await second.events('r')).slice(-9))).toContain('re: yes');
    expect(remote.received).toHaveLength(2);
  });
});

describe('what is decided', () => {
  test('retry: it is sent, and the answer is the run’s', async () => {
    const { b, remote, call } = await inDoubt();
    await b.decide('r', call, { result: { retry: true } });
    expect(spoken(await b.events('r'))).toBe('re: do it');
    expect(await b.run('r')).toMatchObject({ termination_code: 'natural' });
    expect(remote.received.map(saidIn)).toEqual(['do it', 'do it']);
    expect(new Set(remote.received.map(({ messageId }) => messageId)).size).toBe(2);
  });

  test('a result: it was the answer, and nothing is sent', async () => {
    const { b, remote, call } = await inDoubt();
    await b.decide('r', call, { result: 'it was done at nine' });
    expect(spoken(await b.events('r'))).toBe('it was done at nine');
    expect(await b.run('r')).toMatchObject({ termination_code: 'natural' });
    expect(remote.received).toHaveLength(1);
    const next = await b.start('far', 'and then?', { thread_id: 't' });
    await b.settle(next.run_id);
    const told = saidIn(remote.received[1]!);
    expect(told).toContain('it was done at nine');
    expect(told).toContain('and then?');
    expect(told).not.toContain('remote_send');
  });

  test('cancel: the run ends with the reason', async () => {
    const { b, remote, call } = await inDoubt();
    await b.decide('r', call, { action: 'cancel', reason: 'called them' });
    await b.events('r');
    expect(await b.run('r')).toMatchObject({
      termination_code: 'error',
      termination_detail: 'the remote agent was not told again: called them',
    });
    expect(remote.received).toHaveLength(1);
  });

  test('of a delegate is asked of who delegated', async () => {
    const { remote, speak } = await mute();
    const model = scriptedModel(({ prompt }) =>
      prompt.at(-1)!.role === 'tool'
        ? say('it is done')
        : [...toolCall('c1', 'agent_run', { agent_id: 'far', prompt: 'do it' }), finish('tool-calls')],
    );
    const agents = [defineAgent({ id: 'boss', model, delegates: ['far'] }), agentAt(remote)];
    const store = new MemoryStore();
    const first = await bench(agents, { store });
    const { run_id, thread_id } = await first.start('boss', 'go');
    await expect.poll(() => remote.received).toHaveLength(1);
    store.crash();
    const b = await opened(agents, new MemoryStore(store.disk));
    expect(await b.settle(run_id)).toMatchObject({ status: 'waiting' });
    expect(await pending(b)).toContainEqual(
      expect.objectContaining({
        run_id,
        tool_call_id: 'c1',
        suspension: expect.objectContaining({ kind: 'in_doubt' }),
      }),
    );
    speak.open();
    await b.decide(run_id, 'c1', { result: { retry: true } });
    await b.events(run_id);
    const results = (await b.messages(thread_id)).filter(({ role }) => role === 'tool');
    expect(results.map(({ content }) => content)).toEqual(['re: do it']);
  });
});

describe('without a crash', () => {
  test('a connection that breaks before the first answer leaves it in doubt', async () => {
    const { remote } = await mute();
    const b = await opened([agentAt(remote)]);
    const { run_id } = await b.start('far', 'do it');
    await expect.poll(() => remote.received).toHaveLength(1);
    remote.cut();
    expect(await b.settle(run_id)).toMatchObject({ status: 'waiting' });
    expect(await pending(b)).toMatchObject([{ name: 'remote_send' }]);
    expect(remote.received).toHaveLength(1);
  });

  test('a remote that has no time just now is told again: it has not taken the message', async () => {
    const { remote, speak } = await mute();
    speak.open();
    const b = await opened([agentAt(remote)]);
    const before = await b.start('far', 'first');
    await b.settle(before.run_id);
    remote.refusal = 503;
    const { run_id } = await b.start('far', 'do it');
    await expect.poll(() => remote.refused).toBeGreaterThan(1);
    remote.refusal = null;
    expect(spoken(await b.events(run_id))).toBe('re: do it');
    expect(remote.received).toHaveLength(2);
  });
});
