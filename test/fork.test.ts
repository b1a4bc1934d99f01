/** Forks (CONTRACT 2.6): what is copied, what is refused, and that nobody ever meets half a copy. */

import { afterEach, describe, expect, test } from 'vitest';
import type { Message } from '../src/actors/index.js';
import { defineAgent } from '../src/agents/agent.js';
import { say } from '../src/agents/scripted/parts.js';
import { scriptedModel, type Script } from '../src/agents/scripted/model.js';
import { ErrorCode } from '../src/errors.js';
import * as keys from '../src/store/keys.js';
import { MemoryStore, type Fate } from '../src/store/memory.js';
import type { Key, Range } from '../src/store/port.js';
import { bench, type Bench } from './support/engine.js';
import { eventually } from './support/eventually.js';
import { FakeClock } from './support/fake-clock.js';
import { asker, openService, user } from './support/service.js';

let open: Bench[] = [];
afterEach(async () => {
  for (const b of open) await b.engine.close(0);
  open = [];
});
const prompts: Parameters<Script>[0]['prompt'][] = [];
const agent = defineAgent({
  id: 'agent',
  model: scriptedModel(({ prompt }) => (prompts.push(prompt), say(`answer ${prompt.length}`))),
});
async function opened(...more: Parameters<typeof bench>[0]): Promise<Bench> {
  const b = await bench([agent, ...more]);
  open.push(b);
  return b;
}
const fork = (b: Bench, more: object = {}) =>
  b.engine.deliver({ type: 'fork_thread', thread_id: 't', ...more }).then(({ thread }) => thread);
const contents = (messages: Message[]): string[] => messages.map(({ content }) => content);
/** Two turns on thread `t`. */
async function talk(b: Bench): Promise<Message[]> {
  for (const text of ['one', 'two'])
    await b.settle(
      (await b.start('agent', text, { thread_id: 't', resource_id: 'r', state: { [text]: true } })).run_id,
    );
  return b.messages('t');
}

