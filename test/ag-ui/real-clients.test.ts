/** The published clients, unchanged, against a real server: what their users do all day. */

import * as v100 from '@ag-ui/client';
import * as v059 from 'ag-ui-client-0059';
import * as v047 from 'ag-ui-client-0047';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { post } from '../support/http-server.js';
import { openServer } from './server.js';
import type { WireEvent, WireMessage } from './clients.js';
import { history, readUntil, runRecord, runsOf, said, streamOf, typesOf, eventually } from './wire.js';

type Resume = { interruptId: string; status: 'resolved' | 'cancelled'; payload?: unknown };

/** What the agents of all versions have in common, as it is used here. */
type Agent = {
  messages: WireMessage[];
  state: unknown;
  threadId: string;
  pendingInterrupts?: { id: string; toolCallId: string }[];
  addMessage(message: object): void;
  setMessages(messages: object[]): void;
  runAgent(parameters?: object): Promise<{ result: unknown; newMessages: WireMessage[] }>;
  connectAgent(): Promise<unknown>;
  abortRun(): void;
  subscribe(subscriber: { onEvent(params: { event: WireEvent }): void }): void;
};
type Module = {
  HttpAgent: new (config: object) => Agent;
  runHttpRequest: (...args: never[]) => unknown;
  transformHttpEventStream: (source: unknown) => unknown;
};

const versions = [
  { version: '1.0.0', client: v100 as unknown as Module },
  { version: '0.0.59', client: v059 as unknown as Module },
  { version: '0.0.47', client: v047 as unknown as Module },
];

/** The agent of a version, and the events it has taken. */
function open({ client, version }: (typeof versions)[number], url: string, agent: string, threadId = 't') {
  const stream = streamOf(url, agent, threadId);
  class Joining extends client.HttpAgent {
    /** How a subclass joins a run that goes on (docs/chat-surfaces.md). */
    connect(): unknown {
      const join = async () => {
        const response = await fetch(stream);
        return response.status === 204 ? new Response('') : response;
      };
      const request = version === '0.0.47' ? [stream, {}] : [join];
      return client.transformHttpEventStream(client.runHttpRequest(...(request as never[])));
    }
  }
  const opened: Agent = new Joining({ url: runsOf(url, agent), threadId, agentId: agent });
  const events: WireEvent[] = [];
  opened.subscribe({ onEvent: ({ event }) => void events.push(event) });
  return { agent: opened, events };
}

let ids = 0;
const says = (agent: Agent, content: string): Promise<{ result: unknown; newMessages: WireMessage[] }> => {
  agent.addMessage({ id: `u${++ids}`, role: 'user', content });
  return agent.runAgent();
};
const callOf = (agent: Agent): string => {
  const message = agent.messages.findLast(({ toolCalls }) => toolCalls);
  return (message!.toolCalls as { id: string }[])[0]!.id;
};
const answers = (agent: Agent, content: string): Promise<unknown> => {
  agent.addMessage({ id: `x${++ids}`, role: 'tool', toolCallId: callOf(agent), content });
  return agent.runAgent();
};
/** What both sides have, without what only a client shows and only a history says. */
const words = (messages: WireMessage[]): object[] =>
  messages
    .filter(({ role }) => role !== 'activity' && role !== 'reasoning')
    .map(({ role, content, toolCalls, toolCallId }) => ({ role, content, toolCalls, toolCallId }));

afterEach(() => vi.restoreAllMocks());

