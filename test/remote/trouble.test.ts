/** What can go wrong between a run and the remote agent it runs as, and that it goes wrong once. */

import { describe, expect, test } from 'vitest';
import { defineAgent } from '../../src/agents/agent.js';
import { scriptedModel } from '../../src/agents/scripted/model.js';
import { finish, say, toolCall } from '../../src/agents/scripted/parts.js';
import { MemoryStore } from '../../src/store/memory.js';
import { bench } from '../support/engine.js';
import { gate } from '../support/gate.js';
import type { Play } from '../support/remote-agent.js';
import { agentAt, opened, remoteServer, spoken } from './world.js';

const short: Play = (turn) => (turn.text('done'), turn.complete());

describe('a crash here', () => {
  /** Batches of the disk until the run has ended. */
  const LAST = 12;

  test.each(['1.0', '0.3'] as const)(
    'between any two commits: the remote (%s) runs once, the answer is whole',
    async (version) => {
      for (let at = 1; at <= LAST; at++) {
        for (const fate of ['crash-before', 'crash-after'] as const) {
          const remote = await remoteServer((turn) => (turn.text('one '), turn.text('two'), turn.complete()), {
            version,
            dedupes: true,
          });
          const first = new MemoryStore(undefined, { batch: (n) => (n === at ? fate : 'ok') });
          const far = agentAt(remote, { idempotent: true });
          const world = await bench([far], { store: first });
          const started = world.start('far', 'go', { run_id: 'r', thread_id: 't' });
          started.catch(() => {});
          const over = world.engine.readEvents('r', -1).then(
            () => world.events('r'),
            () => new Promise<never>(() => {}),
          );
          await Promise.race([first.crashed, started.then(() => world.events('r')), over]);
          first.crash();
          const second = await opened([far], new MemoryStore(first.disk));
          if (!(await second.engine.read({ kind: 'run', run_id: 'r' }))) continue;
          expect(spoken(await second.events('r'))).toBe('one two');
          expect(await second.run('r')).toMatchObject({ termination_code: 'natural' });
          expect(remote.received).toHaveLength(1);
        }
      }
    },
  );

  test('before the remote has named the task: a remote that can list its tasks runs it once, without telling ids apart', async () => {
    const [asked, rest] = [gate(), gate()];
    const remote = await remoteServer(
      async (turn) => {
        asked.open();
        await rest.opened;
        turn.text('only once');
        turn.complete();
      },
      { dedupes: false },
    );
    const store = new MemoryStore();
    const first = await bench([agentAt(remote)], { store });
    await first.start('far', 'go', { run_id: 'r' });
    await asked.opened;
    store.crash();
    const second = await opened([agentAt(remote)], new MemoryStore(store.disk));
    await expect.poll(() => remote.subscribed.length).toBeGreaterThan(0);
    rest.open();
    expect(spoken(await second.events('r'))).toBe('only once');
    expect(remote.received).toHaveLength(1);
  });

  test('while an answer is under way: it is given once', async () => {
    const rest = gate();
    const remote = await remoteServer(async (turn) => {
      if (turn.task.task.history.length === 1) return turn.ask('sure?');
      turn.text('half ');
      await rest.opened;
      turn.text('whole');
      turn.complete();
    });
    const store = new MemoryStore();
    const first = await bench([agentAt(remote)], { store });
    const { run_id } = await first.start('far', 'go');
    await first.settle(run_id);
    const { items } = await first.engine.list({ kind: 'approvals', offset: 0, limit: 1 });
    await first.decide(run_id, items[0]!.tool_call_id, { result: 'yes' });
    await first.events(run_id, ({ type }) => type === 'text_delta');
    store.crash();
    const second = await opened([agentAt(remote)], new MemoryStore(store.disk));
    await expect.poll(() => remote.subscribed.length).toBeGreaterThan(0);
    rest.open();
    expect(spoken(await second.events(run_id))).toBe('half whole');
    expect(remote.received).toHaveLength(2);
  });
});

describe('stopping', () => {
  test('a run that waits for an answer to the remote stops its task', async () => {
    const remote = await remoteServer((turn) => turn.ask('which?'));
    const world = await opened([agentAt(remote)]);
    const { run_id } = await world.start('far', 'go');
    await world.settle(run_id);
    await world.engine.deliver({ type: 'cancel', run_id });
    await world.settle(run_id);
    await expect.poll(() => remote.cancelled).toHaveLength(1);
  });

  test('a remote that is away is told once it is back', async () => {
    const remote = await remoteServer((turn) => turn.text('working'));
    const world = await opened([agentAt(remote)]);
    const { run_id } = await world.start('far', 'go');
    await world.events(run_id, ({ type }) => type === 'text_delta');
    await remote.stop();
    await world.engine.deliver({ type: 'cancel', run_id });
    expect(await world.settle(run_id)).toMatchObject({ termination_code: 'cancelled' });
    await remote.start();
    await expect.poll(() => remote.cancelled, { timeout: 5_000 }).toHaveLength(1);
  });

  test('also across a crash: the word is in the commit that ended the run', async () => {
    const remote = await remoteServer((turn) => turn.text('working'));
    const store = new MemoryStore();
    const first = await bench([agentAt(remote)], { store });
    const { run_id } = await first.start('far', 'go');
    await first.events(run_id, ({ type }) => type === 'text_delta');
    remote.refusal = 503;
    await first.engine.deliver({ type: 'cancel', run_id });
    await first.settle(run_id);
    store.crash();
    remote.refusal = null;
    await opened([agentAt(remote)], new MemoryStore(store.disk));
    await expect.poll(() => remote.cancelled).toHaveLength(1);
  });

  test('before the remote has named the task, as soon as it does', async () => {
    const held = gate();
    const remote = await remoteServer((turn) => turn.text('working'), { answersAfter: held.opened });
    const world = await opened([agentAt(remote)]);
    const { run_id } = await world.start('far', 'go');
    await expect.poll(() => remote.received).toHaveLength(1);
    await world.engine.deliver({ type: 'cancel', run_id });
    expect(await world.settle(run_id)).toMatchObject({ termination_code: 'cancelled' });
    held.open();
    await expect.poll(() => remote.cancelled).toHaveLength(1);
  });
});

