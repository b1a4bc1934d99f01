/** The feed of what happens to actors, over a real socket (CONTRACT 9.1). */

import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RunRecord } from '../../src/actors/index.js';
import type { FeedRing } from '../../src/actors/live/ring.js';
import { defineAgent } from '../../src/agents/agent.js';
import { finish, say, toolCall } from '../../src/agents/scripted/parts.js';
import { scriptedModel } from '../../src/agents/scripted/model.js';
import { defineTool } from '../../src/agents/tool.js';
import { MemoryStore } from '../../src/store/memory.js';
import { asker, echo, openService, user, type Service } from '../support/service.js';
import { endOf, FeedReader, ofType, type Frame } from './feed-reader.js';

const decide = (service: Service, run_id: string, action = 'resume') =>
  service.call('POST', `/v1/runs/${run_id}/inputs`, {
    decisions: [{ target_id: 'call-1', decision_id: `d ${run_id}`, action, result: { approved: true } }],
  });

const watch = async (service: Service, query = '?include=transitions,runs', last?: string): Promise<FeedReader> => {
  const reader = new FeedReader(service.url, query, last);
  if (last === undefined) await reader.until(ofType('reset'));
  return reader;
};

type Told = {
  type: string;
  actor: { kind: string };
  event: string;
  from: string[];
  to: string[];
  kind: string;
  outcome: string;
  queued: number;
};

/** One line a frame: who, what, from, to. */
const line = (frame: Frame): string => {
  const { type, actor, event, from, to, kind, outcome, queued } = frame.data as unknown as Told;
  if (type === 'transition') return `${actor.kind}: ${event}: ${from.join()} -> ${to.join()}`;
  return type === 'ended' ? `${kind} ended: ${outcome}` : type === 'queued' ? `queued: ${queued}` : type;
};

