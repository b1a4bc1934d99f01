/** Streams that are cut, resumed, shared and joined in the middle (CONTRACT 1.6, 1.7; CONTRACT-PROTOCOLS 6.7). */

import { describe, expect, it } from 'vitest';
import { post } from '../support/http-server.js';
import { clients, messagesAfter, type WireEvent } from './clients.js';
import { tempDir } from '../support/temp-dir.js';
import { openServer } from './server.js';
import {
  acceptedByAll,
  framesOf,
  framesUntilCut,
  history,
  input,
  outline,
  rawFramesOf,
  readUntil,
  refusal,
  runRecord,
  start,
  streamOf,
  textOf,
  typesOf,
  untilSaid,
  user,
  type Frame,
  eventually,
} from './wire.js';

const asAgUi = (url: string, run: string, query = ''): string => `${url}/v1/runs/${run}/events?format=ag-ui${query}`;
const seen = (id: string | null): RequestInit => ({ headers: { 'last-event-id': id! } });
const eventsIn = (frames: readonly Frame[]): WireEvent[] => frames.map(({ event }) => event);
const go = { messages: [user('go', 'u')] };
const yes = (call: string) => ({
  resume: [{ interruptId: `fc_${call}`, status: 'resolved', payload: { approved: true } }],
});

/** A run that has waited for two approvals and is over: its stretches as they were streamed. */
async function stretches() {
  const server = await openServer();
  const { url } = server;
  const body = input('t', go);
  const first = await framesOf(start(url, 'two', body));
  const [a, b] = eventsIn(first).flatMap(({ type, toolCallId }) =>
    type === 'TOOL_CALL_START' ? [String(toolCallId)] : [],
  );
  const second = await framesOf(start(url, 'two', { ...input('t', yes(a!)), runId: 'outer' }));
  const third = await framesOf(start(url, 'two', { ...input('t', yes(b!)), runId: 'outer' }));
  return { ...server, run: body.runId, all: [first, second, third] };
}

/** The same frames for a reader who is told the run's own id. */
const renamed = (frames: Frame[], run: string): Frame[] =>
  frames.map(({ id, event }) => ({ id, event: 'runId' in event ? { ...event, runId: run } : event }));

describe('GET /v1/runs/:id/events?format=ag-ui', () => {
  it('closes at a pause; with the id of the last frame it goes on behind it', async () => {
    const { url, run, all } = await stretches();
    const [first, second, third] = all.map((frames) => renamed(frames, run));
    expect(await framesOf(fetch(asAgUi(url, run)))).toEqual(first);
    expect(await framesOf(fetch(asAgUi(url, run), seen(first!.at(-1)!.id)))).toEqual(second);
    expect(await framesOf(fetch(asAgUi(url, run), seen(second!.at(-1)!.id)))).toEqual(third);
    expect(await rawFramesOf(fetch(asAgUi(url, run), seen(third!.at(-1)!.id)))).toEqual([]);
  });

  it('gives exactly the frames behind any frame', async () => {
    const { url, run, all } = await stretches();
    for (const frames of all.map((stretch) => renamed(stretch, run))) {
      for (const [i, { id }] of frames.slice(0, -1).entries()) {
        expect(await rawFramesOf(fetch(asAgUi(url, run), seen(id)))).toEqual(frames.slice(i + 1));
        expect(await rawFramesOf(fetch(asAgUi(url, run, `&after=${id}`)))).toEqual(frames.slice(i + 1));
      }
    }
  });

  it('waits at a pause that the client has seen, until the run goes on', async () => {
    const { url } = await openServer();
    const body = input('t', go);
    const first = await framesOf(start(url, 'approver', body));
    const reader = await fetch(asAgUi(url, body.runId), seen(first.at(-1)!.id));
    expect(reader.status).toBe(200);
    const call = String(eventsIn(first).find(({ type }) => type === 'TOOL_CALL_START')!.toolCallId);
    const rest = await framesOf(start(url, 'approver', { threadId: 't', ...yes(call), runId: 'x' }));
    expect(await framesOf(reader)).toEqual(renamed(rest, body.runId));
  });

  it('shows runs of every surface, to any number of readers', async () => {
    const { url, gate } = await openServer();
    await readUntil(
      post(`${url}/v1/runs`, { agentId: 'gated', runId: 'r', threadId: 't', ...go }),
      ({ type }) => type === 'text_delta',
    );
    const readers = await Promise.all(Array.from({ length: 5 }, () => fetch(asAgUi(url, 'r', '&protocolVersion=1.0'))));
    gate.open();
    const [one, ...others] = await Promise.all(readers.map((reader) => framesOf(reader)));
    expect(textOf(eventsIn(one!))).toBe('one two three');
    expect(one![0]!.event).toMatchObject({ protocolVersion: '1.0' });
    for (const other of others) expect(other).toEqual(one);
  });

  it('refuses a position that the run does not have yet', async () => {
    const { url, gate } = await openServer();
    const body = input('t', go);
    await readUntil(start(url, 'gated', body), ({ type }) => type === 'TEXT_MESSAGE_CONTENT');
    expect(await refusal(fetch(asAgUi(url, body.runId), seen('99')))).toEqual([
      400,
      { error: 'bad request: Last-Event-ID: the run has no event 99' },
    ]);
    gate.open();
  });
});

