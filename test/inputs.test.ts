/**
 * More input for a run, and requests that are repeated, at the door of a real server in this process (spec, "inputs";
 * CONTRACT 1.8 to 1.12).
 */

import { describe, expect, it, onTestFinished } from 'vitest';
import type { CanonicalEvent, RunRecord } from '../src/actors/index.js';
import { createServer } from '../src/create-server.js';
import { defineAgent } from '../src/agents/agent.js';
import { demoAgents } from '../src/agents/demo.js';
import { finish, text } from '../src/agents/scripted/parts.js';
import { scriptedModel } from '../src/agents/scripted/model.js';
import type { HttpServer } from '../src/http/server.js';
import { parseTokens } from '../src/http/tokens.js';
import { post } from './support/http-server.js';
import { collectSse, readSse, type SseFrame } from './support/sse-client.js';
import { tempDir } from './support/temp-dir.js';

/** An agent whose answers take until `release`. */
class Gate {
  release = () => {};
  readonly #released = new Promise<void>((resolve) => (this.release = resolve));

  agent(id: string, more: object = {}) {
    return defineAgent({ id, model: scriptedModel(() => this.#answer()), ...more });
  }

  async *#answer() {
    yield* text(['thinking']);
    await this.#released;
    yield finish();
  }
}

type Opened = { url: string; server: HttpServer; gate: Gate };

async function serve({ data = null, tokens }: { data?: string | null; tokens?: string } = {}): Promise<Opened> {
  const gate = new Gate();
  const agents = [
    ...demoAgents(),
    gate.agent('gated'),
    gate.agent('leaves', { on_disconnect: 'cancel' }),
    gate.agent('patient', { on_busy: 'enqueue' }),
  ];
  const server = createServer({ agents, data, ...(tokens ? { tokens: parseTokens(tokens) } : {}) });
  onTestFinished(() => server.close());
  return { url: await server.listen(), server, gate };
}

const user = (content: string) => ({ role: 'user', content });
const ask = (content: string, more: object = {}) => ({ agentId: 'assistant', messages: [user(content)], ...more });
const start = (url: string, body: object, headers = {}) => post(`${url}/v1/runs`, body, headers);
const inputs = (url: string, run_id: string, body: object, headers = {}) =>
  post(`${url}/v1/runs/${run_id}/inputs`, body, headers);
const respondAsync = { prefer: 'respond-async' };
const key = (value: string) => ({ 'idempotency-key': value });

const eventOf = ({ data }: SseFrame): CanonicalEvent => JSON.parse(data) as CanonicalEvent;
const answerOf = async (response: Response): Promise<[number, unknown]> => [response.status, await response.json()];
const readRun = async (url: string, run_id: string) =>
  (await (await fetch(`${url}/v1/runs/${run_id}`)).json()) as RunRecord;

/** Waits until the run has ended. */
async function endOf(url: string, run_id: string): Promise<RunRecord> {
  await collectSse(`${url}/v1/runs/${run_id}/events`);
  return readRun(url, run_id);
}

/** The roles and texts that the run's model calls were asked and gave, by the events of the run. */
const textOf = (frames: SseFrame[]): string =>
  frames.map(eventOf).reduce((said, event) => said + (event.type === 'text_delta' ? event.data.delta : ''), '');

/** A run that waits for an approval; the answer is the call that is pending. */
async function waiting(url: string, more: object = {}): Promise<string> {
  const frames = await collectSse(await start(url, ask('[[approval]]', { runId: 'r', threadId: 't', ...more })));
  const last = eventOf(frames.at(-1)!);
  if (last.type !== 'run_waiting') throw new Error(`the run does not wait: ${last.type}`);
  return last.data.pending[0]!.tool_call_id;
}

const approve = (target_id: string, more: object = {}) => ({
  target_id,
  decision_id: 'd1',
  action: 'resume',
  result: { approved: true },
  ...more,
});

describe('POST /v1/runs/:id/inputs is refused', () => {
  const messages = [user('more')];
  const decisions = [approve('call')];
  const EMPTY = 'bad request: messages and decisions cannot both be empty';
  it.each([
    ['nothing at all, for an unknown run', 'nobody', {}, 400, EMPTY],
    ['empty lists', 'done', { agentId: 'ghost', messages: [], decisions: [] }, 400, EMPTY],
    ['messages for an unknown run, without an agent', 'nobody', { messages }, 404, 'run not found: nobody'],
    ['messages for an unknown run', 'nobody', { agentId: 'ghost', messages }, 404, 'run not found: nobody'],
    ['decisions for an unknown run', 'nobody', { decisions }, 404, 'run not found: nobody'],
    ['messages without an agent', 'done', { messages }, 400, 'bad request: agentId: cannot be empty'],
    ['messages with a blank agent', 'done', { agent_id: ' ', messages }, 400, 'bad request: agentId: cannot be empty'],
    [
      'messages and decisions without an agent',
      'done',
      { messages, decisions },
      400,
      'bad request: agentId: cannot be empty',
    ],
    ['messages for an unknown agent', 'done', { agentId: 'ghost', messages }, 404, 'agent not found: ghost'],
    ['decisions for a run that is done', 'done', { decisions }, 400, 'run is not active'],
    ['the same, though an agent is named', 'done', { agentId: 'assistant', decisions }, 400, 'run is not active'],
    ['another thread', 'done', { agentId: 'assistant', messages, threadId: 'other' }, 400, /^bad request: threadId: /],
    ['messages that are none', 'nobody', { messages: 'x' }, 400, /^bad request: messages: /],
    [
      'a decision that is none',
      'nobody',
      { decisions: [{ target_id: 'c', action: 'maybe' }] },
      400,
      /^bad request: decisions\[0\]\.action: /,
    ],
    [
      'a decision about nothing',
      'nobody',
      { decisions: [{ action: 'resume' }] },
      400,
      /^bad request: decisions\[0\]\.target_id: /,
    ],
  ] as const)('%s (CONTRACT 1.12)', async (_, run_id, body, status, error) => {
    const { url } = await serve();
    await (await start(url, ask('hello', { runId: 'done', threadId: 't' }))).text();
    const response = await inputs(url, run_id, body);
    expect(response.status).toBe(status);
    const said = ((await response.json()) as { error: string }).error;
    if (typeof error === 'string') expect(said).toBe(error);
    else expect(said).toMatch(error);
  });
});

describe('decisions for a run (CONTRACT 1.12, 5.4)', () => {
  it('are forwarded; the run goes on in its place, and three times the same is once', async () => {
    const { url } = await serve();
    const target = await waiting(url);
    const forwarded = [202, { status: 'decision_forwarded', run_id: 'r', thread_id: 't' }];
    const answers = await Promise.all([1, 2, 3].map(() => inputs(url, 'r', { decisions: [approve(target)] })));
    for (const answer of answers) expect(await answerOf(answer)).toEqual(forwarded);
    expect(await endOf(url, 'r')).toMatchObject({ status: 'done', termination_code: 'natural' });
    expect(await answerOf(await inputs(url, 'r', { decisions: [approve(target)] }))).toEqual(forwarded);
    const frames = await collectSse(`${url}/v1/runs/r/events`);
    expect(frames.map(eventOf).filter(({ type }) => type === 'tool_call_resumed')).toHaveLength(1);
    const late = await inputs(url, 'r', { decisions: [approve(target, { decision_id: 'd2' })] });
    expect(await answerOf(late)).toEqual([400, { error: 'run is not active' }]);
  });

  it('bring their state along, which is there when the run goes on', async () => {
    const { url } = await serve();
    const target = await waiting(url, { state: { form: { name: 'Ada' } } });
    const state = { form: { eur: 5 } };
    expect((await inputs(url, 'r', { decisions: [approve('nobody')], state: { no: 1 } })).status).toBe(202);
    expect((await inputs(url, 'r', { decisions: [approve(target)], state })).status).toBe(202);
    const types = (await collectSse(`${url}/v1/runs/r/events`)).map((frame) => eventOf(frame).type);
    const resumed = types.indexOf('run_resumed');
    expect(types.slice(resumed, resumed + 3)).toEqual(['run_resumed', 'state_snapshot', 'tool_call_resumed']);
    const thread = (await (await fetch(`${url}/v1/threads/t`)).json()) as { state: unknown };
    expect(thread.state).toEqual({ form: { name: 'Ada', eur: 5 } });
  });

  it('that name nothing pending are accepted and ignored, also by a run that is queued', async () => {
    const { url } = await serve();
    await waiting(url);
    await start(url, ask('next', { runId: 'q', threadId: 't', on_busy: 'enqueue' }), respondAsync);
    for (const run_id of ['r', 'q']) {
      const response = await inputs(url, run_id, { initial_decisions: [approve('nobody')] });
      expect(await answerOf(response)).toEqual([202, { status: 'decision_forwarded', run_id, thread_id: 't' }]);
    }
    expect(await readRun(url, 'r')).toMatchObject({ status: 'waiting', termination_code: 'input_required' });
    expect(await readRun(url, 'q')).toMatchObject({ status: 'waiting', termination_code: 'queued' });
  });

  it('without ids act once under an Idempotency-Key', async () => {
    const { url } = await serve();
    const target = await waiting(url);
    const body = { decisions: [approve(target, { decision_id: null })] };
    expect((await inputs(url, 'r', body, key('k'))).status).toBe(202);
    await endOf(url, 'r');
    expect((await inputs(url, 'r', body, key('k'))).status).toBe(202);
    expect((await inputs(url, 'r', body, key('other'))).status).toBe(400);
    expect((await inputs(url, 'r', body)).status).toBe(400);
  });
});

describe('messages for a run (CONTRACT 1.12)', () => {
  it('begin a run that follows it on its thread', async () => {
    const { url } = await serve();
    await (await start(url, ask('one', { runId: 'r', threadId: 't' }))).text();
    const [status, body] = await answerOf(await inputs(url, 'r', ask('two', { metadata: { a: 1 }, contextId: 't' })));
    expect(status).toBe(202);
    const { run_id, ...rest } = body as { run_id: string };
    expect(rest).toEqual({ status: 'continuation_started', parent_run_id: 'r', thread_id: 't' });
    expect(await endOf(url, run_id)).toMatchObject({
      parent_run_id: 'r',
      thread_id: 't',
      origin: 'user',
      metadata: { a: 1 },
      termination_code: 'natural',
    });
    expect(textOf(await collectSse(`${url}/v1/runs/${run_id}/events`))).toContain('two');
  });

  it.each(['runId', 'run_id', 'taskId', 'task_id'])(
    'may name the new run (%s); a repetition is the same run',
    async (alias) => {
      const { url } = await serve();
      await (await start(url, ask('one', { runId: 'r', threadId: 't' }))).text();
      const expected = [202, { status: 'continuation_started', parent_run_id: 'r', thread_id: 't', run_id: 'mine' }];
      const body = ask('two', { [alias]: 'mine' });
      const answers = await Promise.all([1, 2, 3].map(() => inputs(url, 'r', body)));
      for (const answer of answers) expect(await answerOf(answer)).toEqual(expected);
      await endOf(url, 'mine');
      expect(await answerOf(await inputs(url, 'r', body))).toEqual(expected);
      expect(await answerOf(await inputs(url, 'r', ask('three', { [alias]: 'mine' })))).toEqual([
        409,
        { error: 'run already exists: mine' },
      ]);
      expect((await inputs(url, 'r', ask('two', { [alias]: 'r' }))).status).toBe(409);
    },
  );

  it('wait for their turn on a busy thread, unless the client or the agent says otherwise', async () => {
    const { url, gate } = await serve();
    const gated = (content: string, more: object = {}) => ask(content, { agentId: 'gated', ...more });
    await start(url, gated('one', { runId: 'r', threadId: 't' }), respondAsync);
    expect((await inputs(url, 'r', gated('two', { runId: 'q' }))).status).toBe(202);
    expect(await readRun(url, 'q')).toMatchObject({ status: 'waiting', termination_code: 'queued' });
    expect(await answerOf(await inputs(url, 'r', gated('three', { onBusy: 'reject' })))).toEqual([
      409,
      { error: 'thread is busy: r' },
    ]);
    expect((await inputs(url, 'r', gated('four', { on_busy: 'interrupt', runId: 'i' }))).status).toBe(202);
    expect(await endOf(url, 'r')).toMatchObject({ termination_code: 'superseded', termination_detail: 'i' });
    gate.release();
    for (const run_id of ['q', 'i']) expect(await endOf(url, run_id)).toMatchObject({ termination_code: 'natural' });
  });

  it('wait behind a run that waits for a person', async () => {
    const { url } = await serve();
    const target = await waiting(url);
    expect((await inputs(url, 'r', ask('two', { runId: 'q' }))).status).toBe(202);
    expect(await readRun(url, 'q')).toMatchObject({ status: 'waiting', termination_code: 'queued' });
    await inputs(url, 'r', { decisions: [approve(target)] });
    expect(await endOf(url, 'q')).toMatchObject({ termination_code: 'natural' });
    expect(await readRun(url, 'r')).toMatchObject({ termination_code: 'natural' });
  });

  it('come together with decisions: the run goes on, they follow it', async () => {
    const { url } = await serve();
    const target = await waiting(url);
    const body = ask('and then', { runId: 'q', decisions: [approve(target)] });
    const expected = [202, { status: 'continuation_started', parent_run_id: 'r', thread_id: 't', run_id: 'q' }];
    expect(await answerOf(await inputs(url, 'r', body))).toEqual(expected);
    expect(await answerOf(await inputs(url, 'r', body))).toEqual(expected);
    expect(await endOf(url, 'q')).toMatchObject({ parent_run_id: 'r', termination_code: 'natural' });
    expect(await readRun(url, 'r')).toMatchObject({ termination_code: 'natural' });
  });

  it('come with decisions and no id of their own', async () => {
    const { url } = await serve();
    const target = await waiting(url);
    const [status, body] = await answerOf(await inputs(url, 'r', ask('and then', { decisions: [approve(target)] })));
    expect([status, body]).toMatchObject([202, { status: 'continuation_started', parent_run_id: 'r' }]);
    const { run_id } = body as { run_id: string };
    expect(run_id).not.toBe('r');
    expect(await endOf(url, run_id)).toMatchObject({ parent_run_id: 'r', termination_code: 'natural' });
  });

  it('that the thread knows already are no news: the decisions with them are forwarded', async () => {
    const { url } = await serve();
    const target = await waiting(url, { messages: [{ ...user('[[approval]]'), id: 'm1' }] });
    const body = {
      agentId: 'assistant',
      messages: [{ ...user('[[approval]]'), id: 'm1' }],
      decisions: [approve(target)],
    };
    for (let i = 0; i < 2; i++)
      expect(await answerOf(await inputs(url, 'r', body))).toEqual([
        202,
        { status: 'decision_forwarded', run_id: 'r', thread_id: 't' },
      ]);
    expect(await endOf(url, 'r')).toMatchObject({ termination_code: 'natural' });
  });
});

describe('an Idempotency-Key (CONTRACT 1.10)', () => {
  it('makes starts without a run id one run, at the same instant and later', async () => {
    const { url } = await serve();
    const responses = await Promise.all(Array.from({ length: 10 }, () => start(url, ask('once'), key('k'))));
    const streams = await Promise.all(responses.map((response) => collectSse(response)));
    const ids = new Set(responses.map((response) => response.headers.get('x-run-id')));
    expect(ids.size).toBe(1);
    for (const frames of streams) expect(frames).toEqual(streams[0]);
    const [run_id] = [...ids];
    const later = await start(url, ask('once'), key('k'));
    expect(later.headers.get('x-run-id')).toBe(run_id);
    expect(await collectSse(later)).toEqual(streams[0]);
    expect(await answerOf(await start(url, ask('twice'), key('k')))).toEqual([
      409,
      { error: `run already exists: ${run_id}` },
    ]);
    expect((await start(url, ask('once'), key('other'))).headers.get('x-run-id')).not.toBe(run_id);
  });

  it('does not stand in the way of a run id', async () => {
    const { url } = await serve();
    const response = await start(url, ask('hello', { runId: 'mine' }), key('k'));
    expect(response.headers.get('x-run-id')).toBe('mine');
    expect((await start(url, ask('hello', { runId: 'other' }), key('k'))).headers.get('x-run-id')).toBe('other');
  });

  it('makes continuations one run', async () => {
    const { url } = await serve();
    await (await start(url, ask('one', { runId: 'r', threadId: 't' }))).text();
    const answers = await Promise.all([1, 2, 3].map(() => inputs(url, 'r', ask('two'), key('k'))));
    const bodies = await Promise.all(answers.map(answerOf));
    expect(bodies[0]).toMatchObject([202, { status: 'continuation_started' }]);
    for (const body of bodies) expect(body).toEqual(bodies[0]);
    expect((await inputs(url, 'r', ask('three'), key('k'))).status).toBe(409);
    expect((await start(url, ask('two', { threadId: 't', parentRunId: 'r' }), key('k'))).status).toBe(409);
  });

  it('is the caller’s own', async () => {
    const { url } = await serve({ tokens: 'ada\nbob' });
    const as = (token: string) => ({ ...key('k'), authorization: `Bearer ${token}` });
    const [ada, bob, again] = [
      await start(url, ask('hello'), as('ada')),
      await start(url, ask('hello'), as('bob')),
      await start(url, ask('hello'), as('ada')),
    ].map((response) => [response.status, response.headers.get('x-run-id')]);
    expect(again).toEqual(ada);
    expect(bob![0]).toBe(200);
    expect(bob![1]).not.toBe(ada![1]);
  });

  it.each([
    ['is empty', ''],
    ['is too long', 'k'.repeat(257)],
    ['has a space in it', 'a b'],
    ['has an accent', 'é'],
  ])('that %s is refused', async (_, value) => {
    const { url } = await serve();
    await (await start(url, ask('one', { runId: 'r' }))).text();
    const error = { error: 'bad request: Idempotency-Key: expected 1 to 256 visible characters' };
    expect(await answerOf(await start(url, ask('hello'), key(value)))).toEqual([400, error]);
    expect(await answerOf(await inputs(url, 'r', ask('hello'), key(value)))).toEqual([400, error]);
  });

  it('may be 256 characters long', async () => {
    const { url } = await serve();
    expect((await start(url, ask('hello'), key('~'.repeat(256)))).status).toBe(200);
  });
});

describe('across a restart (CONTRACT 1.10)', () => {
  it('repetitions meet what they have started and decided', async () => {
    const data = await tempDir();
    const first = await serve({ data });
    const named = await collectSse(await start(first.url, ask('named', { runId: 'n' })));
    const keyed = await start(first.url, ask('keyed'), key('k'));
    const run_id = keyed.headers.get('x-run-id')!;
    const frames = await collectSse(keyed);
    const target = await waiting(first.url);
    const continuation = await answerOf(await inputs(first.url, 'r', ask('two'), key('c')));
    await first.server.close();

    const { url } = await serve({ data });
    expect(await collectSse(await start(url, ask('named', { runId: 'n' })))).toEqual(named);
    expect((await start(url, ask('else', { runId: 'n' }))).status).toBe(409);
    const again = await start(url, ask('keyed'), key('k'));
    expect(again.headers.get('x-run-id')).toBe(run_id);
    expect(await collectSse(again)).toEqual(frames);
    expect((await start(url, ask('else'), key('k'))).status).toBe(409);
    expect(await answerOf(await inputs(url, 'r', ask('two'), key('c')))).toEqual(continuation);
    expect((await inputs(url, 'r', { decisions: [approve(target)] })).status).toBe(202);
    expect(await endOf(url, 'r')).toMatchObject({ termination_code: 'natural' });
    expect((await inputs(url, 'r', { decisions: [approve(target)] })).status).toBe(202);
  });
});

describe('decisions in a start (CONTRACT 1.11)', () => {
  it('resume the run that waits; the answer is its continuation, also when they are sent again', async () => {
    const { url } = await serve();
    const target = await waiting(url);
    const body = { agentId: 'assistant', threadId: 't', decisions: [approve(target)] };
    const response = await start(url, body);
    expect(response.headers.get('x-run-id')).toBe('r');
    const frames = await collectSse(response);
    expect(eventOf(frames[0]!).type).toBe('run_resumed');
    expect(eventOf(frames.at(-1)!).type).toBe('run_finish');

    const again = await start(url, body);
    expect(again.headers.get('x-run-id')).toBe('r');
    expect(await collectSse(again)).toEqual(frames);
    const from = { 'last-event-id': frames[2]!.id! };
    expect(await collectSse(await start(url, body, from))).toEqual(frames.slice(3));
    const outcome = await (await start(url, body, { accept: 'application/json' })).json();
    expect(outcome).toMatchObject({ run_id: 'r', status: 'done', termination_code: 'natural' });
  });

  it('without ids, sent again under an Idempotency-Key', async () => {
    const { url } = await serve();
    const target = await waiting(url);
    const body = { agentId: 'assistant', threadId: 't', decisions: [approve(target, { decision_id: undefined })] };
    const first = await collectSse(await start(url, body, key('k')));
    const again = await start(url, body, key('k'));
    expect(again.headers.get('x-run-id')).toBe('r');
    expect(await collectSse(again)).toEqual(first);
  });

  it('that come too late do not end the run that somebody else has answered', async () => {
    const { url, gate } = await serve();
    await start(url, ask('one', { agentId: 'gated', runId: 'r', threadId: 't' }), respondAsync);
    const late = { agentId: 'gated', threadId: 't', decisions: [approve('answered long ago')] };
    expect(await answerOf(await start(url, late))).toEqual([409, { error: 'thread is busy: r' }]);
    gate.release();
    expect(await endOf(url, 'r')).toMatchObject({ termination_code: 'natural' });
    const idle = await start(url, { ...late, agentId: 'assistant' });
    expect(eventOf((await collectSse(idle)).at(-1)!)).toMatchObject({ type: 'run_finish' });
  });
});

describe('what the agent’s definition says', () => {
  const leave = async (response: Response): Promise<string> => {
    for await (const _ of readSse(response)) break;
    return response.headers.get('x-run-id')!;
  };

  it('holds for a client that goes away, unless the client said otherwise (CONTRACT 1.8)', async () => {
    const { url, server, gate } = await serve();
    const ended = await leave(await start(url, ask('one', { agentId: 'leaves' })));
    expect(await endOf(url, ended)).toMatchObject({
      termination_code: 'cancelled',
      termination_detail: 'client disconnected',
    });
    const stays = await leave(await start(url, ask('one', { agentId: 'leaves', on_disconnect: 'continue' })));
    const other = await leave(await start(url, ask('one', { agentId: 'gated' })));
    await expect.poll(() => server.streams).toBe(0);
    gate.release();
    for (const run_id of [stays, other])
      expect(await endOf(url, run_id)).toMatchObject({ termination_code: 'natural' });
  });

  it('holds for a busy thread, unless the client said otherwise (CONTRACT 1.9)', async () => {
    const { url, gate } = await serve();
    const on = (content: string, more: object) => ask(content, { agentId: 'patient', threadId: 't', ...more });
    await start(url, on('one', { runId: 'a' }), respondAsync);
    await start(url, on('two', { runId: 'b' }), respondAsync);
    expect(await readRun(url, 'b')).toMatchObject({ status: 'waiting', termination_code: 'queued' });
    await start(url, on('three', { runId: 'c', on_busy: 'interrupt' }), respondAsync);
    expect(await endOf(url, 'a')).toMatchObject({ termination_code: 'superseded', termination_detail: 'c' });
    gate.release();
    for (const run_id of ['b', 'c']) expect(await endOf(url, run_id)).toMatchObject({ termination_code: 'natural' });
  });
});