describe('the feed', () => {
  it('tells the whole life of a run, in order', async () => {
    const service = await openService({ agents: [asker()] });
    const reader = await watch(service);
    const run = await service.run({ agentId: 'asker', threadId: 't', messages: [user('pay')] });
    await decide(service, run.run_id);
    await reader.until(endOf('thread:t'));
    expect(reader.frames.slice(1).map(line)).toEqual([
      'thread: xstate.init:  -> idle',
      'thread: START: idle -> running',
      'run: xstate.init:  -> running,inferring',
      'run: xstate.done.actor.model: running,inferring -> running,acting',
      'tool_call: xstate.init:  -> new',
      'tool_call: GO: new -> suspended,asking',
      'run: SUSPENDED: running,acting -> waiting',
      'thread: WAITING: running -> waiting',
      'run: DECIDE: waiting -> running,acting',
      'thread: RESUMED: waiting -> running',
      'tool_call: DECIDE: suspended,asking -> resuming',
      'tool_call: GO: resuming -> running,executing',
      'tool_call: xstate.done.actor.exec: running,executing -> succeeded',
      'run: SETTLED: running,acting -> running,inferring',
      'tool_call ended: succeeded',
      'run: xstate.done.actor.model: running,inferring -> done',
      'thread: FINISHED: running -> idle',
      'run ended: natural',
      'thread ended: idle',
    ]);
    const waits = reader.frames.find((frame) => line(frame) === 'run: SUSPENDED: running,acting -> waiting')!;
    expect(waits.data['actor']).toMatchObject({
      id: `run:${run.run_id}`,
      tool: { name: 'pay', arguments: { eur: 5 } },
      waiting_for: { kind: 'approval', tool_call_ids: ['call-1'] },
    });
    const numbers = reader.frames.map(({ id }) => Number(id!.split('-')[1]));
    expect(numbers).toEqual(numbers.map((_, i) => numbers[0]! + i));
  });

  it('resumes at every frame: the rest is what an unbroken reader has', async () => {
    const service = await openService({ agents: [asker(), echo()] });
    const unbroken = await watch(service);
    const run = await service.run({ agentId: 'asker', threadId: 't', messages: [user('pay')] });
    await service.run({ agentId: 'echo', threadId: 'u', messages: [user('hi')] });
    await decide(service, run.run_id, 'cancel');
    await unbroken.until(endOf('thread:t'));
    const { frames } = unbroken;
    expect(frames.length).toBeGreaterThan(20);
    for (const [i, { id }] of frames.slice(0, -1).entries()) {
      const resumed = await watch(service, '?include=transitions,runs', id!);
      await resumed.until(endOf('thread:t'));
      expect(resumed.frames).toEqual(frames.slice(i + 1));
      resumed.close();
    }
  });

  it('begins anew with the present picture when the ring has moved on, or the process is another', async () => {
    const service = await openService({ agents: [asker()] });
    const reader = await watch(service);
    const run = await service.run({ agentId: 'asker', threadId: 't', messages: [user('pay')] });
    const { id } = await reader.until(
      ({ data }) => data.type === 'transition' && (data['to'] as string[])[0] === 'waiting',
    );
    reader.close();
    const ring = service.engine.inspect().feed as FeedRing;
    for (let i = 0; i < 9000; i++) ring.push({ type: 'queued', at: 0, thread_id: 'x', queued: i });
    const picture = {
      type: 'reset',
      total: 2,
      items: [{ id: expect.stringMatching(/^(run|thread):/) as string }, { id: expect.any(String) as string }],
      stats: { waiting: 1, threads: 1, runs: 1 },
    };
    const late = new FeedReader(service.url, '', id!);
    expect((await late.next())!).toMatchObject({ id: `${ring.boot}-${ring.last}`, data: picture });

    await service.engine.close(0);
    const next = await openService({ agents: [asker()], store: new MemoryStore(service.store.disk) });
    const other = new FeedReader(next.url, '', id!);
    const { data } = (await other.next())!;
    expect(data).toMatchObject({ type: 'reset', total: 2, items: [{ path: ['waiting'] }, { path: ['waiting'] }] });
    await decide(next, run.run_id);
    await other.until(endOf('thread:t'));
  });

  it.each(['nonsense', '', 'abc-1', '-1', '999999999999-0'])('a last event id of %j gets the picture', async (last) => {
    const service = await openService();
    expect((await new FeedReader(service.url, '', last).next())!.data).toMatchObject({
      type: 'reset',
      items: [],
      total: 0,
    });
  });

  it('keeps nothing for a reader that does not read, who gets the picture when it does', async () => {
    const service = await openService({ agents: [echo()] });
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    socket.write('GET /v1/actors/events HTTP/1.1\r\nhost: localhost\r\n\r\n');
    let text = '';
    const sees = (what: string) =>
      new Promise<void>((resolve) => {
        const look = (): void => {
          if (!text.includes(what)) return;
          socket.off('data', look);
          resolve();
        };
        socket.on('data', look);
        look();
      });
    socket.on('data', (bytes: Buffer) => (text += bytes.toString()));
    await sees('"type":"reset"');
    socket.pause();
    const ring = service.engine.inspect().feed as FeedRing;
    const before = process.memoryUsage().arrayBuffers + process.memoryUsage().external;
    for (let piece = 0; piece < 200; piece++) {
      for (let i = 0; i < 1000; i++) ring.push({ type: 'queued', at: i, thread_id: 'x'.repeat(200), queued: i });
      await nextTurn();
    }
    expect(process.memoryUsage().arrayBuffers + process.memoryUsage().external - before).toBeLessThan(20e6);
    text = '';
    socket.resume();
    await sees('"type":"reset"');
    await service.run({ agentId: 'echo', threadId: 'after', messages: [user('hi')] });
    await sees('"id":"thread:after","kind":"thread"');
  });
});

