/** The official protocol by its official clients, unchanged, from the card on (CONTRACT-PROTOCOLS 8.3). */

import { describe, expect, it } from 'vitest';
import { ClientFactory } from '@a2a-js/sdk/client';
import { ClientFactory as OldClientFactory } from 'a2a-sdk-03/client';
import { openServer } from '../ag-ui/server.js';
import { asker, echo, holder, openService } from '../support/service.js';
import { clients, seen, newMessage, type Client, type Told } from './clients.js';

async function all(events: AsyncIterable<Told>): Promise<Told[]> {
  const list: Told[] = [];
  for await (const event of events) list.push(event);
  return list;
}

/** The text that a client has put together from a stream: what it began with, and the pieces. */
function textIn(events: readonly Told[]): string {
  const artifacts = new Map<string, string>();
  let begun = '';
  for (const event of events) {
    if (event.is === 'task') begun = event.task.text;
    if (event.is !== 'text') continue;
    artifacts.set(event.id, (event.append ? (artifacts.get(event.id) ?? begun) : '') + event.text);
  }
  return artifacts.size === 0 ? begun : [...artifacts.values()].join('|');
}

const statesIn = (events: readonly Told[]): string[] =>
  events.flatMap((event) => (event.is === 'text' ? [] : [event.is === 'task' ? event.task.state : event.state]));

/** What we say of what cannot be done now; 0.3 clients have a text of their own for it. */
const UNSUPPORTED = /has ended|takes no message|not supported/;

describe('discovery', () => {
  it('leads every client to the one agent of a server', async () => {
    const { url } = await openService({ agents: [echo()] });
    const fresh = await new ClientFactory().createFromUrl(url);
    const asked = { tenant: '', message: newMessage('hi'), configuration: undefined, metadata: undefined };
    expect(seen((await fresh.sendMessage(asked)) as never)).toMatchObject({ state: 'completed', text: 'well said' });
    const former = await new OldClientFactory().createFromUrl(url);
    const { parts, messageId, role } = { ...newMessage('hi'), role: 'user' as const, parts: [] as never[] };
    const sent = await former.sendMessage({
      message: { kind: 'message', messageId, role, parts: [...parts, { kind: 'text', text: 'hi' }] },
    });
    expect(sent).toMatchObject({ kind: 'task', status: { state: 'completed' } });
  });
});