describe('a stream that is cut while the run goes on', () => {
  it('is resumed without a gap and without repetition', async () => {
    const { url, gate } = await openServer();
    const body = input('t', go);
    const before = await readUntil(start(url, 'gated', body), ({ type }) => type === 'TEXT_MESSAGE_START');
    const after = await fetch(asAgUi(url, body.runId), seen(before.at(-1)!.id));
    gate.open();
    const whole = [...before, ...(await rawFramesOf(after))];
    expect(await framesOf(fetch(asAgUi(url, body.runId)))).toEqual(whole);
    await acceptedByAll(eventsIn(whole));
  });
});

describe('a stream that is cut by a restart of the server', () => {
  it('goes on behind its last frame: the step begins anew, and what was void is taken back', async () => {
    const data = await tempDir();
    const first = await openServer({ data });
    const body = input('t', go);
    const before = await framesUntilCut(await start(first.url, 'gated', body), ({ type }) => {
      if (type === 'TEXT_MESSAGE_CONTENT') void first.server.close();
    });
    const second = await openServer({ data });
    second.gate.open();
    const after = await rawFramesOf(fetch(asAgUi(second.url, body.runId), seen(before.at(-1)!.id)));
    expect(typesOf(eventsIn(after)).slice(0, 3)).toEqual([
      'TEXT_MESSAGE_END',
      'MESSAGES_SNAPSHOT',
      'TEXT_MESSAGE_START',
    ]);
    const whole = [...before, ...after];
    expect(await framesOf(fetch(asAgUi(second.url, body.runId)))).toEqual(whole);
    const { messages } = await history(second.url, 't');
    for (const client of clients)
      expect(await messagesAfter(client, eventsIn(whole), [{ ...messages[0]! }])).toEqual(messages);
  });
});

