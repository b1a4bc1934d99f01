/** A disk that is slower than a model holds the model up, not memory (DESIGN "Bounds"). */

import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { bench } from '../../../test/support/engine.js';
import { defineAgent } from '../../agents/agent.js';
import { finish, say, toolCall, type Part } from '../../agents/scripted/parts.js';
import { scriptedModel } from '../../agents/scripted/model.js';
import { defineTool } from '../../agents/tool.js';
import { MemoryStore } from '../../store/memory.js';

const DELTAS = 2_000;
const WORD = 'x'.repeat(1_000);

/** Batches wait at a gate, one after the other; `pass` lets one go. */
class SlowDisk {
  #held: (() => void)[] = [];
  #open = false;
  readonly store = new MemoryStore(undefined, {
    batch: () => (this.#open ? 'ok' : { slow: new Promise<void>((resolve) => this.#held.push(resolve)) }),
  });

  get waiting(): number {
    return this.#held.length;
  }
  pass(): void {
    this.#held.shift()?.();
  }
  openForGood(): void {
    this.#open = true;
    for (const resolve of this.#held.splice(0)) resolve();
  }
}

/** Turns until nothing moves any more without the disk. */
async function rest(read: () => number): Promise<void> {
  for (let still = 0, last = -1; still < 20; still = read() === last ? still + 1 : 0, last = read()) await turn();
}

test('a model that says more than the disk takes waits; no word is lost', async () => {
  let said = 0;
  const model = scriptedModel(async function* (): AsyncGenerator<Part> {
    yield { type: 'text-start', id: 't' };
    for (; said < DELTAS; said++) yield { type: 'text-delta', id: 't', delta: WORD };
    yield { type: 'text-end', id: 't' };
    yield finish();
  });
  const disk = new SlowDisk();
  const opening = bench([defineAgent({ id: 'talker', model })], {
    store: disk.store,
    limits: { inbox_bytes: 64 * 1024 },
  });
  while (disk.waiting === 0) await turn();
  disk.pass();
  const b = await opening;
  const started = b.start('talker', 'go');
  while (disk.waiting === 0) await turn();
  disk.pass();
  const { run_id } = await started;
  // Nothing is written from here on: what the model may have said is what the bounds allow.
  await rest(() => said);
  const held = said;
  expect(held).toBeGreaterThan(0);
  expect(held).toBeLessThan(DELTAS / 2);
  for (let i = 0; i < 3; i++) {
    disk.pass();
    await rest(() => said);
  }
  expect(said).toBeGreaterThan(held);
  expect(said).toBeLessThan(DELTAS);
  disk.openForGood();
  const log = await b.events(run_id);
  const words = log.flatMap((event) => (event.type === 'text_delta' ? [event.data.delta] : []));
  expect(words.join('')).toBe(WORD.repeat(DELTAS));
  expect(log.at(-1)).toMatchObject({ data: { termination: { code: 'natural' } } });
  await b.engine.close(0);
});

test('a tool that reports in a tight loop costs an event a step, not one a report', async () => {
  const busy = defineTool({
    name: 'busy',
    description: 'reports',
    input: { type: 'object' },
    execute: (_, { progress }) => {
      for (let i = 0; i <= 10_000; i++) progress({ progress: i / 10_000 });
      return 'done';
    },
  });
  const model = scriptedModel(({ prompt }) =>
    prompt.at(-1)!.role === 'tool' ? say('done') : [...toolCall('call', 'busy'), finish('tool-calls')],
  );
  const b = await bench([defineAgent({ id: 'worker', model, tools: [busy] })]);
  const { run_id } = await b.start('worker', 'go');
  const log = await b.events(run_id);
  const reports = log.flatMap((event) => (event.type === 'activity_snapshot' ? [event.data.content] : []));
  expect(reports.length).toBeGreaterThan(0);
  expect(reports.length).toBeLessThan(10);
  expect(reports.at(-1)).toMatchObject({ progress: 1 });
  await b.engine.close(0);
});
