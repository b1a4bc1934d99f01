/** The thread routes over a real socket, on a real engine (spec, Threads; CONTRACT 2 to 4). */

import { describe, expect, it } from 'vitest';
import type { MailboxEntry, Message } from '../../actors/records.js';
import {
  asker,
  echo,
  holder,
  openService,
  user,
  type Answer,
  type Json,
  type Service,
} from '../../../test/support/service.js';
import { MemoryStore } from '../../store/memory.js';
import type { EntryRecord, ThreadProjection } from './records.js';

type List<T> = { items: T[]; total: number; has_more: boolean };
type Messages = { messages: Message[]; has_more: boolean; next_cursor: number | null; prev_cursor: number | null };

/** Starts on thread `id` in order, so that they are created in order. */
async function threads(service: Service, ...starts: Json[]): Promise<void> {
  for (const start of starts) await service.run({ agentId: 'echo', messages: [user('hello')], ...start });
}
const ids = (page: { items: { id: string }[] }): string[] => page.items.map(({ id }) => id);

describe('GET /v1/threads (CONTRACT 2.1)', () => {
  it('shows the projection of each thread, in its order and with its nulls', async () => {
    const service = await openService({ agents: [echo()] });
    await threads(service, { threadId: 't1', resourceId: 'r1', state: { a: 1 } });
    const { status, body } = await service.call<List<ThreadProjection>>('GET', '/v1/threads');
    expect(status).toBe(200);
    expect(body).toEqual({
      items: [
        {
          id: 't1',
          resource_id: 'r1',
          parent_thread_id: null,
          status: 'idle',
          active_run_id: null,
          generation: 0,
          message_count: 2,
          queued_count: 0,
          title: null,
          metadata: {},
          created_at: expect.any(Number),
          updated_at: expect.any(Number),
        },
      ],
      total: 1,
      has_more: false,
    });
    expect(Object.keys(body.items[0]!)[0]).toBe('id');
  });

  it('filters, pages and orders, with exact totals', async () => {
    const { agent, release } = holder();
    const service = await openService({ agents: [echo(), agent, asker()] });
    await threads(service, { threadId: 'a', resourceId: 'r1' }, { threadId: 'b', parentThreadId: 'a' });
    await threads(service, { threadId: 'c', resourceId: 'r1' }, { threadId: 'd', resourceId: 'r2' });
    await service.start({ agentId: 'holder', threadId: 'e', messages: [user('wait')] });
    await service.run({ agentId: 'asker', threadId: 'f', messages: [user('pay')] });
    const list = async (query: string) =>
      (await service.call<List<ThreadProjection>>('GET', `/v1/threads${query}`)).body;

    expect(ids(await list(''))).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    expect(ids(await list('?order=desc&limit=2'))).toEqual(['f', 'e']);
    expect(await list('?offset=4&limit=1')).toMatchObject({ items: [{ id: 'e' }], total: 6, has_more: true });
    expect(await list('?offset=5&limit=1')).toMatchObject({ items: [{ id: 'f' }], total: 6, has_more: false });
    expect(await list('?offset=6')).toEqual({ items: [], total: 6, has_more: false });
    expect(ids(await list('?parent_thread_id=a'))).toEqual(['b']);
    expect(ids(await list('?resource_id=r1&order=desc'))).toEqual(['c', 'a']);
    expect(ids(await list('?resource_id=r1&status=running'))).toEqual([]);
    expect((await list('?status=running')).items).toMatchObject([{ id: 'e', active_run_id: expect.any(String) }]);
    expect(ids(await list('?status=waiting'))).toEqual(['f']);
    expect(await list('?resource_id=nobody')).toEqual({ items: [], total: 0, has_more: false });
    expect((await list('?limit=0')).items).toHaveLength(1);
    expect((await list('?limit=-3')).items).toHaveLength(1);
    expect((await list('?limit=9999')).items).toHaveLength(6);
    expect((await list('?parent_thread_id=')).total).toBe(6);
    release();
  });

  it.each([
    ['status=busy', /status: expected one of idle, running, waiting/],
    ['status=', /status: expected one of/],
    ['order=up', /order: expected one of asc, desc/],
    ['limit=ten', /limit: expected an integer/],
    ['limit=1.5', /limit: expected an integer/],
    ['offset=-1', /offset: must not be negative/],
    ['offset=x', /offset: expected an integer/],
    ['parent_thread_id=a&parent_thread_id=b', /parent_thread_id: given more than once/],
  ])('refuses %s (CONTRACT 0.3)', async (query, message) => {
    const service = await openService();
    for (const path of ['/v1/threads', '/v1/threads/summaries']) {
      const { status, body } = await service.call('GET', `${path}?${query}`);
      expect([status, body.error]).toEqual([400, expect.stringMatching(message)]);
    }
  });

  it('answers 405 with what is allowed for another method', async () => {
    const service = await openService();
    const { status, headers } = await service.call('PUT', '/v1/threads');
    expect([status, headers.get('allow')]).toEqual([405, expect.stringContaining('GET')]);
  });
});