describe('a fork', () => {
  test('is a thread of its own that begins as a copy', async () => {
    const b = await opened();
    const source = await talk(b);
    await b.engine.deliver({ type: 'edit_metadata', thread_id: 't', patch: { title: 'T', a: 1 } });
    const copy = await fork(b, { new_thread_id: 'copy' });
    expect(copy).toMatchObject({
      thread_id: 'copy',
      status: 'idle',
      resource_id: 'r',
      parent_thread_id: null,
      generation: 0,
      message_count: 4,
      next_cursor: 4,
      title: 'T',
      metadata: { title: 'T', a: 1, forked_from: 't' },
    });
    expect(await b.messages('copy')).toEqual(source);
    expect(await b.engine.read({ kind: 'state', thread_id: 'copy' })).toEqual({ one: true, two: true });
    expect(await b.engine.list({ kind: 'threads', offset: 0, limit: 9 })).toMatchObject({
      items: [{ thread_id: 't' }, { thread_id: 'copy' }],
      total: 2,
    });

    await b.settle((await b.start('agent', 'three', { thread_id: 'copy', state: { two: null } })).run_id);
    expect(JSON.stringify(prompts.at(-1))).toMatch(/one.*answer.*two.*answer.*three/);
    expect((await b.messages('copy')).map(({ cursor }) => cursor)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(await b.messages('t')).toEqual(source);
    expect(await b.engine.read({ kind: 'state', thread_id: 't' })).toEqual({ one: true, two: true });
    await b.engine.deliver({ type: 'delete_thread', thread_id: 't' });
    expect(await b.messages('copy')).toHaveLength(6);
  });

  test('ends behind the message that is named', async () => {
    const b = await opened();
    const source = await talk(b);
    const { thread_id } = await fork(b, { after_message_id: source[1]!.id });
    expect(contents(await b.messages(thread_id))).toEqual(['one', 'answer 1']);
    const { thread_id: other } = await fork(b, { after_message_id: source[2]!.id });
    expect(contents(await b.messages(other))).toEqual(['one', 'answer 1', 'two']);
    const rest = await b.start('agent', null, { thread_id: other });
    expect((await b.settle(rest.run_id)).status).toBe('done');
    expect(contents(await b.messages(other)).at(-1)).toBe('answer 3');
  });

  test('has cursors without gaps, whatever the source has', async () => {
    const b = await opened();
    const source = await talk(b);
    const rewind = { message_id: source[1]!.id, keep: true };
    await b.settle((await b.start('agent', 'two again', { thread_id: 't', rewind })).run_id);
    expect((await b.messages('t')).map(({ cursor }) => cursor)).toEqual([0, 1, 4, 5]);
    const { thread_id } = await fork(b);
    const copy = await b.messages(thread_id);
    expect(copy.map(({ cursor }) => cursor)).toEqual([0, 1, 2, 3]);
    expect(contents(copy)).toEqual(['one', 'answer 1', 'two again', 'answer 3']);
  });

  test('of a busy thread is how the last whole run left it', async () => {
    const b = await opened(asker());
    await talk(b);
    const run = await b.start('asker', 'pay', { thread_id: 't', state: { three: true } });
    expect((await b.settle(run.run_id)).status).toBe('waiting');
    const { thread_id, status } = await fork(b);
    expect(status).toBe('idle');
    expect(contents(await b.messages(thread_id))).toEqual(['one', 'answer 1', 'two', 'answer 3']);
    expect(await b.engine.read({ kind: 'state', thread_id })).toEqual({ one: true, two: true });
    const first = await b.start('asker', 'pay', { thread_id: 'fresh', state: { x: 1 } });
    await b.settle(first.run_id);
    const { thread: empty } = await b.engine.deliver({ type: 'fork_thread', thread_id: 'fresh' });
    expect(empty).toMatchObject({ message_count: 0 });
    expect(await b.engine.read({ kind: 'state', thread_id: empty.thread_id })).toEqual({});
  });

  test('is refused between a call and its result, and where there is no such message', async () => {
    const b = await opened(asker());
    const run = await b.start('asker', 'pay', { thread_id: 't' });
    await b.settle(run.run_id);
    const [question, call] = await b.messages('t');
    const { thread_id } = await fork(b, { after_message_id: question!.id });
    expect(contents(await b.messages(thread_id))).toEqual(['pay']);
    for (const after_message_id of [call!.id, 'nothing'])
      await expect(fork(b, { after_message_id })).rejects.toMatchObject({ code: ErrorCode.badRequest });
    await b.decide(run.run_id, 'call-1');
    await b.events(run.run_id);
    await expect(fork(b, { after_message_id: call!.id })).rejects.toMatchObject({ code: ErrorCode.badRequest });
    const result = (await b.messages('t'))[2]!;
    expect(result.role).toBe('tool');
    await fork(b, { after_message_id: result.id });
  });

  test('does not take the place of a thread', async () => {
    const b = await opened();
    await talk(b);
    await expect(fork(b, { new_thread_id: 't' })).rejects.toMatchObject({ code: ErrorCode.conflict });
    const both = await Promise.allSettled([fork(b, { new_thread_id: 'x' }), fork(b, { new_thread_id: 'x' })]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(b.engine.deliver({ type: 'fork_thread', thread_id: 'nobody' })).rejects.toMatchObject({
      code: ErrorCode.threadNotFound,
    });
    // A start that was refused left nothing behind.
    await expect(b.start('nobody', 'x', { thread_id: 'free' })).rejects.toMatchObject({
      code: ErrorCode.agentNotFound,
    });
    expect((await fork(b, { new_thread_id: 'free' })).message_count).toBe(4);
  });

  test('and a start of the same name at the same instant give one thread', async () => {
    const b = await opened();
    await talk(b);
    for (let round = 0; round < 20; round++) {
      const name = `new ${round}`;
      const acts = [() => fork(b, { new_thread_id: name }), () => b.start('agent', 'mine', { thread_id: name })];
      const [a, c] = await Promise.allSettled((round % 2 ? acts : acts.reverse()).map((act) => act()));
      const started = [a, c].find((one) => one?.status === 'fulfilled' && 'run_id' in one.value)!;
      const { run_id } = (started as PromiseFulfilledResult<{ run_id: string }>).value;
      expect(await b.settle(run_id)).toMatchObject({ status: 'done', thread_id: name });
      const said = contents(await b.messages(name));
      expect([2, 6]).toContain(said.length);
      expect(said.at(-2)).toBe('mine');
    }
  });
});

/** Something happens before the next read of a thread's row, or of messages. */
class Interrupted extends MemoryStore {
  beforeRow: (() => Promise<void>) | undefined;
  beforeMessages: (() => Promise<void>) | undefined;

  override async get(key: Key): Promise<string | undefined> {
    const { beforeRow } = this;
    if (beforeRow && key[0] === keys.thread(0)[0]) await ((this.beforeRow = undefined), beforeRow());
    return super.get(key);
  }

  override async *range(range: Range): AsyncGenerator<[Key, string]> {
    const { beforeMessages } = this;
    if (beforeMessages && range.gte[0] === keys.message(0, 0)[0])
      await ((this.beforeMessages = undefined), beforeMessages());
    yield* super.range(range);
  }
}

describe('a fork at the moment of a deletion', () => {
  async function talked() {
    const store = new Interrupted();
    const b = await bench([agent], { store });
    open.push(b);
    await talk(b);
    return { b, store, remove: (thread_id: string) => b.engine.deliver({ type: 'delete_thread', thread_id }) };
  }

  test('is told as it was made, also when it is gone already', async () => {
    const { b, store, remove } = await talked();
    store.beforeRow = async () => void (await remove('copy'));
    expect(await fork(b, { new_thread_id: 'copy' })).toMatchObject({ thread_id: 'copy', message_count: 4 });
  });

  test('of its source is refused: half a thread is none', async () => {
    const { b, store, remove } = await talked();
    store.beforeMessages = async () => {
      await remove('t');
      await eventually(() => expect(store.disk.rows(keys.familyOf('C'))).toEqual([]));
    };
    await expect(fork(b, { new_thread_id: 'copy' })).rejects.toMatchObject({ code: ErrorCode.threadNotFound });
    expect(await b.engine.read({ kind: 'thread', thread_id: 'copy' })).toBeUndefined();
  });
});

/** A thread of this many messages takes several commits to copy. */
const LONG = 2_500;

describe('a long thread', () => {
  async function scenario(fault: { fate: Fate; at: number } | null): Promise<number> {
    let begun = Infinity;
    let fired = false;
    const store = new MemoryStore(undefined, {
      batch: (n) => (fault && !fired && n - begun === fault.at ? ((fired = true), fault.fate) : 'ok'),
    });
    const clock = new FakeClock();
    const b = await bench([agent], { store, clock });
    const messages = Array.from({ length: LONG - 1 }, (_, i) => ({ role: 'user' as const, content: `${i}` }));
    await b.settle((await b.start('agent', null, { thread_id: 't', messages })).run_id);
    begun = store.disk.batches;
    const forked = fork(b, { new_thread_id: 'copy' }).then(
      () => true,
      (error: unknown) => (expect(error).toMatchObject({ code: ErrorCode.storageUnavailable }), false),
    );
    const answer = await Promise.race([forked, store.crashed.then(() => null)]);
    const commits = store.disk.batches - begun;
    if (answer !== null) await b.engine.close(0);
    const next = await bench([agent], { store: new MemoryStore(store.disk), clock });
    open.push(next);
    const copy = await next.engine.read({ kind: 'thread', thread_id: 'copy' });
    if (answer) expect(copy).toBeDefined();
    if (copy) expect(await next.messages('copy')).toEqual(await next.messages('t'));
    const leftovers = () => (clock.advance(1_000), store.disk.rows(keys.allGraves()).length);
    await expect.poll(leftovers, { interval: 1 }).toBe(0);
    const rows = store.disk.rows({ gte: Buffer.from('C'), lt: Buffer.from('D') }).length;
    expect(rows, 'no message is left of a copy that is none').toBe(copy ? 2 * LONG : LONG);
    return commits;
  }

  test('is copied whole or not at all, whatever happens to the server', async () => {
    const commits = await scenario(null);
    expect(commits).toBeGreaterThan(3);
    for (const fate of ['crash-before', 'crash-after', 'fail-lost', 'fail-landed'] as const)
      for (let at = 0; at < commits; at++) await scenario({ fate, at });
  });
});

test('POST /v1/threads/:id/fork answers 201 with the thread', async () => {
  const service = await openService({ agents: [agent] });
  await service.run({ agentId: 'agent', threadId: 't', messages: [user('one', { id: 'm' })] });
  const answer = await service.call('POST', '/v1/threads/t/fork', { after_message_id: 'm', thread_id: 'a b' });
  expect(answer).toMatchObject({
    status: 201,
    body: { id: 'a b', message_count: 1, metadata: { forked_from: 't' }, status: 'idle', active_run_id: null },
  });
  expect(answer.headers.get('location')).toBe('/v1/threads/a%20b');
  expect(await service.call('POST', '/v1/threads/t/fork', { threadId: 'a b' })).toMatchObject({ status: 409 });
  expect(await service.call('POST', '/v1/threads/t/fork')).toMatchObject({ status: 201, body: { message_count: 2 } });
  expect(await service.call('POST', '/v1/threads/t/fork', { afterMessageId: 'x' })).toMatchObject({ status: 400 });
  expect(await service.call('POST', '/v1/threads/t/fork', { thread_id: 5 })).toMatchObject({ status: 400 });
  expect(await service.call('POST', '/v1/threads/nobody/fork', {})).toMatchObject({ status: 404 });
});