describe.each(versions)('HttpAgent $version', (version) => {
  it('starts, follows up, and agrees with the history', async () => {
    const { url } = await openServer();
    const { agent, events } = open(version, url, 'assistant');
    const { newMessages } = await says(agent, 'hello');
    expect(newMessages).toMatchObject([{ role: 'assistant', content: expect.stringContaining('You said: "hello"') }]);
    await says(agent, '[[progress]] and again');
    expect(typesOf(events)).toContain('ACTIVITY_SNAPSHOT');
    const { messages } = await history(url, 't');
    expect(words(agent.messages)).toEqual(words(messages as WireMessage[]));
    expect(agent.messages.filter(({ role }) => role !== 'activity').map(({ id }) => id)).toEqual(
      messages.map(({ id }) => id),
    );
  });

  it.each([
    ['approves', 'approved', '"status":"sent"'],
    ['denies', '{"approved":false,"reason":"too much"}', 'too much'],
  ])('%s through a tool message', async (_, word, result) => {
    const { url } = await openServer();
    const { agent, events } = open(version, url, 'approver');
    await says(agent, 'pay');
    const before = agent.messages.length;
    if (version.version === '0.0.47') {
      await answers(agent, word);
    } else {
      // Newer clients insist on a word on each interrupt: both at once, as CopilotKit sends it.
      const { id } = agent.pendingInterrupts![0]!;
      agent.addMessage({ id: `x${++ids}`, role: 'tool', toolCallId: callOf(agent), content: word });
      const payload = word === 'approved' ? { approved: true } : (JSON.parse(word) as object);
      await agent.runAgent({ resume: [{ interruptId: id, status: 'resolved', payload }] satisfies Resume[] });
      expect(agent.pendingInterrupts).toEqual([]);
    }
    expect(agent.messages.length).toBeGreaterThan(before);
    expect(events.filter(({ type }) => type === 'TOOL_CALL_RESULT')).toHaveLength(1);
    expect(events.find(({ type }) => type === 'TOOL_CALL_RESULT')).toMatchObject({
      content: expect.stringContaining(result),
    });
    expect(events.at(-1)).toMatchObject({ type: 'RUN_FINISHED' });
    await says(agent, '[[tools 0]] thanks');
    expect((await said(url, 't')).filter((line) => line.startsWith('tool'))).toHaveLength(1);
  });

  it('carries out a frontend tool and goes on', async () => {
    const { url } = await openServer();
    const { agent, events } = open(version, url, 'assistant');
    const tools = [{ name: 'confetti', description: 'Throws.', parameters: { type: 'object', properties: {} } }];
    agent.addMessage({ id: `u${++ids}`, role: 'user', content: '[[frontend]] hooray' });
    await agent.runAgent({ tools });
    expect(agent.messages.at(-1)).toMatchObject({ toolCalls: [{ function: { name: 'confetti' } }] });
    await answers(agent, 'thrown');
    expect(agent.messages.at(-1)).toMatchObject({
      role: 'assistant',
      content: expect.stringContaining('confetti answered: thrown'),
    });
    expect(events.at(-1)).toMatchObject({ type: 'RUN_FINISHED' });
    expect((await history(url, 't')).messages).toHaveLength(4);
  });

  it('regenerates an answer (6.3)', async () => {
    const { url } = await openServer();
    const { agent } = open(version, url, 'assistant');
    await says(agent, 'one');
    await says(agent, 'two');
    const old = agent.messages.at(-1)!.id;
    agent.setMessages(agent.messages.slice(0, -1));
    await agent.runAgent();
    expect(agent.messages).toHaveLength(4);
    expect(agent.messages.at(-1)!.id).not.toBe(old);
    agent.setMessages(agent.messages.slice(0, 1));
    await agent.runAgent();
    expect(words(agent.messages)).toEqual(words((await history(url, 't')).messages as WireMessage[]));
    expect(agent.messages).toHaveLength(2);
  });

  it('is told of a cancelled run, and can go on', async () => {
    const { url, gate } = await openServer();
    const { agent, events } = open(version, url, 'gated');
    const running = says(agent, 'go');
    await eventually(() => typesOf(events)).toContain('TEXT_MESSAGE_CONTENT');
    const { runId } = events[0] as { runId?: string };
    expect((await post(`${url}/v1/runs/${runId}/cancel`)).status).toBe(202);
    await running;
    expect(events.at(-1)).toMatchObject(
      version.version === '1.0.0'
        ? { type: 'RUN_FINISHED', outcome: { type: 'cancelled' } }
        : { type: 'RUN_ERROR', code: 'CANCELLED' },
    );
    gate.open();
    await says(agent, 'again');
    expect(agent.messages.at(-1)).toMatchObject({ content: 'one two three' });
    expect(await said(url, 't')).toEqual(['user: go', 'assistant: one', 'user: again', 'assistant: one two three']);
  });

  it('leaves, and the run goes on (CONTRACT 1.8)', async () => {
    const { url, gate } = await openServer();
    const { agent, events } = open(version, url, 'gated');
    const running = says(agent, 'go');
    await eventually(() => typesOf(events)).toContain('TEXT_MESSAGE_CONTENT');
    agent.abortRun();
    await running;
    gate.open();
    const { runId } = events[0] as { runId?: string };
    await eventually(() => runRecord(url, runId!)).toMatchObject({ termination_code: 'natural' });
  });

  it('reloads in the middle of a run and ends up with the whole thread', async () => {
    const { url, gate } = await openServer();
    const { agent, events } = open(version, url, 'gated');
    const running = says(agent, 'go');
    await eventually(() => typesOf(events)).toContain('TEXT_MESSAGE_CONTENT');
    const reloaded = open(version, url, 'gated');
    const joined = reloaded.agent.connectAgent();
    await eventually(() => typesOf(reloaded.events)).toContain('TEXT_MESSAGE_CONTENT');
    gate.open();
    await Promise.all([running, joined]);
    expect(reloaded.agent.messages).toEqual(agent.messages);
    expect(reloaded.agent.messages).toEqual((await history(url, 't')).messages);
  });

  it('shares a thread with a second reader', async () => {
    const { url, gate } = await openServer();
    const { agent, events } = open(version, url, 'gated');
    const running = says(agent, 'go');
    await eventually(() => typesOf(events)).toContain('TEXT_MESSAGE_CONTENT');
    const { runId } = events[0] as { runId?: string };
    const second = readUntil(
      fetch(`${url}/v1/runs/${runId}/events?format=ag-ui`),
      ({ type }) => type === 'RUN_FINISHED',
    );
    gate.open();
    await running;
    const others = (await second).map(({ event }) => event);
    expect(typesOf(others)).toEqual(typesOf(events));
  });

  it('is told what went wrong, on the wire and in the run', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    const { url } = await openServer();
    await expect(says(open(version, url, 'nobody').agent, 'hello')).rejects.toThrow(
      /HTTP 404.*agent not found: nobody/,
    );
    const { agent, events } = open(version, url, 'failing');
    await says(agent, 'hello');
    expect(events.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'error' });
    await says(open(version, url, 'assistant').agent, 'still there?');
  });

  it('loses the void part of a step that had to begin again', async () => {
    const { url } = await openServer();
    const { agent } = open(version, url, 'flaky');
    await says(agent, 'go');
    expect(words(agent.messages)).toEqual(words((await history(url, 't')).messages as WireMessage[]));
    expect(agent.messages.at(-1)).toMatchObject({ content: 'whole' });
  });
});