describe('GET /v1/threads/summaries (CONTRACT 2.2)', () => {
  it('shows conversations, the last changed first, with their last word', async () => {
    const service = await openService({ agents: [echo(), asker()] });
    await threads(service, { threadId: 'a' }, { threadId: 'b' }, { threadId: 'child', parentThreadId: 'a' });
    await service.run({ agentId: 'asker', threadId: 'c', messages: [user('ü'.repeat(150) + '😀'.repeat(100))] });
    await service.call('PATCH', '/v1/threads/a/metadata', { title: 'first' });
    const list = async (query: string) => (await service.call<List<Json>>('GET', `/v1/threads/summaries${query}`)).body;
    const all = await list('');
    expect(all).toMatchObject({ total: 3, has_more: false });
    expect(all.items.map(({ id }) => id)).toEqual(['a', 'c', 'b']);
    expect(all.items[0]).toEqual({
      id: 'a',
      title: 'first',
      message_count: 2,
      last_message: { role: 'assistant', content: 'well said' },
      updated_at: expect.any(Number),
      created_at: expect.any(Number),
    });
    expect(all.items[1]!.last_message).toEqual({ role: 'user', content: 'ü'.repeat(150) + '😀'.repeat(50) });
    expect((await list('?parent_thread_id=a')).items.map(({ id }) => id)).toEqual(['child']);
    expect(await list('?offset=1&limit=1')).toMatchObject({ items: [{ id: 'c' }], total: 3, has_more: true });
    expect((await list('?status=waiting')).items.map(({ id }) => id)).toEqual(['c']);
  });
});