describe.each(Object.entries(clients))('a client %s', (_, connect) => {
  const open = async (
    agent: string,
    ...rest: Parameters<typeof openServer>
  ): Promise<{ client: Client } & Awaited<ReturnType<typeof openServer>>> => {
    const opened = await openServer(...rest);
    return { ...opened, client: await connect(opened.url, agent) };
  };

  it('sends a message and gets the task when it has ended', async () => {
    const { url } = await openService({ agents: [echo()] });
    const client = await connect(url, 'echo');
    const task = await client.send('hello');
    expect(task).toEqual({
      id: expect.any(String),
      contextId: expect.any(String),
      state: 'completed',
      says: '',
      text: 'well said',
      history: [
        ['user', 'hello'],
        ['agent', 'well said'],
      ],
    });
    expect(await client.get(task.id)).toEqual(task);
    expect((await client.get(task.id, 1)).history).toEqual([['agent', 'well said']]);
    expect((await client.get(task.id, 0)).history).toEqual([]);
    const next = await client.send('again', { contextId: task.contextId });
    expect(next).toMatchObject({ contextId: task.contextId, state: 'completed' });
    expect(next.id).not.toBe(task.id);
  });

  it('gets a task under way at once when it does not want to wait, and follows it', async () => {
    const { client, gate } = await open('gated');
    const task = await client.send('hello', { blocking: false });
    expect(['submitted', 'working']).toContain(task.state);
    await expect.poll(() => client.get(task.id)).toMatchObject({ state: 'working', text: 'one' });
    const stream = client.resubscribe(task.id);
    const first = (await stream.next()).value as Told;
    expect(first).toMatchObject({ is: 'task', task: { id: task.id, state: 'working', text: 'one' } });
    gate.open();
    const events = [first, ...(await all(stream))];
    expect(textIn(events)).toBe('one two three');
    expect(statesIn(events)).toEqual(['working', 'completed']);
    await expect(all(client.resubscribe(task.id))).rejects.toThrow(UNSUPPORTED);
  });

  it('streams a task from its submission to its end', async () => {
    const { url } = await openService({ agents: [echo()] });
    const client = await connect(url, 'echo');
    const events = await all(client.stream('hello'));
    expect(events[0]).toMatchObject({ is: 'task' });
    expect(events.at(-1)).toEqual({ is: 'status', state: 'completed', says: '' });
    expect(textIn(events)).toBe('well said');
    const pieces = events.filter((event) => event.is === 'text');
    expect(pieces.map(({ append }) => append).slice(1)).not.toContain(false);
    expect(pieces.at(-1)).toMatchObject({ text: '', last: true });
  });

  it('is asked for an approval and gives it', async () => {
    const { url } = await openService({ agents: [asker()] });
    const client = await connect(url, 'asker');
    const waiting = await client.send('pay');
    expect(waiting.state).toBe('input-required');
    expect(waiting.says).toMatch(/pay/);
    expect(await client.get(waiting.id)).toMatchObject({ state: 'input-required', says: waiting.says });
    const { id: taskId, contextId } = waiting;
    expect(await client.send('approved', { taskId, contextId })).toMatchObject({
      id: taskId,
      state: 'completed',
      text: 'done',
    });
  });

  it.each<[string, string | Record<string, unknown>, string]>([
    ['a word', 'denied', 'denied by the user'],
    ['other words', 'not today', 'not today'],
    ['data', { approved: false, reason: 'too much' }, 'too much'],
    ['a decision', { decisions: [{ target_id: 'call-1', action: 'cancel', reason: 'no money' }] }, 'no money'],
  ])('denies an approval by %s', async (__, answer, reason) => {
    const { url, call } = await openService({ agents: [asker()] });
    const client = await connect(url, 'asker');
    const { id: taskId } = await client.send('pay');
    expect(await client.send(answer, { taskId })).toMatchObject({ state: 'completed' });
    const events = await call<{ items: { type: string; data: { outcome?: string; error?: string } }[] }>(
      'GET',
      `/v1/runs/${taskId}/events?limit=200`,
      undefined,
      { accept: 'application/json' },
    );
    const done = events.body.items.find(({ type }) => type === 'tool_call_done')!;
    expect(done.data.outcome).toBe('denied');
    expect(done.data.error).toContain(reason);
  });

  it('is asked in a stream, and answers in another', async () => {
    const { url } = await openService({ agents: [asker()] });
    const client = await connect(url, 'asker');
    const asked = await all(client.stream('pay'));
    expect(statesIn(asked).at(-1)).toBe('input-required');
    const { id: taskId } = (asked[0] as { task: { id: string } }).task;
    const answered = await all(client.stream('yes', { taskId }));
    expect(answered[0]).toMatchObject({ is: 'task', task: { id: taskId } });
    expect(statesIn(answered).at(-1)).toBe('completed');
    expect(textIn(answered)).toBe('done');
  });

  it('answers a question with data', async () => {
    const { client } = await open('curious');
    const asked = await client.send('go');
    expect(asked).toMatchObject({ state: 'input-required' });
    expect(asked.says).toContain('which?');
    expect(await client.send('the red one', { taskId: asked.id })).toMatchObject({
      state: 'completed',
      text: 'ask: the red one',
    });
  });

  it('cancels a running task', async () => {
    const { client } = await open('gated');
    const { id } = await client.send('hello', { blocking: false });
    await expect.poll(() => client.get(id)).toMatchObject({ text: 'one' });
    expect(await client.cancel(id)).toMatchObject({ id, state: 'canceled' });
    expect(await client.cancel(id)).toMatchObject({ state: 'canceled' });
    await expect(client.send('more', { taskId: id })).rejects.toThrow(UNSUPPORTED);
  });

  it('cannot cancel what is completed, nor get what is not there', async () => {
    const { url } = await openService({ agents: [echo()] });
    const client = await connect(url, 'echo');
    const { id } = await client.send('hello');
    await expect(client.cancel(id)).rejects.toThrow(/cannot be cancell?ed/);
    await expect(client.get('nowhere')).rejects.toThrow(/not found/);
    await expect(client.send('hi', { taskId: 'nowhere' })).rejects.toThrow(/not found/);
  });

  it('sends a message once, however often it sends it', async () => {
    const { agent, release } = holder();
    const { url, call } = await openService({ agents: [agent] });
    const client = await connect(url, 'holder');
    const [one, two] = await Promise.all([
      client.send('hello', { messageId: 'm', blocking: false }),
      client.send('hello', { messageId: 'm', blocking: false }),
    ]);
    expect(two.id).toBe(one.id);
    const stream = client.stream('hello', { messageId: 'm', contextId: one.contextId });
    expect(await stream.next()).toMatchObject({ value: { is: 'task', task: { id: one.id } } });
    release();
    expect(statesIn(await all(stream)).at(-1)).toBe('completed');
    expect(await client.send('hello', { messageId: 'm' })).toMatchObject({ id: one.id, state: 'completed' });
    expect(statesIn(await all(client.stream('hello', { messageId: 'm' }))).at(-1)).toBe('completed');
    await expect(client.send('other', { messageId: 'm' })).rejects.toThrow(/another message/);
    expect((await call('GET', '/v1/runs')).body.total).toBe(1);
  });

  it('answers once, however often it answers', async () => {
    const { url } = await openService({ agents: [asker()] });
    const client = await connect(url, 'asker');
    const { id: taskId } = await client.send('pay');
    const answers = { taskId, messageId: 'yes' };
    expect(await client.send('approved', answers)).toMatchObject({ state: 'completed' });
    expect(await client.send('approved', answers)).toMatchObject({ id: taskId, state: 'completed' });
  });

  it('is not kept waiting behind a task that waits for somebody', async () => {
    const { url } = await openService({ agents: [asker()] });
    const client = await connect(url, 'asker');
    const { id, contextId } = await client.send('pay');
    const next = await client.send('and then', { contextId });
    expect(next).toMatchObject({ contextId, state: 'submitted' });
    await client.send('yes', { taskId: id });
    await expect.poll(() => client.get(next.id)).toMatchObject({ state: 'input-required' });
  });

  it('sees a queued task as submitted, which takes no message', async () => {
    const { agent, release } = holder();
    const { url } = await openService({ agents: [agent] });
    const client = await connect(url, 'holder');
    const { contextId } = await client.send('one', { blocking: false });
    const queued = await client.send('two', { contextId, blocking: false });
    expect(queued).toMatchObject({ contextId, state: 'submitted', text: '' });
    await expect(client.send('three', { taskId: queued.id })).rejects.toThrow(UNSUPPORTED);
    release();
    await expect.poll(() => client.get(queued.id)).toMatchObject({ state: 'completed' });
  });

  it('is told why a task failed', async () => {
    const { client } = await open('failing');
    const task = await client.send('go');
    expect(task.state).toBe('failed');
    expect(task.says).not.toBe('');
  });

  it('has no text of an attempt that was lost', async () => {
    const { client } = await open('flaky');
    expect(textIn(await all(client.stream('go')))).toBe('whole');
  });
});
