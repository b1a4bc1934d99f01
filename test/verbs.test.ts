/**
 * State × verb: what interrupting, cancelling, starting and deciding do to a thread in every state it can be in
 * (CONTRACT 1.9, 1.13, 2.5, 4.2, 5.4).
 *
 * Each pair names how the run that was in the state ends and what it leaves in the history. Whatever the pair: what
 * is left goes on to its end, every log is whole, the model is never given a history it could not be given, and nothing
 * is left behind.
 */

import { afterEach, describe, expect, test } from 'vitest';
import { CALL, Scene, STATES, type State } from './support/scene.js';

let scene: Scene | undefined;
afterEach(async () => {
  await scene?.close();
  scene = undefined;
});
const opened = async (...options: Parameters<typeof Scene.open>): Promise<Scene> =>
  (scene = await Scene.open(...options));

const NEVER_RAN = 'cancelled before it ran';
const MAY_HAVE_RUN = 'was running when it was stopped; it may have taken effect';
const STOPPED = 'cancelled while it was running';

/** What a run that is stopped in the state leaves in the history. */
const stopped: Record<State, string[]> = {
  inferring: ['user think', 'assistant thinking'],
  'in a once tool': ['user once', 'assistant pay(call-1)', `tool call-1 ${MAY_HAVE_RUN}`],
  'in three tools': [
    'user three',
    'assistant pay(call-1) look(call-2) write(call-3)',
    `tool call-1 ${MAY_HAVE_RUN}`,
    `tool call-2 ${STOPPED}`,
    `tool call-3 ${STOPPED}`,
  ],
  'backing off': ['user flaky'],
  'waiting for an approval': ['user approve', 'assistant wire(call-1)', `tool call-1 ${NEVER_RAN}`],
  'waiting in doubt': ['user doubt', 'assistant stuck(call-1)', `tool call-1 ${MAY_HAVE_RUN}`],
  queued: [],
};

/** What a run leaves that goes on from the state; what was pending is answered `by`. */
const goneOn = (state: State, answer: string): string[] =>
  ({
    inferring: ['user think', 'assistant thinking'],
    'in a once tool': ['user once', 'assistant pay(call-1)', 'tool call-1 pay done', 'assistant all done'],
    'in three tools': [
      'user three',
      'assistant pay(call-1) look(call-2) write(call-3)',
      'tool call-1 pay done',
      'tool call-2 look done',
      'tool call-3 write done',
      'assistant all done',
    ],
    'backing off': ['user flaky', 'assistant at last'],
    'waiting for an approval': [
      'user approve',
      'assistant wire(call-1)',
      `tool call-1 ${answer}`,
      'assistant all done',
    ],
    'waiting in doubt': ['user doubt', 'assistant stuck(call-1)', `tool call-1 ${answer}`, 'assistant all done'],
    queued: ['user next', 'assistant answer to next'],
  })[state];

const approved = (state: State): string[] =>
  goneOn(state, state === 'waiting in doubt' ? '{"approved":true}' : 'wired');

const ended = (termination_code: string, termination_detail: string | null = null) => ({
  status: 'done',
  termination_code,
  termination_detail,
});

