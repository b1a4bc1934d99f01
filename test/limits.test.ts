/** How many runs may be running at once: of the process, of one agent, on one provider (CONTRACT 1.16). */

import { afterEach, expect, test } from 'vitest';
import { defineAgent } from '../src/agents/agent.js';
import { say } from '../src/agents/scripted/parts.js';
import { scriptedModel } from '../src/agents/scripted/model.js';
import { bench, type Bench } from './support/engine.js';

let open: Bench | undefined;
afterEach(async () => {
  await open?.engine.close(0);
  open = undefined;
});

/** An agent whose answers wait for the test, in the order they were asked for. */
function gated(id: string, more: object = {}) {
  const asked: (() => void)[] = [];
  const model = scriptedModel(async function* () {
    await new Promise<void>((resolve) => asked.push(resolve));
    yield* say('done');
  });
  return { asked, agent: defineAgent({ id, model: { ...model, provider: 'p', modelId: id }, ...more }) };
}

/** Resolves when this many answers wait. */
const asking = (asked: unknown[], n: number) => expect.poll(() => asked.length).toBe(n);

test('an agent with one slot runs one run at a time, whatever the thread; others are not held up', async () => {
  const one = gated('one', { max_concurrent: 1 });
  const free = gated('free');
  const b = (open = await bench([one.agent, free.agent]));
  const first = await b.start('one', 'a');
  const second = await b.start('one', 'b');
  const other = await b.start('free', 'c');
  expect(second).toMatchObject({ status: 'waiting', termination_code: 'queued' });
  expect(first.status).toBe('running');
  expect(other.status).toBe('running');
  await asking(one.asked, 1);
  one.asked[0]!();
  expect(await b.settle(first.run_id)).toMatchObject({ status: 'done' });
  await asking(one.asked, 2);
  expect(await b.run(second.run_id)).toMatchObject({ status: 'running', termination_code: null });
  one.asked[1]!();
  free.asked[0]!();
  expect(await b.settle(second.run_id)).toMatchObject({ status: 'done' });
  expect(await b.settle(other.run_id)).toMatchObject({ status: 'done' });
});

test('a provider with two slots is shared by its agents', async () => {
  const [a, c] = [gated('a'), gated('c')];
  const b = (open = await bench([a.agent, c.agent], { limits: { provider_limits: { p: 2 } } }));
  const runs = [await b.start('a', '1'), await b.start('c', '2'), await b.start('a', '3')];
  expect(runs.map((run) => run.status)).toEqual(['running', 'running', 'waiting']);
  await asking(c.asked, 1);
  c.asked[0]!();
  await asking(a.asked, 2);
  a.asked.forEach((answer) => answer());
  for (const run of runs) expect(await b.settle(run.run_id)).toMatchObject({ status: 'done' });
});

test('runs over max_running wait their turn in order and can be cancelled there', async () => {
  const g = gated('g');
  const b = (open = await bench([g.agent], { limits: { max_running: 1 } }));
  const runs = [await b.start('g', '1'), await b.start('g', '2'), await b.start('g', '3')];
  expect(runs.map((run) => run.status)).toEqual(['running', 'waiting', 'waiting']);
  await b.engine.deliver({ type: 'cancel', run_id: runs[1]!.run_id });
  expect((await b.events(runs[1]!.run_id)).map((event) => event.type)).toEqual(['run_start', 'run_finish']);
  await asking(g.asked, 1);
  g.asked[0]!();
  await asking(g.asked, 2);
  expect(await b.run(runs[2]!.run_id)).toMatchObject({ status: 'running' });
  g.asked[1]!();
  expect(await b.settle(runs[2]!.run_id)).toMatchObject({ status: 'done', termination_code: 'natural' });
});