/** 0.0.47 knows no interrupts, and its own build cannot apply a state patch in Node. */
describe.each(versions.slice(0, 2))('what HttpAgent $version can besides', (version) => {
  it('shares its state with the thread', async () => {
    const { url } = await openServer();
    const { agent } = open(version, url, 'noting');
    agent.state = { mine: 1 };
    await says(agent, 'go');
    expect(agent.state).toEqual({ mine: 1, noted: true });
  });

  it('joins a thread on which nothing goes on', async () => {
    const { url } = await openServer();
    await says(open(version, url, 'assistant').agent, 'hello');
    const { agent, events } = open(version, url, 'assistant');
    await agent.connectAgent();
    expect([events, agent.messages]).toEqual([[], []]);
    agent.setMessages((await history(url, 't')).messages);
    await says(agent, 'again');
    expect(words(agent.messages)).toEqual(words((await history(url, 't')).messages as WireMessage[]));
  });

  it('is told a state it does not have whole when it changes, and then as it changes', async () => {
    const { url } = await openServer();
    const first = open(version, url, 'counting');
    first.agent.state = { mine: 1 };
    await says(first.agent, 'go');
    const { agent, events } = open(version, url, 'counting');
    await says(agent, 'again');
    expect(agent.state).toEqual({ mine: 1, counted: { times: 2, twice: 4 } });
    expect(typesOf(events).filter((type) => type.startsWith('STATE'))).toEqual(['STATE_SNAPSHOT', 'STATE_DELTA']);
  });

  it.each<[string, Omit<Resume, 'interruptId'>, string]>([
    ['approves', { status: 'resolved', payload: { approved: true } }, '"status":"sent"'],
    ['denies', { status: 'resolved', payload: { approved: false } }, 'denied by the user'],
    ['cancels', { status: 'cancelled' }, 'denied by the user'],
  ])('it %s by resume', async (_, entry, result) => {
    const { url } = await openServer();
    const { agent, events } = open(version, url, 'approver');
    await says(agent, 'pay');
    const [interrupt] = agent.pendingInterrupts!;
    expect(interrupt).toMatchObject({ reason: 'tool_call', toolCallId: callOf(agent) });
    await agent.runAgent({ resume: [{ interruptId: interrupt!.id, ...entry }] });
    expect(agent.pendingInterrupts).toEqual([]);
    expect(events.find(({ type }) => type === 'TOOL_CALL_RESULT')).toMatchObject({
      content: expect.stringContaining(result),
    });
    expect(words(agent.messages)).toEqual(words((await history(url, 't')).messages as WireMessage[]));
  });

  it('brings along with its answer what the user has changed meanwhile', async () => {
    const { url } = await openServer();
    const { agent, events } = open(version, url, 'approver');
    agent.state = { draft: { to: 'Ada' } };
    await says(agent, 'pay');
    agent.state = { draft: { to: 'Bob', eur: 5 } };
    const before = events.length;
    const resume = [{ interruptId: agent.pendingInterrupts![0]!.id, status: 'resolved', payload: true }];
    await agent.runAgent({ resume });
    expect(typesOf(events.slice(before, before + 3))).toEqual(['RUN_STARTED', 'STATE_SNAPSHOT', 'TOOL_CALL_RESULT']);
    const thread = (await (await fetch(`${url}/v1/threads/t`)).json()) as { state: unknown };
    expect([thread.state, agent.state]).toEqual(Array(2).fill({ draft: { to: 'Bob', eur: 5 } }));
  });

  it('finds its interrupts again after a reload', async () => {
    const { url } = await openServer();
    await says(open(version, url, 'curious').agent, 'ask me');
    const { agent } = open(version, url, 'curious');
    await agent.connectAgent();
    expect(agent.pendingInterrupts).toMatchObject([{ message: 'which?', responseSchema: { type: 'string' } }]);
    await agent.runAgent({
      resume: [{ interruptId: agent.pendingInterrupts![0]!.id, status: 'resolved', payload: 'left' }],
    });
    expect(agent.messages.at(-1)).toMatchObject({ content: 'ask: left' });
    expect(words(agent.messages)).toEqual(words((await history(url, 't')).messages as WireMessage[]));
  });
});
