/** Decisions on the AG-UI surface: in which forms they come, which run they reach, and what is answered (6.2). */

import { describe, expect, it } from 'vitest';
import { openEngine, type Command, type HostedEngine, type Principal } from '../../src/actors/index.js';
import { createAgentRegistry } from '../../src/agents/registry.js';
import { MemoryStore } from '../../src/store/memory.js';
import { openStreams, post } from '../support/http-server.js';
import { asker, openService } from '../support/service.js';
import { newGate, openServer } from './server.js';
import type { WireEvent } from './clients.js';
import {
  eventsOf,
  framesOf,
  input,
  outline,
  rawFramesOf,
  runRecord,
  runsOf,
  said,
  start,
  textOf,
  typesOf,
  untilSaid,
  user,
  eventually,
} from './wire.js';

/** What the thread has as the result of its last call, once the stream is over. */
async function storedResult(url: string, stream: Promise<Response>): Promise<string | undefined> {
  await eventsOf(stream);
  return (await said(url, 't')).findLast((line) => line.startsWith('tool: '))?.slice('tool: '.length);
}

const resultIn = (events: readonly WireEvent[]) => events.find(({ type }) => type === 'TOOL_CALL_RESULT')?.content;
const assistantOf = (call: string) => ({
  id: 'm',
  role: 'assistant',
  toolCalls: [{ id: call, type: 'function', function: { name: 'x', arguments: '{}' } }],
});

/** A run of the agent that waits; gives what it waits for. */
async function waiting(agent: string, text = 'go', more: object = {}) {
  const server = await openServer();
  const body = input('t', { messages: [user(text, 'u')], ...more });
  const events = await eventsOf(start(server.url, agent, body));
  const calls = events.flatMap(({ type, toolCallId }) => (type === 'TOOL_CALL_START' ? [String(toolCallId)] : []));
  const last = events.at(-1) as { outcome?: { interrupts: { id: string; toolCallId: string }[] } };
  return { ...server, body, events, calls, call: calls[0]!, interrupts: last.outcome?.interrupts ?? [] };
}

type Deliver = (engine: HostedEngine, command: Command, principal?: Principal) => Promise<unknown>;

