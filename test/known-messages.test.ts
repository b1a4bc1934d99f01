/** A message whose id the thread has is dropped, whenever its turn comes and however much of the thread is in memory (CONTRACT 1.11). */

import { describe, expect, it, onTestFinished } from 'vitest';
import type { StartMessage } from '../src/actors/index.js';
import { MemoryStore } from '../src/store/memory.js';
import { bench, type Bench } from './support/engine.js';
import { asker, echo } from './support/service.js';

async function opened(store = new MemoryStore()): Promise<Bench> {
  const b = await bench([asker(), echo()], { store });
  onTestFinished(() => b.engine.close(0));
  return b;
}

async function restarted(b: Bench): Promise<Bench> {
  await b.engine.close(0);
  return opened(new MemoryStore(b.store.disk));
}

const said = async (b: Bench) =>
  (await b.messages('t')).filter(({ role }) => role === 'user').map(({ id, content }) => [id, content.slice(0, 9)]);

const message = (id: string, content: string): StartMessage => ({ id, role: 'user', content });
const enqueue = (b: Bench, ...messages: StartMessage[]) =>
  b.start('echo', null, { thread_id: 't', on_busy: 'enqueue', messages });

/** A thread whose run waits for a decision behind a first message of that many characters. */
async function waiting(chars: number) {
  const b = await opened();
  const { run_id } = await b.start('asker', null, { thread_id: 't', messages: [message('m0', 'x'.repeat(chars))] });
  await b.settle(run_id);
  return { b, run_id };
}

const SHORT = 9;
/** More than is kept in memory. */
const LONG = 600_000;

describe.each([
  ['short', SHORT],
  ['long', LONG],
])('on a thread with a %s history', (_, chars) => {
  it.each(['in one life', 'over a restart'])('two that wait with one message say it once, %s', async (life) => {
    const { b, run_id } = await waiting(chars);
    await enqueue(b, message('m1', 'hello'));
    const last = await enqueue(b, message('m1', 'hello'), message('m2', 'again'), message('m0', 'x'));
    const now = life === 'in one life' ? b : await restarted(b);
    await now.decide(run_id, 'call-1');
    await now.settle(last.run_id);
    expect(await said(now)).toEqual([
      ['m0', 'xxxxxxxxx'],
      ['m1', 'hello'],
      ['m2', 'again'],
    ]);
  });

  it('one that waits says what the one in front of it was stopped from saying', async () => {
    const { b, run_id } = await waiting(chars);
    const first = await enqueue(b, message('m1', 'hello'));
    const second = await enqueue(b, message('m1', 'hello'));
    await b.engine.deliver({ type: 'cancel', run_id: first.run_id });
    await b.decide(run_id, 'call-1');
    await b.settle(second.run_id);
    expect((await said(b)).map(([id]) => id)).toEqual(['m0', 'm1']);
  });

  it('an entry that is edited says nothing that the thread has', async () => {
    const { b, run_id } = await waiting(chars);
    const { source_mailbox_entry_id, run_id: queued } = await enqueue(b, message('m1', 'hello'));
    const messages = [message('m0', 'x'), message('m2', 'other')];
    const { entry } = await b.engine.deliver({
      type: 'edit_entry',
      thread_id: 't',
      entry_id: source_mailbox_entry_id!,
      messages,
    });
    expect(entry.payload.messages.map(({ id }) => id)).toEqual(['m2']);
    expect(entry).not.toHaveProperty('seen');
    await b.decide(run_id, 'call-1');
    await b.settle(queued);
    expect((await said(b)).map(([id]) => id)).toEqual(['m0', 'm2']);
  });

  it('starts at the same moment say it once', async () => {
    const { b, run_id } = await waiting(chars);
    await b.decide(run_id, 'call-1');
    const runs = await Promise.all([1, 2, 3, 4].map(() => enqueue(b, message('m1', 'hello'))));
    for (const { run_id } of runs) await b.settle(run_id);
    expect((await said(b)).map(([id]) => id)).toEqual(['m0', 'm1']);
  });
});