describe('GET /v1/ag-ui/agents/:agent_id/threads/:id/stream', () => {
  it('has nothing to say when nothing goes on', async () => {
    const { url, gate } = await openServer();
    expect((await fetch(streamOf(url, 'gated', 'new'))).status).toBe(204);
    const body = input('t', go);
    await readUntil(start(url, 'gated', body), ({ type }) => type === 'TEXT_MESSAGE_CONTENT');
    expect((await fetch(streamOf(url, 'assistant', 't'))).status).toBe(204);
    gate.open();
    await eventually(() => runRecord(url, body.runId)).toMatchObject({ status: 'done' });
    expect((await fetch(streamOf(url, 'gated', 't'))).status).toBe(204);
  });

  it('shows the thread, then the step under way from its beginning, then what follows (CONTRACT 11)', async () => {
    const { url, gate } = await openServer();
    await framesOf(start(url, 'spy', input('t', { messages: [user('before', 'w')], state: { a: 1 } })));
    const body = input('t', go);
    await readUntil(start(url, 'gated', body), ({ type }) => type === 'TEXT_MESSAGE_CONTENT');
    const response = await fetch(streamOf(url, 'gated', 't'));
    expect(response.headers.get('x-run-id')).toBe(body.runId);
    gate.open();
    const frames = await framesOf(response);
    const events = eventsIn(frames);
    expect(outline(events)).toEqual([
      'RUN_STARTED',
      'MESSAGES_SNAPSHOT',
      'STATE_SNAPSHOT',
      'STEP_STARTED',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
      'STEP_FINISHED',
      'RUN_FINISHED',
    ]);
    expect(frames.slice(0, 4).map(({ id }) => id)).toEqual([null, null, '0', '1']);
    expect(events[0]).toMatchObject({ runId: body.runId });
    expect(events[2]).toMatchObject({ snapshot: { a: 1 } });
    const { messages } = await history(url, 't');
    expect(events[1]).toMatchObject({ messages: messages.slice(0, 3) });
    for (const client of clients) expect(await messagesAfter(client, events)).toEqual(messages);
  });

  it('of a waiting run shows what it waits for', async () => {
    const { url } = await openServer();
    const first = await framesOf(start(url, 'approver', input('t', go)));
    const frames = await framesOf(fetch(streamOf(url, 'approver', 't')));
    expect(typesOf(eventsIn(frames))).toEqual(['RUN_STARTED', 'MESSAGES_SNAPSHOT', 'RUN_FINISHED']);
    expect(frames.at(-1)).toEqual(first.at(-1));
    expect(eventsIn(frames)[1]).toMatchObject({ messages: (await history(url, 't')).messages });
  });

  it('tells a result once: in the messages, or as it comes', async () => {
    const { url, gate } = await openServer();
    const body = input('t', go);
    const watched = await start(url, 'busy', body);
    await untilSaid(url, body.runId, 'tool_call_suspended');
    await readUntil(start(url, 'busy', input('t', yes('p_go'))), ({ type }) => type === 'TOOL_CALL_RESULT');
    const joined = await fetch(streamOf(url, 'busy', 't'));
    gate.open();
    const events = eventsIn(await framesOf(joined));
    expect(events.filter(({ type }) => type === 'TOOL_CALL_RESULT')).toHaveLength(2);
    await watched.text();
    const { messages } = await history(url, 't');
    const ids = (list: readonly { id: string }[]) => list.map(({ id }) => id);
    for (const client of clients) expect(ids(await messagesAfter(client, events)).sort()).toEqual(ids(messages).sort());
  });

  it('leaves a change of the state that was made already to the snapshot', async () => {
    const { url } = await openServer();
    const first = await framesOf(start(url, 'noting', input('t', go)));
    expect(typesOf(eventsIn(first))).toContain('STATE_DELTA');
    await framesOf(start(url, 'approver', input('t', { messages: [user('and', 'v')] })));
    const events = eventsIn(await framesOf(fetch(streamOf(url, 'approver', 't'))));
    expect(events[2]).toMatchObject({ type: 'STATE_SNAPSHOT', snapshot: { noted: true } });
  });

  it('finds a run that goes on as another agent by either of them (CONTRACT 5.5)', async () => {
    const { url, gate } = await openServer();
    const body = input('t', go);
    await readUntil(start(url, 'router', body), ({ type }) => type === 'TEXT_MESSAGE_CONTENT');
    const readers = await Promise.all(['router', 'gated'].map((agent) => fetch(streamOf(url, agent, 't'))));
    gate.open();
    for (const reader of readers) expect(textOf(eventsIn(await framesOf(reader)))).toBe('one two three');
  });

  it('goes on behind a frame of the active run', async () => {
    const { url, gate } = await openServer();
    const before = await readUntil(start(url, 'gated', input('t', go)), ({ type }) => type === 'TEXT_MESSAGE_START');
    const after = await fetch(streamOf(url, 'gated', 't'), seen(before.at(-1)!.id));
    gate.open();
    await acceptedByAll(eventsIn([...before, ...(await rawFramesOf(after))]));
  });

  it('is resumed behind its last own frame', async () => {
    const { url, gate } = await openServer();
    await readUntil(start(url, 'gated', input('t', go)), ({ type }) => type === 'TEXT_MESSAGE_CONTENT');
    const head = await readUntil(fetch(streamOf(url, 'gated', 't')), ({ type }) => type === 'MESSAGES_SNAPSHOT');
    const rest = await fetch(streamOf(url, 'gated', 't'), seen(head.at(-1)!.id));
    gate.open();
    const frames = [...head, ...(await rawFramesOf(rest))];
    await acceptedByAll(eventsIn(frames));
    const [client] = clients;
    const messages = await messagesAfter(client!, eventsIn(frames));
    expect(messages).toEqual((await history(url, 't')).messages);
  });
});