describe.each(STATES)('a thread whose run is %s', (state) => {
  const isQueued = state === 'queued';

  /** The scene, the run that is in the state, and the one that is active on the thread. */
  async function entered() {
    const s = await opened();
    const run = await s.enter(state);
    const thread = await s.bench.engine.read({ kind: 'thread', thread_id: s.thread_id });
    const active = thread!.active_run_id!;
    expect(active === run.run_id).toBe(!isQueued);
    return { s, b: s.bench, run, active };
  }

  test('is interrupted', async () => {
    const { s, b, run, active } = await entered();
    expect(await b.engine.deliver({ type: 'interrupt', thread_id: s.thread_id })).toEqual({
      thread_id: s.thread_id,
      generation: 1,
      cancelled_run_id: active,
      superseded_pending_count: isQueued ? 1 : 0,
      superseded_pending_entry_ids: isQueued ? [run.source_mailbox_entry_id] : [],
    });
    expect(await b.settle(active)).toMatchObject(ended('cancelled', 'interrupted'));
    if (isQueued) expect(await b.settle(run.run_id)).toMatchObject(ended('superseded', 'interrupted'));
    expect(s.endOfEntry(run)).toBe(isQueued ? 'superseded' : 'accepted');
    expect(await s.story(run.run_id)).toEqual(stopped[state]);
    await s.check();
  });

  test('has that run cancelled', async () => {
    const { s, b, run, active } = await entered();
    await b.engine.deliver({ type: 'cancel', run_id: run.run_id });
    expect(await b.settle(run.run_id)).toMatchObject(ended('cancelled'));
    expect(s.endOfEntry(run)).toBe(isQueued ? 'cancelled' : 'accepted');
    expect(await s.story(run.run_id)).toEqual(stopped[state]);
    await s.finish();
    if (isQueued) expect(await b.run(active)).toMatchObject(ended('natural'));
    await s.check();
  });

  test('gets a start that interrupts', async () => {
    const { s, b, run, active } = await entered();
    const next = await s.start('next', { on_busy: 'interrupt' });
    expect(await b.settle(active)).toMatchObject(ended('superseded', next.run_id));
    if (isQueued) expect(await b.settle(run.run_id)).toMatchObject(ended('natural'));
    expect(await b.settle(next.run_id)).toMatchObject(ended('natural'));
    expect(await s.story(active)).toEqual(stopped[isQueued ? 'inferring' : state]);
    await s.check();
  });

  test('gets a start that waits for its turn', async () => {
    const { s, b, run } = await entered();
    const next = await s.start('next', { on_busy: 'enqueue' });
    expect(next).toMatchObject({ status: 'waiting', termination_code: 'queued' });
    expect(s.endOfEntry(next)).toBeUndefined();
    await s.finish();
    expect(await b.run(run.run_id)).toMatchObject(ended('natural'));
    expect(await b.run(next.run_id)).toMatchObject(ended('natural'));
    expect(await s.story(run.run_id)).toEqual(approved(state));
    expect((await s.story()).slice(-2)).toEqual(['user next', 'assistant answer to next']);
    await s.check();
  });

  test('gets a start that wants no company', async () => {
    const { s, b, run, active } = await entered();
    await expect(s.start('next', { on_busy: 'reject', run_id: 'refused' })).rejects.toMatchObject({
      code: 'conflict',
      message: `thread is busy: ${active}`,
    });
    expect(await b.engine.read({ kind: 'run', run_id: 'refused' })).toBeUndefined();
    await s.finish();
    expect(await b.run(run.run_id)).toMatchObject(ended('natural'));
    expect(await s.story(run.run_id)).toEqual(approved(state));
    await s.check();
  });

  test('gets a start that takes the run back', async () => {
    const { s, b, run, active } = await entered();
    const next = await s.start('next', { on_busy: 'rollback' });
    expect(await b.settle(active)).toMatchObject(ended('superseded', next.run_id));
    if (isQueued) expect(await b.settle(run.run_id)).toMatchObject(ended('natural'));
    expect(await b.settle(next.run_id)).toMatchObject(ended('natural'));
    expect(await s.story(active)).toEqual([]);
    expect(JSON.stringify(s.prompts.slice(1))).not.toContain(firstWord[state]);
    await s.check();
  });

  test('has its call approved', async () => {
    const { s, b, run } = await entered();
    await b.decide(run.run_id, CALL);
    await s.finish();
    expect(await b.run(run.run_id)).toMatchObject(ended('natural'));
    expect(await s.story(run.run_id)).toEqual(approved(state));
    await s.check();
  });

  test('has its call denied', async () => {
    const { s, b, run } = await entered();
    await b.decide(run.run_id, CALL, { action: 'cancel', reason: 'not today' });
    await s.finish();
    expect(await b.run(run.run_id)).toMatchObject(ended('natural'));
    expect(await s.story(run.run_id)).toEqual(goneOn(state, 'not today'));
    expect(s.ran['wire']).toBeUndefined();
    await s.check();
  });
});

test('a run that is taken back leaves no change of the thread state (CONTRACT 1.9)', async () => {
  const s = await opened();
  const state = () => s.bench.engine.read({ kind: 'state', thread_id: s.thread_id });
  await s.bench.settle((await s.start('next', { state: { kept: true } })).run_id);
  const { run_id } = await s.start('think', { state: { kept: null, gone: 1 } });
  expect(await state()).toEqual({ gone: 1 });
  await s.start('next', { on_busy: 'rollback', state: { more: 2 } });
  await s.bench.settle(run_id);
  await s.finish();
  expect(await state()).toEqual({ kept: true, more: 2 });
  await s.check();
});

/** What the user said to the run that is active in the state. */
const firstWord: Record<State, string> = {
  inferring: 'think',
  'in a once tool': 'once',
  'in three tools': 'three',
  'backing off': 'flaky',
  'waiting for an approval': 'approve',
  'waiting in doubt': 'doubt',
  queued: 'think',
};
