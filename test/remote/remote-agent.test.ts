/** Runs of an agent that lives elsewhere, at a remote that speaks 1.0 and at one that speaks 0.3. */

import { TaskState } from '@a2a-js/sdk';
import { describe, expect, test } from 'vitest';
import { MemoryStore } from '../../src/store/memory.js';
import { bench } from '../support/engine.js';
import { gate } from '../support/gate.js';
import { saidIn, type Play } from '../support/remote-agent.js';
import { agentAt, opened, remoteServer, spoken } from './world.js';

const story: Play = (turn) => {
  turn.status(TaskState.TASK_STATE_WORKING, 'looking it up');
  turn.text('It is ');
  turn.text('raining.');
  turn.complete(undefined, { usage: { input_tokens: 7, output_tokens: 5 } });
};

describe.each(['1.0', '0.3'] as const)('a remote of version %s', (version) => {
  test('answers: text is streamed, usage is counted, the run ends', async () => {
    const remote = await remoteServer(story, { version });
    const world = await opened([agentAt(remote)]);
    const run = await world.start('far', 'weather?');
    const events = await world.events(run.run_id);
    expect(spoken(events)).toBe('It is raining.');
    expect(events.filter(({ type }) => type === 'reasoning_delta')).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({
      type: 'run_finish',
      data: { termination: { code: 'natural' }, result: { response: 'It is raining.' }, usage: { total_tokens: 12 } },
    });
    expect(events.find(({ type }) => type === 'inference_complete')).toMatchObject({ data: { model: 'a2a:Far' } });
    expect(remote.received.map(saidIn)).toEqual(['weather?']);
  });

  test('is told only what is new, in one conversation', async () => {
    const remote = await remoteServer((turn) => (turn.text(`${turn.task.task.history.length}`), turn.complete()), {
      version,
    });
    const world = await opened([agentAt(remote)]);
    for (const text of ['one', 'two']) {
      const run = await world.start('far', text, { thread_id: 't' });
      await world.settle(run.run_id);
    }
    expect(remote.received.map(saidIn)).toEqual(['one', 'two']);
    expect(new Set(remote.received.map(({ contextId }) => contextId)).size).toBe(1);
    expect(new Set(remote.received.map(({ messageId }) => messageId)).size).toBe(2);
  });

  test('asks: the run waits, and the answer goes to the task that asked', async () => {
    const remote = await remoteServer(
      (turn) => {
        if (turn.task.task.history.length === 1) {
          turn.text('Sure. ');
          return turn.ask('Which city?');
        }
        turn.text(`In ${saidIn(turn.message)} it rains.`);
        turn.complete();
      },
      { version },
    );
    const world = await opened([agentAt(remote)]);
    const run = await world.start('far', 'weather?');
    const waiting = await world.settle(run.run_id);
    expect(waiting).toMatchObject({ status: 'waiting', termination_code: 'input_required' });
    const events = await world.events(run.run_id, ({ type }) => type === 'run_waiting');
    expect(events.at(-1)).toMatchObject({
      data: { pending: [{ kind: 'input', name: 'remote_input', message: 'Which city?' }] },
    });
    const [pending] = (events.at(-1)!.data as { pending: { tool_call_id: string }[] }).pending;
    await world.decide(run.run_id, pending!.tool_call_id, { result: 'Oslo' });
    expect(spoken(await world.events(run.run_id))).toBe('Sure. In Oslo it rains.');
    expect(remote.tasks).toHaveLength(1);
    expect(remote.received.map(saidIn)).toEqual(['weather?', 'Oslo']);
    const said = (await world.messages(run.thread_id)).filter(({ role }) => role === 'assistant');
    expect(said.map(({ content }) => content)).toEqual(['Sure. ', 'In Oslo it rains.']);
  });

  test('is followed over connections that break: nothing is lost, nothing told twice', async () => {
    const [half, rest] = [gate(), gate()];
    const remote = await remoteServer(
      async (turn) => {
        turn.text('one ');
        half.open();
        await rest.opened;
        turn.text('two ');
        turn.text('three');
        turn.complete();
      },
      { version },
    );
    const world = await opened([agentAt(remote)]);
    const run = await world.start('far', 'count');
    await half.opened;
    await world.events(run.run_id, ({ type }) => type === 'text_delta');
    remote.cut();
    await expect.poll(() => remote.subscribed.length).toBeGreaterThan(0);
    rest.open();
    const events = await world.events(run.run_id);
    expect(spoken(events)).toBe('one two three');
    expect(events.filter(({ type }) => type === 'inference_retry')).toEqual([]);
    expect(remote.received).toHaveLength(1);
  });

  test('that was away is followed once it is back', async () => {
    const [half, rest] = [gate(), gate()];
    const remote = await remoteServer(
      async (turn) => {
        turn.text('before ');
        half.open();
        await rest.opened;
        turn.text('after');
        turn.complete();
      },
      { version },
    );
    const world = await opened([agentAt(remote)]);
    const run = await world.start('far', 'go');
    await world.events(run.run_id, ({ type }) => type === 'text_delta');
    await remote.stop();
    rest.open();
    await remote.start();
    expect(spoken(await world.events(run.run_id))).toBe('before after');
    expect(remote.received).toHaveLength(1);
  });

  test('a cancel here is a cancel there', async () => {
    const started = gate();
    const remote = await remoteServer((turn) => (turn.text('working'), started.open()), { version });
    const world = await opened([agentAt(remote)]);
    const run = await world.start('far', 'long');
    await world.events(run.run_id, ({ type }) => type === 'text_delta');
    await world.engine.deliver({ type: 'cancel', run_id: run.run_id });
    expect(await world.settle(run.run_id)).toMatchObject({ status: 'done', termination_code: 'cancelled' });
    await expect.poll(() => remote.cancelled).toEqual([remote.tasks[0]!.taskId]);
  });

  test('that fails ends the run with its words', async () => {
    const remote = await remoteServer((turn) => turn.status(TaskState.TASK_STATE_FAILED, 'no power'), { version });
    const world = await opened([agentAt(remote)]);
    const run = await world.start('far', 'go');
    expect(await world.settle(run.run_id)).toMatchObject({
      termination_code: 'error',
      termination_detail: 'the remote agent failed: no power',
    });
    expect(remote.received).toHaveLength(1);
  });

  test('a server that stops leaves the task alone and finds it again', async () => {
    const rest = gate();
    const remote = await remoteServer(
      async (turn) => {
        turn.text('one ');
        await rest.opened;
        turn.text('two');
        turn.complete();
      },
      { version },
    );
    const store = new MemoryStore();
    const first = await bench([agentAt(remote)], { store });
    const run = await first.start('far', 'go');
    await first.events(run.run_id, ({ type }) => type === 'text_delta');
    await first.engine.close(0);
    expect(remote.cancelled).toEqual([]);
    rest.open();
    const second = await opened([agentAt(remote)], new MemoryStore(store.disk));
    const events = await second.events(run.run_id);
    expect(spoken(events)).toBe('one two');
    expect(events.at(-1)).toMatchObject({ data: { result: { response: 'one two' } } });
    expect(remote.received).toHaveLength(1);
  });
});
