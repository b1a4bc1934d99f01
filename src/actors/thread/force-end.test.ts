/** Runs that cannot go on by themselves end as `error`; their thread lives, and their history stays valid. */

import { describe, expect, test } from 'vitest';
import { bench, type Bench } from '../../../test/support/engine.js';
import { defineAgent } from '../../agents/agent.js';
import { finish, say, toolCall } from '../../agents/scripted/parts.js';
import { scriptedModel, type Script } from '../../agents/scripted/model.js';
import { defineTool } from '../../agents/tool.js';
import type { Agent } from '../../agents/types.js';
import * as keys from '../../store/keys.js';
import { Disk } from '../../store/memory-disk.js';
import { MemoryStore } from '../../store/memory.js';
import type { CanonicalEvent } from '../events.js';

const never = () => new Promise<never>(() => {});
const agent = (id: string, script: Script, more: object = {}): Agent =>
  defineAgent({ id, model: scriptedModel(script), ...more });
const talker = agent('talker', () => say('hello'));

/** Asks for an approval and for a tool that hangs, in one step. */
function caller(): Agent {
  const input = { type: 'object' };
  const ask = defineTool({ name: 'ask', description: 'asks', input, permission: 'ask', execute: () => 'asked' });
  const hang = defineTool({ name: 'hang', description: 'hangs', input, execute: never });
  const calls: Script = ({ prompt }) =>
    prompt.at(-1)!.role === 'tool'
      ? say('went on')
      : [...toolCall('call 1', 'ask'), ...toolCall('call 2', 'hang'), finish('tool-calls')];
  return agent('caller', calls, { tools: [ask, hang] });
}

const finishes = (log: CanonicalEvent[]) => log.filter(({ type }) => type === 'run_finish');
/** Every call of the history has exactly one result. */
async function expectValid(b: Bench, thread_id: string): Promise<void> {
  const messages = await b.messages(thread_id);
  const made = messages.flatMap(({ tool_calls }) => tool_calls?.map(({ id }) => id) ?? []);
  const answered = messages.flatMap(({ tool_call_id }) => tool_call_id ?? []);
  expect(answered.sort()).toEqual(made.sort());
}
async function expectEnded(b: Bench, run_id: string, thread_id: string, reason: RegExp): Promise<void> {
  const log = await b.events(run_id);
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, i) => i));
  expect(finishes(log)).toEqual([log.at(-1)]);
  expect(log.at(-1)).toMatchObject({ data: { termination: { code: 'error', detail: expect.stringMatching(reason) } } });
  expect(await b.run(run_id)).toMatchObject({ status: 'done', termination_code: 'error' });
  await expectValid(b, thread_id);
}
async function expectLives(b: Bench, thread_id: string): Promise<void> {
  const next = await b.start('talker', 'still there?', { thread_id });
  expect(await b.settle(next.run_id)).toMatchObject({ status: 'done', termination_code: 'natural' });
  await expectValid(b, thread_id);
}

describe('a machine that throws at a fact', () => {
  /** A condition that no machine survives looking at; it cannot be seen in a stored row. */
  const poison = Object.defineProperty({ type: 'content_match' as const }, 'pattern', {
    get: () => {
      throw new Error('poison');
    },
  }) as unknown as Agent['stop_conditions'][number];

  test('ends its run as an error; the thread lives, and so does what waits there', async () => {
    const b = await bench([{ ...agent('bad', () => say('x')), stop_conditions: [poison] }, talker]);
    const run = await b.start('bad', 'go', { thread_id: 't' });
    const queued = await b.start('talker', 'behind it', { thread_id: 't', on_busy: 'enqueue' });
    await expectEnded(b, run.run_id, 't', /internal error/);
    expect(await b.settle(queued.run_id)).toMatchObject({ termination_code: 'natural' });
    await expectLives(b, 't');
    expect(await b.engine.inspect().actors({ thread_id: 't', offset: 0, limit: 9, order: 'asc' })).toMatchObject({
      total: 0,
    });
    await b.engine.close(0);
  });

  test('takes no slot with it', async () => {
    const bad = { ...agent('bad', () => say('x')), stop_conditions: [poison] };
    const b = await bench([bad, talker], { limits: { max_running: 1 } });
    for (let i = 0; i < 3; i++) await b.settle((await b.start('bad', 'go')).run_id);
    expect(await b.settle((await b.start('talker', 'x')).run_id)).toMatchObject({ termination_code: 'natural' });
    await b.engine.close(0);
  });
});