describe('GET /v1/threads/:id (CONTRACT 2.3)', () => {
  it('adds the newest 200 public messages and the state', async () => {
    const service = await openService({ agents: [echo()] });
    const many = Array.from({ length: 250 }, (_, i) => user(`${i}`));
    await threads(service, { threadId: 'a b+c', messages: many, state: { k: { n: null, m: 1 } } });
    const { status, body } = await service.call('GET', `/v1/threads/${encodeURIComponent('a b+c')}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: 'a b+c', message_count: 251, state: { k: { m: 1 } } });
    const messages = body.messages as Message[];
    expect(messages).toHaveLength(200);
    expect(messages[0]).toMatchObject({ cursor: 51, content: '51' });
    expect(messages.at(-1)).toMatchObject({ role: 'assistant', content: 'well said', step: 0 });
  });

  it('is 404 for a thread nobody has', async () => {
    const service = await openService();
    for (const path of ['', '/messages', '/mailbox'])
      expect(await service.call('GET', `/v1/threads/nobody${path}`)).toMatchObject({
        status: 404,
        body: { error: 'thread not found: nobody' },
      });
  });

  it('is 400 for an id no thread can have', async () => {
    const service = await openService();
    expect(await service.call('GET', `/v1/threads/${'x'.repeat(257)}`)).toMatchObject({ status: 400 });
    expect(await service.call('GET', '/v1/threads/a%00b')).toMatchObject({ status: 400 });
  });
});

describe('GET /v1/threads/:id/messages (CONTRACT 3)', () => {
  it('shows records without what is private, tools included', async () => {
    const service = await openService({ agents: [asker()] });
    const run = await service.run({ agentId: 'asker', threadId: 't', messages: [user('pay', { id: 'm1' })] });
    await service.run({
      agentId: 'asker',
      threadId: 't',
      decisions: [{ target_id: 'call-1', decision_id: 'd', action: 'cancel', result: {} }],
    });
    const { body } = await service.call<Messages>('GET', '/v1/threads/t/messages');
    const { run_id } = run;
    const created_at = expect.any(Number) as number;
    expect(body).toEqual({
      messages: [
        { cursor: 0, id: 'm1', role: 'user', content: 'pay', run_id, step: null, created_at },
        {
          cursor: 1,
          id: expect.any(String),
          role: 'assistant',
          content: '',
          tool_calls: [{ id: 'call-1', name: 'pay', arguments: { eur: 5 } }],
          run_id,
          step: 0,
          created_at,
        },
        {
          cursor: 2,
          id: expect.any(String),
          role: 'tool',
          content: 'denied by the user',
          tool_call_id: 'call-1',
          run_id,
          step: 0,
          created_at,
        },
        { cursor: 3, id: expect.any(String), role: 'assistant', content: 'done', run_id, step: 1, created_at },
      ],
      has_more: false,
      next_cursor: 3,
      prev_cursor: 0,
    });
  });

  it('goes by cursors in both directions', async () => {
    const service = await openService({ agents: [echo()] });
    const first = await service.run({ agentId: 'echo', threadId: 't', messages: [user('0'), user('1')] });
    const second = await service.run({ agentId: 'echo', threadId: 't', messages: [user('3')] });
    const get = async (query: string) => (await service.call<Messages>('GET', `/v1/threads/t/messages?${query}`)).body;
    const cursors = async (query: string) => (await get(query)).messages.map(({ cursor }) => cursor);

    expect(await cursors('')).toEqual([0, 1, 2, 3, 4]);
    expect(await cursors('after=1')).toEqual([2, 3, 4]);
    expect(await cursors('before=2')).toEqual([0, 1]);
    expect(await cursors('after=0&before=4')).toEqual([1, 2, 3]);
    expect(await cursors('order=desc&limit=2')).toEqual([4, 3]);
    expect(await cursors('order=desc&before=3&limit=2')).toEqual([2, 1]);
    expect(await cursors('after=-5')).toEqual([0, 1, 2, 3, 4]);
    expect(await cursors('after=99')).toEqual([]);
    expect(await get('limit=2')).toMatchObject({ has_more: true, next_cursor: 1, prev_cursor: 0 });
    expect(await get('limit=2&order=desc&before=2')).toMatchObject({ has_more: false, next_cursor: 0, prev_cursor: 1 });
    expect(await get('after=4')).toEqual({ messages: [], has_more: false, next_cursor: null, prev_cursor: null });
    expect(await cursors(`run_id=${first.run_id}`)).toEqual([0, 1, 2]);
    expect(await get(`run_id=${second.run_id}&limit=1`)).toMatchObject({ has_more: true, next_cursor: 3 });
    expect(await cursors('run_id=nobody')).toEqual([]);
  });

  it('shows what is for the model alone only when asked', async () => {
    const service = await openService({ agents: [echo()] });
    await service.engine.deliver({
      type: 'start',
      start: {
        agent_id: 'echo',
        thread_id: 't',
        run_id: 'r',
        origin: 'internal',
        on_busy: 'enqueue',
        messages: [{ role: 'user', content: 'secret', visibility: 'internal' }],
      },
    });
    await expect.poll(async () => (await service.call('GET', '/v1/runs/r')).body.status).toBe('done');
    const contents = async (query: string) =>
      (await service.call<Messages>('GET', `/v1/threads/t/messages?${query}`)).body.messages.map((m) => m.content);
    expect(await contents('')).toEqual(['well said']);
    expect(await contents('visibility=all')).toEqual(['well said']);
    expect(await contents('visibility=internal')).toEqual(['secret']);
    expect(await contents('visibility=none')).toEqual(['secret', 'well said']);
    expect(await contents('visibility=none&limit=1&order=desc')).toEqual(['well said']);
    expect((await service.call('GET', '/v1/threads/t')).body.messages).toHaveLength(1);
  });

  it.each(['order=up', 'visibility=secret', 'after=x', 'before=1.5', 'limit=x'])('refuses %s', async (query) => {
    const service = await openService();
    expect(await service.call('GET', `/v1/threads/t/messages?${query}`)).toMatchObject({ status: 400 });
  });
});

describe('POST /v1/threads/:id/interrupt (CONTRACT 2.5)', () => {
  it('cancels what is active, supersedes what is queued, and counts', async () => {
    const { agent } = holder();
    const service = await openService({ agents: [agent, echo()] });
    const active = await service.start({ agentId: 'holder', threadId: 't', messages: [user('wait')] });
    const queued = await service.start({
      agentId: 'echo',
      threadId: 't',
      messages: [user('me too')],
      onBusy: 'enqueue',
    });
    const { status, body } = await service.call('POST', '/v1/threads/t/interrupt');
    expect([status, body]).toEqual([
      202,
      {
        status: 'interrupt_requested',
        thread_id: 't',
        generation: 1,
        cancelled_run_id: active.run_id,
        superseded_pending_count: 1,
        superseded_pending_entry_ids: [queued.source_mailbox_entry_id],
      },
    ]);
    const end = async (id: string) => (await service.call('GET', `/v1/runs/${id}`)).body;
    expect(await end(queued.run_id)).toMatchObject({ status: 'done', termination_code: 'superseded' });
    await expect
      .poll(() => end(active.run_id))
      .toMatchObject({ status: 'done', termination_code: 'cancelled', termination_detail: 'interrupted' });
    const again = await service.call('POST', '/v1/threads/t/interrupt');
    expect(again.body).toMatchObject({ generation: 2, cancelled_run_id: null, superseded_pending_entry_ids: [] });
    expect(await service.call('POST', '/v1/threads/nobody/interrupt')).toMatchObject({ status: 404 });
  });
});

describe('PATCH /v1/threads/:id/metadata (CONTRACT 2.4)', () => {
  it('merges and answers the whole', async () => {
    const service = await openService({ agents: [echo()] });
    await threads(service, { threadId: 't' });
    const patch = (body: unknown) => service.call('PATCH', '/v1/threads/t/metadata', body);
    expect(await patch({ title: 'T', a: { b: 1, c: [1] } })).toMatchObject({
      status: 200,
      body: { title: 'T', a: { b: 1, c: [1] } },
    });
    expect((await patch({ a: { b: null, d: 'x' }, e: true })).body).toEqual({
      title: 'T',
      a: { c: [1], d: 'x' },
      e: true,
    });
    expect((await service.call('GET', '/v1/threads/t')).body).toMatchObject({ title: 'T', metadata: { e: true } });
    expect((await patch({ title: null })).body).toEqual({ a: { c: [1], d: 'x' }, e: true });
    expect((await service.call('GET', '/v1/threads/t')).body).toMatchObject({ title: null });
    expect((await patch({})).body).toEqual({ a: { c: [1], d: 'x' }, e: true });
  });

  it('refuses what is no metadata', async () => {
    const service = await openService({ agents: [echo()] });
    await threads(service, { threadId: 't' });
    const patch = (body: unknown) => service.call('PATCH', '/v1/threads/t/metadata', body);
    expect(await patch({ title: 5 })).toMatchObject({ status: 400, body: { error: expect.stringContaining('title') } });
    expect(await patch([1])).toMatchObject({ status: 400 });
    expect(await patch(JSON.parse('{"__proto__": {"polluted": 1}}'))).toMatchObject({ status: 400 });
    expect(await patch({ big: 'x'.repeat(70_000) })).toMatchObject({ status: 413 });
    expect((await patch({ a: 'x'.repeat(40_000) })).status).toBe(200);
    expect(await patch({ b: 'x'.repeat(40_000) })).toMatchObject({ status: 400 });
    expect(Object.keys((await service.call('GET', '/v1/threads/t')).body.metadata as Json)).toEqual(['a']);
    expect(await service.call('PATCH', '/v1/threads/nobody/metadata', {})).toMatchObject({ status: 404 });
  });
});

describe('the mailbox (CONTRACT 4)', () => {
  /** A thread that is busy, with two that wait. */
  async function busy() {
    const hold = holder();
    const service = await openService({ agents: [hold.agent, echo()] });
    const active = await service.start({ agentId: 'holder', threadId: 't', messages: [user('wait')] });
    const enqueue = (content: string) =>
      service.start({ agentId: 'echo', threadId: 't', messages: [user(content)], onBusy: 'enqueue' });
    const one = await enqueue('one');
    const two = await enqueue('two');
    const list = async (query = '') =>
      (await service.call<List<EntryRecord>>('GET', `/v1/threads/t/mailbox${query}`)).body;
    const at = (run: { source_mailbox_entry_id: string | null }) =>
      `/v1/threads/t/mailbox/${run.source_mailbox_entry_id}`;
    return { ...hold, service, active, one, two, list, at };
  }

  it('shows entries that wait and entries that have ended', async () => {
    const { list, active, one } = await busy();
    const all = await list();
    expect(all).toMatchObject({ total: 3, has_more: false });
    expect(all.items.map(({ status }) => status)).toEqual(['accepted', 'queued', 'queued']);
    expect(all.items[1]).toEqual({
      entry_id: one.source_mailbox_entry_id,
      thread_id: 't',
      mailbox_id: 't',
      run_id: one.run_id,
      agent_id: 'echo',
      origin: 'external',
      sender_id: null,
      priority: 128,
      dedupe_key: null,
      generation: 0,
      status: 'queued',
      available_at: expect.any(Number),
      attempt_count: 0,
      last_error: null,
      payload: { messages: [{ role: 'user', content: 'one' }] },
      created_at: expect.any(Number),
      updated_at: expect.any(Number),
    });
    expect((await list('?status=accepted')).items).toMatchObject([{ run_id: active.run_id, attempt_count: 1 }]);
    expect(await list('?status=queued&offset=1&limit=1')).toMatchObject({ items: [{ status: 'queued' }], total: 2 });
    expect(await list('?origin=internal')).toMatchObject({ items: [], total: 0 });
    expect((await list('?origin=none')).total).toBe(3);
    expect(await list('?status=claimed')).toMatchObject({ total: 0 });
  });

  it('shows of what an entry carries the messages asked for', async () => {
    const { service, list } = await busy();
    await service.engine.deliver({
      type: 'start',
      start: {
        agent_id: 'echo',
        thread_id: 't',
        origin: 'internal',
        on_busy: 'enqueue',
        messages: [
          { role: 'user', content: 'hidden', visibility: 'internal' },
          { role: 'user', content: 'shown' },
        ],
      },
    });
    const said = async (query: string) =>
      (await list(`?origin=internal&${query}`)).items[0]!.payload.messages.map(({ content }) => content);
    expect(await said('')).toEqual(['shown']);
    expect(await said('visibility=all')).toEqual(['shown']);
    expect(await said('visibility=internal')).toEqual(['hidden']);
    expect(await said('visibility=none')).toEqual(['hidden', 'shown']);
  });

  it.each(['status=late', 'origin=elsewhere', 'visibility=x', 'offset=-1', 'limit=x'])('refuses %s', async (query) => {
    const service = await openService();
    expect(await service.call('GET', `/v1/threads/t/mailbox?${query}`)).toMatchObject({ status: 400 });
  });

  it('lets a queued entry be cancelled, once', async () => {
    const { service, one, at, active, list } = await busy();
    expect(await service.call('DELETE', at(one))).toMatchObject({ status: 204, body: {} });
    expect((await service.call('GET', `/v1/runs/${one.run_id}`)).body).toMatchObject({
      status: 'done',
      termination_code: 'cancelled',
    });
    expect((await list('?status=cancelled')).total).toBe(1);
    expect(await service.call('DELETE', at(one))).toMatchObject({ status: 409 });
    expect(await service.call('DELETE', at(active))).toMatchObject({ status: 409 });
    expect(await service.call('DELETE', '/v1/threads/t/mailbox/nothing')).toMatchObject({ status: 404 });
    expect(await service.call('DELETE', '/v1/threads/nobody/mailbox/nothing')).toMatchObject({ status: 404 });
    expect((await service.call('GET', `/v1/runs/${active.run_id}`)).body).toMatchObject({ status: 'running' });
  });

  it('lets a queued entry be changed: the order of turns follows', async () => {
    const { service, one, two, at, release } = await busy();
    const patched = await service.call<EntryRecord>('PATCH', at(two), {
      priority: 200,
      messages: [user('two, better', { id: 'm2' })],
    });
    expect(patched).toMatchObject({
      status: 200,
      body: { status: 'queued', priority: 200, payload: { messages: [{ content: 'two, better', id: 'm2' }] } },
    });
    expect((await service.call('PATCH', at(one), { priority: 127 })).body).toMatchObject({ priority: 127 });
    release();
    await expect.poll(async () => (await service.call('GET', `/v1/runs/${one.run_id}`)).body.status).toBe('done');
    const { messages } = (await service.call<Messages>('GET', '/v1/threads/t/messages')).body;
    const said = messages.filter(({ role }) => role === 'user').map(({ content }) => content);
    expect(said).toEqual(['wait', 'two, better', 'one']);
    expect(await service.call('PATCH', at(two), { priority: 1 })).toMatchObject({ status: 409 });
  });

  it.each([{ priority: 256 }, { priority: 1.5 }, { messages: [{ role: 'robot', content: '' }] }, { messages: 'hi' }])(
    'refuses the change %j',
    async (change) => {
      const { service, one, at } = await busy();
      expect(await service.call('PATCH', at(one), change)).toMatchObject({ status: 400 });
    },
  );

  it('starts a dead letter anew', async () => {
    const { agent, release } = holder();
    const first = await openService({ agents: [agent, echo(), echo('gone')] });
    await first.start({ agentId: 'holder', threadId: 't', messages: [user('wait')] });
    const dead = await first.start({
      agentId: 'gone',
      threadId: 't',
      messages: [user('lost')],
      onBusy: 'enqueue',
      metadata: { k: 1 },
    });
    await first.engine.close(0);
    const service = await openService({ agents: [agent, echo()], store: new MemoryStore(first.store.disk) });
    release();
    const path = `/v1/threads/t/mailbox/${dead.source_mailbox_entry_id}`;
    await expect
      .poll(async () => (await service.call('GET', `/v1/runs/${dead.run_id}`)).body)
      .toMatchObject({ status: 'done', termination_code: 'error' });
    const letters = (await service.call<List<MailboxEntry>>('GET', '/v1/threads/t/mailbox?status=dead_letter')).body;
    expect(letters.items).toMatchObject([{ run_id: dead.run_id, last_error: 'agent not found: gone' }]);
    expect(await service.call('POST', `${path}/retry`)).toMatchObject({ status: 404 });
    await service.engine.close(0);

    const third = await openService({
      agents: [agent, echo(), echo('gone')],
      store: new MemoryStore(service.store.disk),
    });
    const answers = await Promise.all([1, 2].map(() => third.call<EntryRecord>('POST', `${path}/retry`)));
    const [retried, refused] = answers.sort((a, b) => a.status - b.status) as [Answer<EntryRecord>, Answer<Json>];
    expect(retried).toMatchObject({ status: 202, body: { agent_id: 'gone', thread_id: 't' } });
    const once = `mailbox entry ${dead.source_mailbox_entry_id} was retried as run ${retried.body.run_id}`;
    expect(refused).toMatchObject({ status: 409, body: { error: once } });
    const run = `/v1/runs/${retried.body.run_id}`;
    await expect.poll(async () => (await third.call('GET', run)).body.status).toBe('done');
    expect((await third.call('GET', run)).body).toMatchObject({ parent_run_id: dead.run_id, metadata: { k: 1 } });
    expect(await third.call('POST', `/v1/threads/t/mailbox/${retried.body.entry_id}/retry`)).toMatchObject({
      status: 409,
    });
  });
});

describe('resource_id (CONTRACT 11)', () => {
  it('is that of the first run that names one; another one is 409', async () => {
    const service = await openService({ agents: [echo()] });
    const start = (more: Json) =>
      service.call(
        'POST',
        '/v1/runs',
        { agentId: 'echo', threadId: 't', messages: [user('x')], ...more },
        {
          accept: 'application/json',
        },
      );
    expect((await start({})).body).toMatchObject({ resource_id: null });
    expect((await start({ resourceId: 'r1' })).body).toMatchObject({ resource_id: 'r1' });
    expect(await start({ resourceId: 'r2' })).toMatchObject({ status: 409 });
    expect((await start({})).body).toMatchObject({ resource_id: 'r1' });
    expect((await service.call<List<ThreadProjection>>('GET', '/v1/threads?resource_id=r1')).body.total).toBe(1);
  });
});
