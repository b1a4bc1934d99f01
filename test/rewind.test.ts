/** Starts that cut the thread before they add to it: edits and regenerated answers (engine port, `StartRequest.rewind`). */

import { afterEach, expect, test } from 'vitest';
import type { StartRequest } from '../src/actors/index.js';
import { Scene } from './support/scene.js';

let scene: Scene;
afterEach(() => scene.close());

const message = (content: string, id: string): StartRequest['messages'][number] => ({ role: 'user', content, id });
const cutAt = (message_id: string, keep: boolean) => ({ rewind: { message_id, keep } });

/** A thread of two turns, with the ids `m1` and `m2`. */
async function twoTurns(): Promise<Scene> {
  scene = await Scene.open();
  for (const [content, id] of [
    ['one', 'm1'],
    ['two', 'm2'],
  ] as const)
    await scene.bench.settle((await scene.start('', { messages: [message(content, id)] })).run_id);
  return scene;
}

test('an edited message takes the place of the one of its id, and all behind it is gone', async () => {
  const s = await twoTurns();
  const { run_id } = await s.start('', { messages: [message('uno', 'm1')], ...cutAt('m1', false) });
  await s.bench.settle(run_id);
  expect(await s.story()).toEqual(['user uno', 'assistant answer to uno']);
  await s.check();
});

test('an answer is made anew', async () => {
  const s = await twoTurns();
  const { run_id } = await s.start('', { messages: [], ...cutAt('m2', true) });
  await s.bench.settle(run_id);
  expect(await s.story()).toEqual(['user one', 'assistant answer to one', 'user two', 'assistant answer to two']);
  expect(s.prompts).toHaveLength(3);
  await s.check();
});

test('an answer that still streams leaves nothing of itself', async () => {
  scene = await Scene.open();
  const { run_id } = await scene.enter('inferring');
  const [asked] = await scene.bench.messages(scene.thread_id);
  const again = await scene.start('', { messages: [], ...cutAt(asked!.id, true), on_busy: 'enqueue' });
  expect(await scene.bench.settle(run_id)).toMatchObject({
    termination_code: 'superseded',
    termination_detail: again.run_id,
  });
  await scene.finish();
  expect(await scene.story()).toEqual(['user think', 'assistant thinking']);
  expect((await scene.bench.messages(scene.thread_id)).at(-1)!.run_id).toBe(again.run_id);
  await scene.check();
});

test('one behind another, which has cut more by then, leaves the count of messages right (CONTRACT 2.1)', async () => {
  const s = await twoTurns();
  await s.enter('in a once tool');
  const [, last] = await Promise.all([
    s.start('', { messages: [message('uno', 'm1')], ...cutAt('m1', false) }),
    s.start('', { messages: [message('more', 'm3')], ...cutAt('m2', true) }),
  ]);
  await s.finish();
  expect(await s.story()).toEqual(['user more', 'assistant answer to more']);
  expect(await s.bench.run(last.run_id)).toMatchObject({ termination_code: 'natural' });
  expect(await s.bench.engine.read({ kind: 'thread', thread_id: s.thread_id })).toMatchObject({ message_count: 2 });
  await s.check();
});

test('at a message that is not there is refused, and changes nothing', async () => {
  const s = await twoTurns();
  const before = await s.story();
  await expect(s.start('', { messages: [message('x', 'm3')], ...cutAt('m9', true) })).rejects.toMatchObject({
    code: 'bad_request',
  });
  expect(await s.story()).toEqual(before);
  await s.check();
});