describe('rows that this build cannot read', () => {
  type Row = { machine: string; value: unknown; children: [string, string][]; fx?: object };
  /** A run that stands in the middle of its calls, closed; then its rows as `change` leaves them. */
  async function broken(change: (path: string, row: Row) => Row): Promise<{ disk: Disk; run_id: string }> {
    const disk = new Disk();
    const b = await bench([caller(), talker], { store: new MemoryStore(disk) });
    const { run_id } = await b.start('caller', 'go', { thread_id: 't' });
    await b.events(run_id, ({ type }) => type === 'tool_call_suspended');
    await b.engine.close(0);
    const rows = disk.rows(keys.allActors());
    expect(rows.length).toBe(3);
    for (const [key, value] of rows) {
      const row = change(keys.parseActor(key).path, JSON.parse(value) as Row);
      disk.apply([{ type: 'put', key, value: JSON.stringify(row) }]);
    }
    return { disk, run_id };
  }
  const isRun = (path: string) => !path.includes('/');
  const aged = (row: Row): Row => ({ ...row, machine: row.machine.replace(/@\d+/, '@999') });

  test.each<[string, (path: string, row: Row) => Row, RegExp]>([
    ['an unknown version of the run', (path, row) => (isRun(path) ? aged(row) : row), /unknown machine run@999/],
    [
      'an unknown version of one call',
      (path, row) => (path.endsWith('.0') ? aged(row) : row),
      /unknown machine tool_call@999/,
    ],
    [
      'an unknown version of all calls',
      (path, row) => (isRun(path) ? row : aged(row)),
      /unknown machine tool_call@999/,
    ],
    ['an unknown version of all rows', (_, row) => aged(row), /unknown machine (run|tool_call)@999/],
    [
      'an unknown machine',
      (path, row) => (isRun(path) ? { ...row, machine: 'robot@1' } : row),
      /unknown machine robot@1/,
    ],
    ['an unknown state', (path, row) => (isRun(path) ? { ...row, value: 'flying' } : row), /unknown state "flying"/],
    [
      'an unknown child',
      (path, row) => (isRun(path) ? { ...row, children: [['x', 'robot']] } : row),
      /unknown child robot \(x\)/,
    ],
  ])('%s ends the run naming it, once and for all; the thread takes the next run', async (_, change, reason) => {
    const { disk, run_id } = await broken(change);
    for (let opening = 0; opening < 3; opening++) {
      const b = await bench([caller(), talker], { store: new MemoryStore(disk) });
      await expectEnded(b, run_id, 't', reason);
      await expectLives(b, 't');
      await b.engine.close(0);
      expect(disk.rows(keys.allActors()), 'no row is left behind').toEqual([]);
    }
  });

  test('an unknown version of the thread ends its run naming it', async () => {
    const { disk, run_id } = await broken((_, row) => row);
    for (const [key, value] of disk.rows(keys.allThreads())) {
      const row = JSON.parse(value) as { actor: Row };
      disk.apply([{ type: 'put', key, value: JSON.stringify({ ...row, actor: aged(row.actor) }) }]);
    }
    for (let opening = 0; opening < 2; opening++) {
      const b = await bench([caller(), talker], { store: new MemoryStore(disk) });
      await expectEnded(b, run_id, 't', /unknown machine thread@999/);
      await expectLives(b, 't');
      await b.engine.close(0);
      expect(disk.rows(keys.allActors())).toEqual([]);
    }
  });
});

describe('what is gone from the configuration while a run waits', () => {
  const withoutTools = { ...caller(), tools: [] };
  const withoutAsk = { ...caller(), tools: caller().tools.filter(({ name }) => name !== 'ask') };
  test.each<[string, Agent[], RegExp]>([
    ['its agent', [talker], /agent not found: caller/],
    ['the tool that asks', [talker, withoutAsk], /the tool ask of agent caller is gone/],
    ['all its tools', [talker, withoutTools], /the tool \w+ of agent caller is gone/],
  ])('%s: the run ends naming it, and what waits behind it has its turn', async (_, agents, reason) => {
    const disk = new Disk();
    const first = await bench([caller(), talker], { store: new MemoryStore(disk) });
    const { run_id } = await first.start('caller', 'go', { thread_id: 't' });
    await first.events(run_id, ({ type }) => type === 'tool_call_suspended');
    const queued = await first.start('talker', 'behind it', { thread_id: 't', on_busy: 'enqueue' });
    await first.engine.close(0);
    const second = await bench(agents, { store: new MemoryStore(disk) });
    await expectEnded(second, run_id, 't', reason);
    expect(await second.settle(queued.run_id)).toMatchObject({ termination_code: 'natural' });
    await expectLives(second, 't');
    await second.engine.close(0);
  });
});

test('an agent that is gone while its run is open ends the run as an error', async () => {
  const disk = new Disk();
  let asked = () => {};
  const inferring = new Promise<void>((resolve) => (asked = resolve));
  const hangs = agent('hangs', async function* () {
    asked();
    yield await never();
  });
  const first = await bench([hangs, talker], { store: new MemoryStore(disk) });
  const { run_id } = await first.start('hangs', 'go', { thread_id: 't' });
  await inferring;
  await first.engine.close(0);
  const second = await bench([talker], { store: new MemoryStore(disk) });
  await expectEnded(second, run_id, 't', /agent not found: hangs/);
  await expectLives(second, 't');
  await second.engine.close(0);
});