describe('a reader that asks for a pace', () => {
  type Entry = { type: string; id?: string; actor?: { id: string } };
  const entriesOf = ({ data }: Frame): Entry[] => (data.type === 'batch' ? (data['entries'] as Entry[]) : []);
  const tellsEndOf = (id: string) => (frame: Frame) =>
    entriesOf(frame).some((entry) => entry.type === 'ended' && entry.id === id);

  it('gets of each actor the last thing, and goes on behind its last batch', async () => {
    const service = await openService({ agents: [asker()] });
    const paced = await watch(service, '?include=transitions,runs&every=5000');
    const single = await watch(service);
    const run = await service.run({ agentId: 'asker', threadId: 't', messages: [user('pay')] });
    await single.until(({ data }) => data['event'] === 'WAITING');
    const first = await paced.until(ofType('batch'));
    // The window is still open, and what comes in it is left to who resumes.
    paced.close();
    await decide(service, run.run_id);
    await single.until(endOf('thread:t'));

    const rest = await watch(service, '?include=transitions,runs&every=50', first.id!);
    const last = await rest.until(tellsEndOf('thread:t'));
    expect(last.id).toBe(single.frames.at(-1)!.id);
    const told = entriesOf(last).map(({ type, id, actor }) => `${type} ${id ?? actor!.id}`);
    expect(new Set(told).size).toBe(told.length);
    expect(told).toEqual([`ended tool_call:${run.run_id}:call-1`, `ended run:${run.run_id}`, 'ended thread:t']);
    expect(last.data['left_out']).toBeGreaterThan(5);
  });

  it('gets every event of the tail', async () => {
    const service = await openService({ agents: [echo()] });
    const single = await watch(service, '?include=events');
    const paced = await watch(service, '?include=events&every=50');
    await service.run({ agentId: 'echo', threadId: 't', messages: [user('hi')] });
    const isLast = ({ data }: Frame): boolean => JSON.stringify(data).includes('"run_finish"');
    await single.until(isLast);
    await paced.until(isLast);
    expect(paced.frames.flatMap(entriesOf)).toEqual(single.frames.filter(ofType('event')).map(({ data }) => data));
  });
});

describe('filters of the feed', () => {
  it('shows what is asked for, and who leaves a state that is watched', async () => {
    const service = await openService({ agents: [asker(), echo()] });
    const runs = await watch(service, '?include=transitions&kind=run&state=waiting');
    const ofThread = await watch(service, '?thread_id=u');
    const ends = await watch(service, '?include=runs&agent_id=asker');
    const run = await service.run({ agentId: 'asker', threadId: 't', messages: [user('pay')] });
    await service.run({ agentId: 'echo', threadId: 'u', messages: [user('hi')] });
    await decide(service, run.run_id);
    await ends.until(endOf(`run:${run.run_id}`));
    expect(ends.frames.slice(1).map(line)).toEqual(['tool_call ended: succeeded', 'run ended: natural']);
    await runs.until(({ data }) => (data['from'] as string[] | undefined)?.[0] === 'waiting');
    expect(runs.frames.slice(1).map(line)).toEqual([
      'run: SUSPENDED: running,acting -> waiting',
      'run: DECIDE: waiting -> running,acting',
    ]);
    await ofThread.until(endOf('thread:u'));
    expect(ofThread.frames.slice(1).filter(ofType('transition')).map(line)).toHaveLength(5);
  });

  it.each([
    'include=nothing',
    'kind=ghost',
    'state=nowhere',
    'thread_id=a&thread_id=b',
    'every=49',
    'every=5001',
    'every=often',
  ])('%s is refused', async (query) => {
    const service = await openService();
    expect((await service.call('GET', `/v1/actors/events?${query}`)).status).toBe(400);
  });

  it('tells queues', async () => {
    const service = await openService({ agents: [asker(), echo()] });
    await service.run({ agentId: 'asker', threadId: 't', messages: [user('pay')] });
    const reader = await watch(service, '?include=runs');
    const queued = await service.start({ agentId: 'echo', threadId: 't', messages: [user('x')], onBusy: 'enqueue' });
    await reader.until(ofType('queued'));
    await service.call('POST', `/v1/runs/${queued.run_id}/cancel`);
    await reader.until(ofType('queued'));
    expect(reader.frames.slice(1).map(line)).toEqual(['queued: 1', 'run ended: cancelled', 'queued: 0']);
  });
});

