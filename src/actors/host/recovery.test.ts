/** After a restart everything goes on, within the limits, and nothing waits that could not be seen to wait. */

import { afterEach, describe, expect, test } from 'vitest';
import { bench, type Bench } from '../../../test/support/engine.js';
import { FakeClock } from '../../../test/support/fake-clock.js';
import { defineAgent } from '../../agents/agent.js';
import { finish, say, toolCall } from '../../agents/scripted/parts.js';
import { scriptedModel } from '../../agents/scripted/model.js';
import { defineTool } from '../../agents/tool.js';
import { Disk } from '../../store/memory-disk.js';
import { MemoryStore } from '../../store/memory.js';

const HOUR = 3_600_000;
let b: Bench | undefined;
afterEach(() => b?.engine.close(0));
const running = (): number => (b!.engine as unknown as { gauges: { running: number } }).gauges.running;

/** Agents whose models speak when they are let; how many are asked at the same time is counted. */
class World {
  readonly disk = new Disk();
  asking = 0;
  most = 0;
  #waiting: (() => void)[] = [];
  #free = false;

  agents() {
    const enter = () => (this.most = Math.max(this.most, ++this.asking));
    const held = () => (this.#free ? Promise.resolve() : new Promise<void>((resolve) => this.#waiting.push(resolve)));
    const leave = () => void this.asking--;
    const busy = defineAgent({
      id: 'busy',
      model: scriptedModel(async function* () {
        enter();
        await held();
        leave();
        yield* say('done');
      }),
    });
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
    return [busy, asker];
  }

  async open(options: Parameters<typeof bench>[1] = {}): Promise<Bench> {
    // Whoever was asked by the last process is asked no more.
    [this.asking, this.most, this.#waiting] = [0, 0, []];
    return (b = await bench(this.agents(), { store: new MemoryStore(this.disk), ...options }));
  }

  free(): void {
    this.#free = true;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

describe('the slots of the process', () => {
  test('hold for running and queued runs together: no more are asked at once than before', async () => {
    const world = new World();
    const limits = { max_running: 2 };
    const before = await world.open({ limits });
    const runs: string[] = [];
    for (let i = 0; i < 12; i++) runs.push((await before.start('busy', 'x')).run_id);
    await expect.poll(() => world.asking).toBe(2);
    expect((await Promise.all(runs.map(before.run))).map(({ status }) => status)).toEqual([
      ...Array<string>(2).fill('running'),
      ...Array<string>(10).fill('waiting'),
    ]);
    await before.engine.close(0);
    const after = await world.open({ limits });
    await expect.poll(() => world.asking).toBe(2);
    world.free();
    for (const run_id of runs) expect(await after.settle(run_id)).toMatchObject({ termination_code: 'natural' });
    expect(world.most).toBe(2);
    expect(running()).toBe(0);
  });

  test('are taken by running runs first, whatever the order of their threads', async () => {
    const world = new World();
    const limits = { max_running: 1 };
    const before = await world.open({ limits });
    // The thread with the lowest ordinal is queued when the process dies, a later one is running.
    const asker = await before.start('asker', 'x', { thread_id: 'first' });
    await before.settle(asker.run_id);
    const run = await before.start('busy', 'x', { thread_id: 'second' });
    const queued = await before.start('busy', 'x', { thread_id: 'first', on_busy: 'interrupt' });
    expect([(await before.run(run.run_id)).status, (await before.run(queued.run_id)).status]).toEqual([
      'running',
      'waiting',
    ]);
    await before.engine.close(0);
    const after = await world.open({ limits });
    await expect.poll(() => world.asking).toBe(1);
    world.free();
    for (const { run_id } of [run, queued])
      expect(await after.settle(run_id)).toMatchObject({ termination_code: 'natural' });
    expect(world.most).toBe(1);
  });

  test('that are all taken hold up no deadline of a waiting run', async () => {
    const world = new World();
    const clock = new FakeClock();
    const before = await world.open({ clock });
    for (let i = 0; i < 40; i++) await before.start('busy', 'x');
    const asker = await before.start('asker', 'x');
    await before.settle(asker.run_id);
    await before.engine.close(0);
    const after = await world.open({ clock, limits: { max_running: 1 } });
    await expect.poll(() => world.asking).toBeGreaterThan(0);
    // Its timer is set when its thread is read, however late that is.
    await expect.poll(() => (clock.advance(HOUR), after.run(asker.run_id))).toMatchObject({ status: 'done' });
    await expect.poll(() => after.run(asker.run_id)).toMatchObject({ status: 'done', termination_code: 'natural' });
    world.free();
  });

  test('that are all taken hold up no closing', async () => {
    const world = new World();
    const before = await world.open();
    for (let i = 0; i < 100; i++) await before.start('busy', 'x');
    await before.engine.close(0);
    const after = await world.open({ limits: { max_running: 1 } });
    await expect.poll(() => world.asking).toBeGreaterThan(0);
    await after.engine.close(0);
    expect(after.engine.status).toBe('stopped');
  });
});
