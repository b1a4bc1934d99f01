/** An action and the record of it are one commit: whenever the process dies, both are there or neither (CONTRACT 9). */

import { describe, expect, test } from 'vitest';
import { bench, type Bench } from '../../../test/support/engine.js';
import { asker, echo, holder } from '../../../test/support/service.js';
import type { Agent } from '../../agents/types.js';
import { MemoryStore, type Fate, type Outcome } from '../../store/memory.js';
import type { Command, Principal } from '../engine.js';
import type { AuditRecord } from '../inspection.js';
import type { Decision } from '../records.js';
import { newTrail } from './trail.js';

const boss = (): Principal => ({
  id: 'boss',
  scopes: null,
  resource_id: null,
  trail: newTrail({ request_id: 'r', reason: () => 'why', status: 202 }),
});

const decision: Decision = {
  target_id: 'call-1',
  decision_id: 'd1',
  action: 'resume',
  result: { approved: true },
  updated_at: 0,
};

type Scene = { run_id: string; entry_id: string };
type Action = {
  name: string;
  command(scene: Scene): Command;
  target(scene: Scene): object;
  /** Whether it has happened. */
  isDone(b: Bench, scene: Scene): Promise<boolean>;
};

const thread = async ({ engine }: Bench) => engine.read({ kind: 'thread', thread_id: 't' });
const entry = async ({ engine }: Bench, { entry_id }: Scene) =>
  (await engine.list({ kind: 'mailbox', thread_id: 't', offset: 0, limit: 9 })).items.find(
    (it) => it.entry_id === entry_id,
  );

/** On a thread whose run waits for a decision, and which has one entry queued behind it. */
const actions: Action[] = [
  {
    name: 'a decision',
    command: ({ run_id }) => ({ type: 'decide', run_id, decisions: [decision] }),
    target: ({ run_id }) => ({ thread_id: 't', run_id, tool_call_ids: ['call-1'] }),
    isDone: async (b, { run_id }) => (await b.run(run_id)).status !== 'waiting',
  },
  {
    name: 'a decision that comes with a start',
    command: () => ({
      type: 'start',
      start: {
        agent_id: 'asker',
        thread_id: 't',
        origin: 'ag_ui',
        on_busy: 'reject',
        messages: [],
        decisions: [decision],
      },
    }),
    target: ({ run_id }) => ({ thread_id: 't', run_id, tool_call_ids: ['call-1'] }),
    isDone: async (b, { run_id }) => (await b.run(run_id)).status !== 'waiting',
  },
  {
    name: 'a cancel',
    command: ({ run_id }) => ({ type: 'cancel', run_id }),
    target: ({ run_id }) => ({ thread_id: 't', run_id }),
    isDone: async (b, { run_id }) => (await b.run(run_id)).status === 'done',
  },
  {
    name: 'an interrupt',
    command: () => ({ type: 'interrupt', thread_id: 't' }),
    target: () => ({ thread_id: 't' }),
    isDone: async (b) => (await thread(b))!.generation === 1,
  },
  {
    name: 'metadata',
    command: () => ({ type: 'edit_metadata', thread_id: 't', patch: { title: 'new' } }),
    target: () => ({ thread_id: 't' }),
    isDone: async (b) => (await thread(b))!.title === 'new',
  },
  {
    name: 'a fork',
    command: () => ({ type: 'fork_thread', thread_id: 't', new_thread_id: 'copy' }),
    target: () => ({ thread_id: 't' }),
    isDone: async ({ engine }) => (await engine.read({ kind: 'thread', thread_id: 'copy' })) !== undefined,
  },
  {
    name: 'a delete',
    command: () => ({ type: 'delete_thread', thread_id: 't' }),
    target: () => ({ thread_id: 't' }),
    isDone: async (b) => (await thread(b)) === undefined,
  },
  {
    name: 'the end of an entry',
    command: ({ entry_id }) => ({ type: 'cancel_entry', thread_id: 't', entry_id }),
    target: ({ entry_id }) => ({ thread_id: 't', entry_id }),
    isDone: async (b, scene) => (await entry(b, scene))!.status === 'cancelled',
  },
  {
    name: 'a priority',
    command: ({ entry_id }) => ({ type: 'edit_entry', thread_id: 't', entry_id, priority: 7 }),
    target: ({ entry_id }) => ({ thread_id: 't', entry_id }),
    isDone: async (b, scene) => (await entry(b, scene))!.priority === 7,
  },
];

const agents = (): Agent[] => [asker(), echo()];