/** The engine, with other answers to some of its calls. */
const altered = <K extends keyof HostedEngine>(engine: HostedEngine, calls: Record<K, unknown>): HostedEngine =>
  new Proxy(engine, {
    get: (target, name) => {
      if (Object.hasOwn(calls, name)) return calls[name as K];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });

/** An engine with something in the way of what is delivered to it. */
const engineWith = (inTheWay: Deliver) => async (): Promise<HostedEngine> => {
  const engine = await openEngine({ store: new MemoryStore(), agents: createAgentRegistry([asker()]) });
  const deliver = (command: Command, principal?: Principal) => inTheWay(engine, command, principal);
  return altered(engine, { deliver });
};

/** All of this many requests that decide have read the thread before the first of them is carried out. */
function meeting(requests: number): Deliver {
  const gate = newGate();
  let left = requests;
  return async (engine, command, principal) => {
    if (command.type === 'start' && command.start.decisions) {
      if (--left === 0) gate.open();
      await gate.passed;
    }
    return engine.deliver(command, principal);
  };
}

/** A user's word gets in front of whatever brings none. */
const overtaken: Deliver = async (engine, command, principal) => {
  if (command.type === 'start' && command.start.messages.length === 0) {
    const { agent_id, thread_id, origin } = command.start;
    const messages = [{ role: 'user' as const, content: 'me first' }];
    const start = { agent_id, thread_id: thread_id!, origin, messages, on_busy: 'enqueue' as const };
    await engine.deliver({ type: 'start', start }, principal);
  }
  return engine.deliver(command, principal);
};

/** An engine in which the thread `t` is deleted as soon as a request that decides has looked at its waiting run. */
function deletingEngine() {
  const request = { decides: false };
  const open = async (): Promise<HostedEngine> => {
    const engine = await openEngine({ store: new MemoryStore(), agents: createAgentRegistry([asker()]) });
    const read = async (ref: { kind: 'run'; run_id: string }): Promise<unknown> => {
      const found = await engine.read(ref);
      if (ref.kind === 'run' && request.decides) await engine.deliver({ type: 'delete_thread', thread_id: 't' });
      return found;
    };
    return altered(engine, { read });
  };
  return { open, request };
}

/** The history as the client has it, and its word on the call. */
const answer = (call: string, content: unknown, more: object = {}) => ({
  messages: [user('go', 'u'), assistantOf(call), { id: 'x', role: 'tool', toolCallId: call, content, ...more }],
});

describe('an approval', () => {
  it('is an interrupt, and continues as a run of the client’s own name', async () => {
    const { url, events, interrupts, call, body } = await waiting('approver');
    expect(events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', runId: body.runId });
    expect(interrupts).toMatchObject([{ id: `fc_${call}`, reason: 'tool_call', toolCallId: call }]);
    const more = input('t', {
      resume: [{ interruptId: `fc_${call}`, status: 'resolved', payload: { approved: true } }],
    });
    const response = await start(url, 'approver', more);
    expect(response.headers.get('x-run-id')).toBe(body.runId);
    const frames = await framesOf(response);
    const rest = frames.map(({ event }) => event);
    expect(outline(rest)).toEqual([
      'RUN_STARTED',
      'TOOL_CALL_RESULT',
      'STEP_STARTED',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
      'STEP_FINISHED',
      'RUN_FINISHED',
    ]);
    expect([rest[0], rest.at(-1)]).toMatchObject([{ runId: more.runId }, { runId: more.runId }]);
    expect(await runRecord(url, body.runId)).toMatchObject({ status: 'done', termination_code: 'natural' });
  });

  const sent = expect.stringContaining('"status":"sent"');
  const yes = ['true', '{"approved":true}', 'approved', 'Approved!', ' yes ', 'OK', '"accepted"'];
  const no: [string, string][] = [
    ['false', 'denied by the user'],
    ['{"approved":false}', 'denied by the user'],
    ['{"approved":false,"reason":"too much"}', 'too much'],
    ['denied', 'denied by the user'],
    ['No.', 'denied by the user'],
    ['', 'denied by the user'],
    ['tomorrow, perhaps', 'tomorrow, perhaps'],
    ['{"status":"sent"}', 'denied by the user'],
    ['not approved', 'not approved'],
  ];

  it.each(yes)('is given by the tool message %j', async (content) => {
    const { url, call } = await waiting('approver');
    expect(resultIn(await eventsOf(start(url, 'approver', input('t', answer(call, content)))))).toEqual(sent);
  });

  it.each(no)('is refused by the tool message %j', async (content, reason) => {
    const { url, call } = await waiting('approver');
    expect(await storedResult(url, start(url, 'approver', input('t', answer(call, content))))).toBe(reason);
  });

  it.each<[string, object, unknown]>([
    ['resolved', { status: 'resolved', payload: { approved: true } }, sent],
    ['resolved with no more words', { status: 'resolved' }, sent],
    ['resolved with a no', { status: 'resolved', payload: { approved: false, reason: 'no budget' } }, 'no budget'],
    ['cancelled', { status: 'cancelled' }, 'denied by the user'],
  ])('can be %s by resume', async (_, entry, result) => {
    const { url, call } = await waiting('approver');
    const resume = [{ interruptId: `fc_${call}`, ...entry }];
    expect(resultIn(await eventsOf(start(url, 'approver', input('t', { resume }))))).toEqual(result);
  });

  it.each<[string, object]>([
    ['at the top level', {}],
    ['in forwardedProps', { inside: true }],
  ])('can be a decision %s', async (_, { inside }: { inside?: boolean }) => {
    const { url, call } = await waiting('approver');
    const decisions = [{ target_id: call, decision_id: 'd1', action: 'cancel', result: null, reason: 'never' }];
    const body = input('t', inside ? { forwardedProps: { decisions } } : { decisions });
    expect(resultIn(await eventsOf(start(url, 'approver', body)))).toBe('never');
  });

  it('that comes twice in one request counts once, the more explicit form first', async () => {
    const { url, call } = await waiting('approver');
    const resume = [{ interruptId: `fc_${call}`, status: 'resolved', payload: { approved: true } }];
    const events = await eventsOf(start(url, 'approver', input('t', { ...answer(call, 'denied'), resume })));
    expect(events.filter(({ type }) => type === 'TOOL_CALL_RESULT')).toHaveLength(1);
    expect(resultIn(events)).toEqual(sent);
    expect(await said(url, 't')).toHaveLength(4);
  });
});

describe('a decision that names the active run', () => {
  it('is forwarded (spec, AG-UI rules)', async () => {
    const { url, call, body } = await waiting('approver');
    const resume = [{ interruptId: `fc_${call}`, status: 'resolved', payload: { approved: true } }];
    const response = await start(url, 'approver', { threadId: 't', runId: body.runId, resume, state: { eur: 5 } });
    expect(response.status).toBe(202);
    expect(await (await fetch(`${url}/v1/threads/t`)).json()).toMatchObject({ state: { eur: 5 } });
    expect(await response.json()).toEqual({ status: 'decision_forwarded', threadId: 't', runId: body.runId });
    await eventually(() => runRecord(url, body.runId)).toMatchObject({ status: 'done' });
  });

  it('is accepted and ignored when nothing asks for it (CONTRACT 5.4)', async () => {
    const { url, body } = await waiting('approver');
    const decisions = [{ target_id: 'nothing', action: 'resume', result: {} }];
    expect((await start(url, 'approver', { threadId: 't', runId: body.runId, decisions })).status).toBe(202);
    expect(await runRecord(url, body.runId)).toMatchObject({ status: 'waiting' });
  });

  it('is a stream when the run is another surface’s', async () => {
    const { url } = await openServer();
    await (
      await post(`${url}/v1/runs`, { agentId: 'approver', threadId: 't', runId: 'r', messages: [user('go')] })
    ).text();
    const { messages } = (await (await fetch(`${url}/v1/ag-ui/threads/t/messages`)).json()) as {
      messages: { toolCalls?: { id: string }[] }[];
    };
    const call = messages.find(({ toolCalls }) => toolCalls)!.toolCalls![0]!.id;
    const events = await eventsOf(start(url, 'approver', { threadId: 't', runId: 'r', ...answer(call, 'yes') }));
    expect(typesOf(events).slice(0, 2)).toEqual(['RUN_STARTED', 'TOOL_CALL_RESULT']);
  });

  it('of a run whose thread is deleted meanwhile finds nothing, and keeps its id from nobody', async () => {
    const { open, request } = deletingEngine();
    const { url, close } = await openService({ agents: [asker()], http: { openEngine: open } });
    const body = input('t', { messages: [user('go', 'u')], runId: 'r' });
    const events = await eventsOf(start(url, 'asker', body));
    const call = String(events.find(({ type }) => type === 'TOOL_CALL_START')!.toolCallId);
    const resume = [{ interruptId: `fc_${call}`, status: 'resolved', payload: { approved: true } }];
    request.decides = true;
    const response = await start(url, 'asker', { threadId: 't', runId: 'r', resume });
    request.decides = false;
    expect([response.status, await response.json()]).toEqual([404, { error: 'run not found: r' }]);
    expect(typesOf(await eventsOf(start(url, 'asker', body)))).toContain('RUN_FINISHED');
    await close();
  });

  it('of a run that is over is a new run', async () => {
    const { url, call, body } = await waiting('approver');
    expect((await post(`${url}/v1/runs/${body.runId}/cancel`)).status).toBe(202);
    const response = await start(url, 'approver', { threadId: 't', runId: body.runId, ...answer(call, 'yes') });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-run-id')).not.toBe(body.runId);
    await response.text();
  });
});

describe('a decision sent again while its run goes on', () => {
  const yes = (call: string) => [{ interruptId: `fc_${call}`, status: 'resolved', payload: { approved: true } }];

  it.each<[string, (call: string) => object]>([
    ['the same', (call) => ({ resume: yes(call) })],
    ['a tool message', (call) => answer(call, 'yes')],
    ['another answer, too late', (call) => ({ resume: [{ interruptId: call, status: 'cancelled' }] })],
  ])('(%s) is the same continuation and no other run', async (_, again) => {
    const { url, gate, call, body } = await waiting('careful');
    const first = await start(url, 'careful', input('t', { resume: yes(call) }));
    const second = await start(url, 'careful', input('t', again(call)));
    gate.open();
    const [one, two] = await Promise.all([framesOf(first), framesOf(second)]);
    const rest = (frames: typeof one) => frames.slice(1, -1);
    expect(rest(two)).toEqual(rest(one));
    expect(two.map(({ id }) => id)).toEqual(one.map(({ id }) => id));
    expect(resultIn(one.map(({ event }) => event))).toBe('wired');
    expect(second.headers.get('x-run-id')).toBe(body.runId);
    expect(await said(url, 't')).toHaveLength(4);
  });

  it('in different words at the same moment: nobody’s answer ends the run', async () => {
    const { url } = await openService({ agents: [asker()], http: { openEngine: engineWith(meeting(3)) } });
    const body = input('t', { messages: [user('go')] });
    await eventsOf(start(url, 'asker', body));
    const decided = (decision_id: string) => ({ target_id: 'call-1', decision_id, action: 'resume', result: true });
    const responses = await Promise.all(
      ['one', 'two', 'three'].map((id) => start(url, 'asker', input('t', { decisions: [decided(id)] }))),
    );
    for (const response of responses) await response.text();
    expect(await runRecord(url, body.runId)).toMatchObject({ termination_code: 'natural' });
    expect((await said(url, 't')).slice(0, 4)).toEqual([
      'user: go',
      'assistant: calls 1',
      'tool: paid',
      'assistant: done',
    ]);
  });

  it('or when the run has ended is still its continuation: nothing is done twice (CONTRACT 1.10)', async () => {
    const { url, gate, call, body } = await waiting('careful');
    gate.open();
    const request = input('t', { resume: yes(call) });
    const first = await framesOf(start(url, 'careful', request));
    expect(await framesOf(start(url, 'careful', request))).toEqual(first);
    const other = await start(url, 'careful', input('t', answer(call, 'yes')));
    expect(other.headers.get('x-run-id')).toBe(body.runId);
    expect(typesOf(await eventsOf(other))).toEqual(typesOf(first.map(({ event }) => event)));
    expect(await said(url, 't')).toHaveLength(4);
  });

  it('to an agent that is not there is refused as anything else', async () => {
    const { url, gate, call } = await waiting('careful');
    await (await start(url, 'careful', input('t', { resume: yes(call) }))).body!.cancel();
    expect((await start(url, 'nobody', input('t', { resume: yes(call) }))).status).toBe(404);
    gate.open();
  });

  it('by the very same request, twice at once', async () => {
    const { url, gate, call } = await waiting('careful');
    const request = input('t', { resume: yes(call) });
    const responses = await Promise.all([start(url, 'careful', request), start(url, 'careful', request)]);
    gate.open();
    const [one, two] = await Promise.all(responses.map((response) => framesOf(response)));
    expect(two).toEqual(one);
    expect(await said(url, 't')).toHaveLength(4);
  });
});

describe('several calls', () => {
  it('can be decided one by one', async () => {
    const { url, calls, interrupts } = await waiting('two');
    expect(interrupts.map(({ toolCallId }) => toolCallId)).toEqual(calls);
    const one = await eventsOf(
      start(url, 'two', input('t', { resume: [{ interruptId: `fc_${calls[1]}`, status: 'cancelled' }] })),
    );
    expect(typesOf(one)).toEqual(['RUN_STARTED', 'TOOL_CALL_RESULT', 'RUN_FINISHED']);
    expect(one.at(-1)).toMatchObject({ outcome: { type: 'interrupt', interrupts: [{ toolCallId: calls[0] }] } });
    const rest = await eventsOf(
      start(url, 'two', input('t', { resume: [{ interruptId: calls[0], status: 'resolved', payload: true }] })),
    );
    expect(resultIn(rest)).toBe('paid');
    expect(textOf(rest)).toBe('pay: denied by the user, pay: paid');
  });

  it('can be decided while another one runs: the stream begins as every stream', async () => {
    const { url, gate } = await openServer();
    const body = input('t', { messages: [user('go', 'u')] });
    const watched = await start(url, 'busy', body);
    await untilSaid(url, body.runId, 'tool_call_suspended');
    const frames = framesOf(start(url, 'busy', input('t', answer('p_go', 'yes'))));
    const whole = framesOf(watched);
    await eventually(() => said(url, 't')).toContain('tool: paid');
    gate.open();
    const [part, all] = await Promise.all([frames, whole]);
    expect(part[0]).toMatchObject({ id: null, event: { type: 'RUN_STARTED' } });
    expect(part[1]).toMatchObject({ event: { type: 'TOOL_CALL_RESULT', toolCallId: 'p_go' } });
    expect(all.slice(-part.length + 1, -1)).toEqual(part.slice(1, -1));
  });
});

describe('a frontend tool', () => {
  it('is an ordinary end of the run, and its result goes on with it (6.1, 6.5)', async () => {
    const { url, events, call } = await waiting('painter', 'make it green');
    expect(events.at(-1)).toEqual({
      type: 'RUN_FINISHED',
      threadId: 't',
      runId: expect.any(String),
      timestamp: expect.any(Number),
    });
    const rest = await eventsOf(start(url, 'painter', input('t', answer(call, '{"painted":"green"}'))));
    expect(textOf(rest)).toContain('set_background answered: {"painted":"green"}');
  });

  it('has one result: whoever gave it is not told it again, everybody else is', async () => {
    const { url, body, call } = await waiting('painter');
    const rest = await eventsOf(start(url, 'painter', input('t', answer(call, '{ "painted": "green" }'))));
    expect(resultIn(rest)).toBeUndefined();
    const log = `${url}/v1/runs/${body.runId}/events`;
    const { items } = (await (await fetch(log, { headers: { accept: 'application/json' } })).json()) as {
      items: { type: string; seq: number }[];
    };
    const pause = items.find(({ type }) => type === 'run_waiting')!.seq;
    const others = await rawFramesOf(fetch(`${log}?format=ag-ui&after=${pause}`));
    expect(resultIn(others.map(({ event }) => event))).toBe('{"painted":"green"}');
  });

  it('may fail at the client, which is not told so again', async () => {
    const { url, call } = await waiting('painter');
    const rest = await eventsOf(start(url, 'painter', input('t', answer(call, '', { error: 'no screen' }))));
    expect(resultIn(rest)).toBeUndefined();
    expect(textOf(rest)).toContain('failed: no screen');
  });

  it('of the request is called by its name', async () => {
    const tools = [
      {
        name: 'confetti',
        description: 'Throws.',
        parameters: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
      },
    ];
    const { url, events, call } = await waiting('assistant', '[[frontend]] now', { tools, protocolVersion: '1.0' });
    expect(events.find(({ type }) => type === 'TOOL_CALL_START')).toMatchObject({ toolCallName: 'confetti' });
    expect(events.at(-1)).toMatchObject({ outcome: { type: 'success', pendingToolCallIds: [call] } });
    expect(await storedResult(url, start(url, 'assistant', input('t', answer(call, 'thrown'))))).toBe('thrown');
  });

  it.each<[string, (call: string) => object, string]>([
    ['a word that would refuse an approval', (call) => answer(call, 'denied'), 'denied'],
    ['nothing', (call) => answer(call, ''), ''],
    ['content in parts', (call) => answer(call, [{ type: 'text', text: 'a' }]), 'a'],
    ['an error', (call) => answer(call, 'x', { error: 'no canvas' }), 'no canvas'],
    ['resume', (call) => ({ resume: [{ interruptId: call, status: 'resolved', payload: { n: 1 } }] }), '{"n":1}'],
    [
      'a decision to resume (spec, AG-UI rules)',
      (call) => ({ decisions: [{ target_id: call, decision_id: 'd', action: 'resume', result: { ok: true } }] }),
      '{"ok":true}',
    ],
    [
      'a decision to cancel: a denial',
      (call) => ({ decisions: [{ target_id: `fc_${call}`, decision_id: 'd', action: 'cancel', result: {} }] }),
      'denied by the user',
    ],
  ])('takes %s', async (_, more, result) => {
    const { url, call } = await waiting('painter');
    expect(await storedResult(url, start(url, 'painter', input('t', more(call))))).toBe(result);
  });
});

describe('a question', () => {
  it('shows what kind of answer is wanted, and takes any', async () => {
    const { url, interrupts, call } = await waiting('curious');
    expect(interrupts).toEqual([
      {
        id: `fc_${call}`,
        reason: 'input_required',
        message: 'which?',
        toolCallId: call,
        responseSchema: { type: 'string' },
      },
    ]);
    const resume = [{ interruptId: `fc_${call}`, status: 'resolved', payload: 'the left one' }];
    expect(resultIn(await eventsOf(start(url, 'curious', input('t', { resume }))))).toBe('the left one');
  });
});

describe('everything else a waiting thread can be sent', () => {
  it('new input ends the waiting run; its call is closed (CONTRACT 1.9)', async () => {
    const { url, body } = await waiting('approver');
    const next = input('t', { messages: [user('go', 'u'), assistantOf('x'), user('never mind', 'v')] });
    await eventsOf(start(url, 'assistant', next));
    expect(await runRecord(url, body.runId)).toMatchObject({
      termination_code: 'superseded',
      termination_detail: next.runId,
    });
    expect((await said(url, 't')).slice(0, 4)).toEqual([
      'user: go',
      'assistant: calls 1',
      'tool: cancelled before it ran',
      'user: never mind',
    ]);
  });

  it('a decision and new input: the input waits until the run has ended (CONTRACT 1.11)', async () => {
    const { url, call } = await waiting('approver');
    const { messages } = answer(call, 'yes');
    const rest = await eventsOf(
      start(url, 'approver', input('t', { messages: [...messages, user('[[tools 0]] and then?', 'v')] })),
    );
    expect(resultIn(rest)).toContain('sent');
    await eventually(() => said(url, 't')).toHaveLength(6);
    expect((await said(url, 't'))[4]).toBe('user: [[tools 0]] and then?');
  });

  it('decisions on what nobody asks end nothing: the client is shown what is asked', async () => {
    const { url, call, body } = await waiting('approver');
    const resume = [{ interruptId: 'fc_other', status: 'resolved', payload: true }];
    const asked = input('t', { resume, protocolVersion: '1.0' });
    const events = await eventsOf(start(url, 'approver', asked));
    expect(typesOf(events)).toEqual(['RUN_STARTED', 'MESSAGES_SNAPSHOT', 'RUN_FINISHED']);
    expect(events[0]).toMatchObject({ runId: asked.runId, protocolVersion: '1.0' });
    expect(events.at(-1)).toMatchObject({
      runId: asked.runId,
      outcome: { type: 'interrupt', interrupts: [{ toolCallId: call }] },
    });
    expect(await runRecord(url, body.runId)).toMatchObject({ status: 'waiting' });
  });

  it('a result that comes too late ends nothing: the client is shown the run that goes on instead', async () => {
    const { url, gate, call } = await waiting('approver');
    const next = await start(url, 'gated', input('t', { messages: [user('never mind', 'v')] }));
    const late = await start(url, 'approver', input('t', answer(call, 'yes')));
    expect(late.headers.get('x-run-id')).toBe(next.headers.get('x-run-id'));
    gate.open();
    const [own, shown] = await Promise.all([eventsOf(next), eventsOf(late)]);
    expect(outline(shown).slice(0, 3)).toEqual(['RUN_STARTED', 'MESSAGES_SNAPSHOT', 'STEP_STARTED']);
    expect([textOf(own), textOf(shown)]).toEqual(['one two three', 'one two three']);
  });

  it('a client that is shown the run that goes on, and leaves, does not stop it', async () => {
    const { url, gate, call } = await waiting('approver');
    const next = await start(url, 'gated', input('t', { messages: [user('never mind', 'v')] }));
    const leaving = new AbortController();
    const body = JSON.stringify(input('t', { ...answer(call, 'yes'), on_disconnect: 'cancel' }));
    const headers = { 'content-type': 'application/json' };
    await fetch(runsOf(url, 'gated'), { method: 'POST', headers, body, signal: leaving.signal });
    await expect.poll(() => openStreams(url)).toBe(2);
    leaving.abort();
    await expect.poll(() => openStreams(url)).toBe(1);
    gate.open();
    expect(textOf(await eventsOf(next))).toBe('one two three');
  });

  it('a run that begins while an answer to nothing is on its way is not ended by it', async () => {
    const { url } = await openService({ agents: [asker()], http: { openEngine: engineWith(overtaken) } });
    await eventsOf(start(url, 'asker', input('t', { messages: [user('go')] })));
    expect((await post(`${url}/v1/threads/t/interrupt`)).status).toBe(202);
    const resume = [{ interruptId: 'fc_other', status: 'resolved', payload: true }];
    const events = await eventsOf(start(url, 'asker', input('t', { resume })));
    expect(typesOf(events).slice(0, 2)).toEqual(['RUN_STARTED', 'MESSAGES_SNAPSHOT']);
    expect(await said(url, 't')).toContain('user: me first');
    expect(((await (await fetch(`${url}/v1/runs?thread_id=t`)).json()) as { total: number }).total).toBe(2);
  });

  it('an old decision in the history beside new input', async () => {
    const { url, call } = await waiting('approver');
    const { messages } = answer(call, 'yes');
    await eventsOf(start(url, 'approver', input('t', { messages })));
    await eventsOf(
      start(
        url,
        'spy',
        input('t', { messages: [...messages, { id: 'm2', role: 'assistant', content: 'done' }, user('next', 'w')] }),
      ),
    );
    expect((await said(url, 't')).slice(4)).toEqual(['user: next', 'assistant: seen']);
  });
});