describe('the tail of all runs', () => {
  const agent = defineAgent({
    id: 'leaky',
    tools: [
      defineTool({
        name: 'login',
        description: 'a tool',
        input: { type: 'object' },
        execute: () => ({ token: 'tok' }),
      }),
    ],
    model: scriptedModel(({ prompt }) =>
      prompt.at(-1)!.role === 'tool'
        ? say('in')
        : [...toolCall('call-1', 'login', { user: 'me', password: 'hunter2' }), finish('tool-calls')],
    ),
  });
  const typesOf = (frames: Frame[]) =>
    frames.flatMap(({ data }) => (data.type === 'event' ? [(data['event'] as { type: string }).type] : []));

  it('has every event of every run, without secrets, and can be resumed', async () => {
    const service = await openService({ agents: [leaky()] });
    const tail = await watch(service, '?include=events');
    const run = await service.run({ agentId: 'leaky', messages: [user('x')] });
    const isLast = ({ data }: Frame) => (data['event'] as { type: string } | undefined)?.type === 'run_finish';
    await tail.until(isLast);
    const page = await service.call<{ items: { type: string }[] }>(
      'GET',
      `/v1/runs/${run.run_id}/events?limit=200`,
      undefined,
      {
        accept: 'application/json',
      },
    );
    expect(typesOf(tail.frames)).toEqual(page.body.items.map(({ type }) => type));
    const told = JSON.stringify(tail.frames);
    expect(told).not.toContain('hunter2');
    expect(told).toContain('[redacted]');
    const resumed = new FeedReader(service.url, '?include=events', tail.frames[5]!.id!);
    await resumed.until(isLast);
    expect(resumed.frames).toEqual(tail.frames.slice(6));
  });

  const leaky = () => agent;

  it('does not go through the feed while nobody tails, nor anything else while nobody watches', async () => {
    const service = await openService({ agents: [echo()] });
    const { feed } = service.engine.inspect();
    await service.run({ agentId: 'echo', messages: [user('x')] });
    expect(feed.last).toBe(0);
    const reader = await watch(service, '?include=transitions');
    await service.run({ agentId: 'echo', messages: [user('x')] });
    await reader.until(
      ({ data }) => (data['to'] as string[] | undefined)?.[0] === 'idle' && data['event'] === 'FINISHED',
    );
    const types = Array.from({ length: feed.last }, (_, i) => feed.at(i + 1)?.type);
    expect(types).not.toContain('event');
    expect(types).toContain('transition');
  });
});

describe('figures and progress', () => {
  it('come without a number', async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const work = defineTool({
      name: 'work',
      description: 'a tool',
      input: { type: 'object' },
      async execute(_, { progress }) {
        progress({ progress: 0.4, message: 'on it' });
        await held;
        return 'done';
      },
    });
    const worker = defineAgent({
      id: 'worker',
      tools: [work],
      model: scriptedModel(({ prompt }) =>
        prompt.at(-1)!.role === 'tool' ? say('done') : [...toolCall('call-1', 'work'), finish('tool-calls')],
      ),
    });
    const service = await openService({ agents: [worker] });
    const reader = new FeedReader(service.url);
    await reader.until(ofType('reset'));
    const run: RunRecord = await service.start({ agentId: 'worker', threadId: 't', messages: [user('x')] });
    const progress = await reader.until(ofType('progress'));
    expect(progress).toMatchObject({
      id: null,
      data: { id: `tool_call:${run.run_id}:call-1`, progress: 0.4, message: 'on it' },
    });
    const { body } = await service.call<{ items: object[] }>('GET', '/v1/actors?kind=run');
    expect(body.items).toMatchObject([{ tool: { name: 'work', progress: 0.4, message: 'on it' } }]);
    const stats = await reader.until(ofType('stats'));
    expect(stats).toMatchObject({
      id: null,
      data: { running: 1, waiting: 0, sse_readers: 1, version: expect.any(String) as string },
    });
    release();
    await reader.until(endOf('thread:t'));
    const { body: after } = await service.call('GET', '/v1/stats');
    expect(after).toMatchObject({ running: 0, threads: 1, runs: 1, first_event_p50_ms: expect.any(Number) as number });
  });

  it('the feed ends when the server stops', async () => {
    const service = await openService();
    const reader = await watch(service);
    const end = reader.next();
    await service.close();
    expect(await end).toBeUndefined();
  });
});
