/** A store that refuses writes: new work is refused, reads go on, what happened meanwhile is kept (CONTRACT 0.10). */

import { expect, test } from 'vitest';
import { bench } from '../../../test/support/engine.js';
import { defineAgent } from '../../agents/agent.js';
import { finish, say, text } from '../../agents/scripted/parts.js';
import { scriptedModel } from '../../agents/scripted/model.js';
import { MemoryStore, type Outcome } from '../../store/memory.js';
import { gate } from '../../../test/support/gate.js';

const unavailable = expect.objectContaining({ code: 'storage_unavailable' });

async function setUp() {
  const disk = { outcome: 'ok' as Outcome, full: false };
  const store = new MemoryStore(undefined, { batch: () => disk.outcome, reopenFails: () => disk.full });
  const speak = gate();
  const slow = defineAgent({
    id: 'slow',
    model: scriptedModel(async function* () {
      yield* text(['first ']);
      await speak.opened;
      yield* text(['second'], 'more');
      yield finish();
    }),
  });
  const talker = defineAgent({ id: 'talker', model: scriptedModel(() => say('hello')) });
  const b = await bench([slow, talker], { store });
  return { b, disk, speak };
}

test.each(['fail-lost', 'fail-landed'] as const)(
  '%s: requests are refused, reads go on, facts are kept',
  async (fate) => {
    const { b, disk, speak } = await setUp();
    const ended = await b.start('talker', 'x', { thread_id: 'old' });
    const log = await b.events(ended.run_id);
    const run = await b.start('slow', 'x', { thread_id: 't', run_id: 'r' });
    await b.events(run.run_id, ({ type }) => type === 'text_delta');
    await b.engine.deliver({ type: 'start', start: { ...enqueue, run_id: 'queued', messages: [...enqueue.messages] } });

    [disk.outcome, disk.full] = [fate, true];
    const refused = b.start('talker', 'x', { thread_id: 'new', run_id: 'refused' });
    await expect(refused).rejects.toEqual(unavailable);
    for (const command of [
      () => b.start('talker', 'x'),
      () => b.engine.deliver({ type: 'cancel', run_id: 'queued' }),
      () => b.engine.deliver({ type: 'interrupt', thread_id: 't' }),
    ])
      await expect(command()).rejects.toEqual(unavailable);
    speak.open();

    // A reader that was there goes on from memory; whoever comes now is told to come again, or is served.
    expect(await b.engine.read({ kind: 'run', run_id: 'r' })).toMatchObject({ status: 'running' });

    [disk.outcome, disk.full] = ['ok', false];
    await expect
      .poll(
        () =>
          b.start('talker', 'y', { thread_id: 'old' }).then(
            () => true,
            () => false,
          ),
        { timeout: 10_000 },
      )
      .toBe(true);
    const whole = await b.events('r');
    expect(whole.flatMap((event) => (event.type === 'text_delta' ? [event.data.delta] : []))).toEqual([
      'first ',
      'second',
    ]);
    expect(whole.map(({ type }) => type)).not.toContain('inference_retry');
    expect(await b.settle('queued')).toMatchObject({ termination_code: 'natural' });
    expect(await b.events(ended.run_id)).toEqual(log);
    // What became of the refused one is not known to its caller; the same ids tell.
    const there = (await b.engine.read({ kind: 'run', run_id: 'refused' })) !== undefined;
    expect(there).toBe(fate === 'fail-landed');
    if (there) expect(await b.settle('refused')).toMatchObject({ termination_code: 'natural' });
    await b.engine.close(0);
  },
);

const enqueue = {
  agent_id: 'talker',
  thread_id: 't',
  origin: 'user',
  on_busy: 'enqueue',
  messages: [{ role: 'user', content: 'behind' }],
} as const;

test('while a write is refused and the old handle is there, everything can be read', async () => {
  const hold = gate();
  const { b, disk } = await setUp();
  const ended = await b.start('talker', 'x', { thread_id: 'old' });
  const log = await b.events(ended.run_id);
  disk.outcome = 'fail-lost';
  await expect(b.start('talker', 'x', { thread_id: 'new' })).rejects.toEqual(unavailable);
  // The first try to open the store again is some milliseconds away: until then the broken handle serves.
  expect(await b.events(ended.run_id)).toEqual(log);
  expect(await b.messages('old')).toHaveLength(2);
  expect(await b.engine.read({ kind: 'thread', thread_id: 'old' })).toMatchObject({ status: 'idle' });
  hold.open();
  disk.outcome = 'ok';
  await b.engine.close(0);
});