describe('a remote that', () => {
  test('falls silent is connected to anew', async () => {
    const rest = gate();
    const remote = await remoteServer(async (turn) => {
      turn.text('one ');
      await rest.opened;
      turn.text('two');
      turn.complete();
    });
    const world = await opened([agentAt(remote)], undefined, { model_idle_ms: 30 });
    const { run_id } = await world.start('far', 'go');
    await expect.poll(() => remote.subscribed.length).toBeGreaterThan(1);
    rest.open();
    expect(spoken(await world.events(run_id))).toBe('one two');
    expect(remote.received).toHaveLength(1);
  });

  test('does not stream is asked now and then', async () => {
    const rest = gate();
    const remote = await remoteServer(
      async (turn) => {
        turn.text('slow ');
        await rest.opened;
        turn.text('but sure');
        turn.complete();
      },
      { streaming: false },
    );
    const world = await opened([agentAt(remote)]);
    const { run_id } = await world.start('far', 'go');
    await world.events(run_id, ({ type }) => type === 'text_delta');
    rest.open();
    expect(spoken(await world.events(run_id))).toBe('slow but sure');
    expect(remote.received).toHaveLength(1);
  });

  test('cannot be reached is retried as a model is, then the run ends with the reason', async () => {
    const remote = await remoteServer(short);
    await remote.stop();
    const world = await opened([agentAt(remote)]);
    const { run_id } = await world.start('far', 'go');
    const events = await world.events(run_id);
    expect(events.filter(({ type }) => type === 'inference_retry')).toHaveLength(2);
    expect(await world.run(run_id)).toMatchObject({
      termination_code: 'error',
      termination_detail: 'the remote agent is not reached: ECONNREFUSED',
    });
  });

  test('refuses the key is not asked again', async () => {
    const remote = await remoteServer(short);
    remote.refusal = 401;
    const world = await opened([agentAt(remote)]);
    const { run_id } = await world.start('far', 'go');
    const events = await world.events(run_id);
    expect(events.filter(({ type }) => type === 'inference_retry')).toEqual([]);
    expect(await world.run(run_id)).toMatchObject({
      termination_code: 'error',
      termination_detail: expect.stringContaining('401'),
    });
  });

  test('forgot the task ends the run', async () => {
    const remote = await remoteServer((turn) => turn.text('half'));
    const world = await opened([agentAt(remote)]);
    const { run_id } = await world.start('far', 'go');
    await world.events(run_id, ({ type }) => type === 'text_delta');
    remote.tasks.length = 0;
    remote.cut();
    await world.events(run_id);
    expect(await world.run(run_id)).toMatchObject({
      termination_code: 'error',
      termination_detail: 'the remote agent does not know the task any more',
    });
  });

  test('takes back what it said: the step is told anew', async () => {
    const half = gate();
    const remote = await remoteServer(async (turn) => {
      turn.text('wrong');
      await half.opened;
      turn.task.task.artifacts = [];
      turn.text('right');
      turn.complete();
    });
    const world = await opened([agentAt(remote)]);
    const { run_id } = await world.start('far', 'go');
    await world.events(run_id, ({ type }) => type === 'text_delta');
    half.open();
    const events = await world.events(run_id);
    expect(events.filter(({ type }) => type === 'inference_retry')).toHaveLength(1);
    expect(spoken(events)).toBe('right');
    expect(remote.received).toHaveLength(1);
  });

  test('takes too long is stopped, and the run ends', async () => {
    const remote = await remoteServer((turn) => turn.text('forever'));
    const world = await opened([agentAt(remote, { timeout_ms: 50 })]);
    const { run_id } = await world.start('far', 'go');
    await world.events(run_id);
    expect(await world.run(run_id)).toMatchObject({ termination_detail: 'the remote agent took longer than 0.05 s' });
    await expect.poll(() => remote.cancelled).toHaveLength(1);
  });
});

test('a remote agent is a delegate like any other', async () => {
  const remote = await remoteServer(short);
  const model = scriptedModel(({ prompt }) =>
    prompt.at(-1)!.role === 'tool'
      ? say('it is done')
      : [...toolCall('c1', 'agent_run', { agent_id: 'far', prompt: 'do it' }), finish('tool-calls')],
  );
  const world = await opened([defineAgent({ id: 'boss', model, delegates: ['far'] }), agentAt(remote)]);
  const { run_id, thread_id } = await world.start('boss', 'go');
  await world.events(run_id);
  const results = (await world.messages(thread_id)).filter(({ role }) => role === 'tool');
  expect(results.map(({ content }) => content)).toEqual(['done']);
});