/** What becomes of the batches behind the scene, counted from 0. */
class Fates {
  of: (n: number) => Outcome = () => 'ok';
  #n = 0;
  readonly batch = (): Outcome => this.of(this.#n++);
  from(of: (n: number) => Outcome): void {
    this.#n = 0;
    this.of = of;
  }
}

async function scene(b: Bench): Promise<Scene> {
  const { run_id } = await b.start('asker', 'pay', { thread_id: 't' });
  await b.settle(run_id);
  const queued = await b.start('echo', 'more', { thread_id: 't', on_busy: 'enqueue' });
  return { run_id, entry_id: queued.source_mailbox_entry_id! };
}

const audit = async ({ engine }: Bench): Promise<AuditRecord[]> =>
  (await engine.inspect().audit({}, { offset: 0, limit: 9 })).items;

/** Does it while the batches meet their fates, up to the caller's answer or the death of the process. */
async function attempt(action: Action, fate: (n: number) => Outcome) {
  const fates = new Fates();
  const store = new MemoryStore(undefined, fates);
  const b = await bench(agents(), { store });
  const at = await scene(b);
  fates.from(fate);
  const told = b.engine.deliver(action.command(at) as Extract<Command, { type: 'cancel' }>, boss());
  await Promise.race([told.catch(() => {}), store.crashed]);
  fates.from(() => 'ok');
  // Nothing answers in a dead process.
  const isDead = await Promise.race([store.crashed.then(() => true), store.freeBytes().then(() => false)]);
  return { b, at, isDead, store };
}

describe.each(actions)('$name', (action) => {
  test('is there with its record after every crash, or without', async () => {
    const seen = new Set<boolean>();
    for (const fate of ['crash-before', 'crash-after'] satisfies Fate[])
      for (let k = 0; ; k++) {
        const { at, isDead, store, b } = await attempt(action, (n) => (n === k ? fate : 'ok'));
        const after = isDead ? await bench(agents(), { store: new MemoryStore(store.disk) }) : b;
        const done = await action.isDone(after, at);
        const records = await audit(after);
        seen.add(done);
        expect(records.length, `${fate} ${k}`).toBe(done ? 1 : 0);
        for (const record of records)
          expect(record).toMatchObject({ principal: 'boss', reason: 'why', status: 202, target: action.target(at) });
        await after.engine.close(0);
        if (!isDead) break;
      }
    expect(seen).toEqual(new Set([false, true]));
  });

  test.each(['fail-lost', 'fail-landed'] satisfies Fate[])(
    'is there with its record after a commit that the store reports as failed (%s)',
    async (fate) => {
      const { b, at } = await attempt(action, (n) => (n === 0 ? fate : 'ok'));
      // Whatever was unknown is known once something else is durable.
      await expect.poll(() => b.start('echo', 'x', { thread_id: 'other' }).catch(() => null)).toBeTruthy();
      expect((await audit(b)).length).toBe((await action.isDone(b, at)) ? 1 : 0);
      await b.engine.close(0);
    },
  );
});

test('a dead letter that is started anew has its record in the commit of the new start', async () => {
  const first = await bench(agents());
  const { entry_id, run_id } = await scene(first);
  const dead = (await entry(first, { run_id, entry_id }))!.run_id;
  await first.engine.close(0);
  // Without its agent the queued entry dies as soon as the run in front of it has ended.
  const second = await bench([asker()], { store: new MemoryStore(first.store.disk) });
  await second.engine.deliver({ type: 'cancel', run_id });
  await expect.poll(async () => (await entry(second, { run_id, entry_id }))!.status).toBe('dead_letter');
  await second.engine.close(0);
  const { disk } = second.store;
  for (const fate of ['crash-before', 'crash-after'] satisfies Fate[]) {
    const fates = new Fates();
    const store = new MemoryStore(disk, fates);
    const b = await bench(agents(), { store });
    fates.from((n) => (n === 0 ? fate : 'ok'));
    const told = b.engine.deliver({ type: 'retry_entry', thread_id: 't', entry_id }, boss());
    await Promise.race([told.catch(() => {}), store.crashed]);
    const after = await bench(agents(), { store: new MemoryStore(disk) });
    const { total } = await after.engine.list({ kind: 'runs', parent_run_id: dead, offset: 0, limit: 9 });
    expect(total).toBe(fate === 'crash-after' ? 1 : 0);
    expect(await audit(after)).toMatchObject(
      total === 0 ? [] : [{ action: 'mailbox_retry', target: { thread_id: 't', entry_id } }],
    );
    await after.engine.close(0);
  }
});

test('what was refused leaves none, and says what was attempted', async () => {
  const b = await bench([holder().agent]);
  const principal = boss();
  await expect(b.engine.deliver({ type: 'interrupt', thread_id: 'nowhere' }, principal)).rejects.toThrow('not found');
  expect(await audit(b)).toEqual([]);
  expect(principal.trail).toMatchObject({
    attempt: { action: 'interrupt', target: { thread_id: 'nowhere' } },
    records: [],
  });
  await b.engine.close(0);
});

test('what is no commit of a thread is recorded before it is done', async () => {
  const b = await bench([echo()]);
  const principal = boss();
  await expect(b.engine.backup('x', principal)).rejects.toThrow('not enabled');
  expect(await audit(b)).toMatchObject([{ action: 'backup', status: null, reason: 'why' }]);
  expect(principal.trail!.records).toMatchObject([{ action: 'backup' }]);
  await b.engine.close(0);
});
