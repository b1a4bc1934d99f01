/**
 * The interface document, row by row, for health, threads and canonical runs: resources, states, endpoints. The server is
 * the built executable; nothing but HTTP is used.
 */

import { describe, expect, it } from 'vitest';
import { fresh, interfaceClient, says, untilEvent, type Json } from './client.js';

const api = interfaceClient();
const text = expect.any(String);
const integer = expect.toSatisfy(Number.isSafeInteger);
type List = { items: Json[]; total: number; has_more: boolean };

/** Fields of the table, and those the contract adds. */
const runRecord = {
  run_id: text,
  thread_id: text,
  agent_id: text,
  parent_run_id: null,
  parent_thread_id: null,
  origin: 'user',
  status: 'done',
  termination_code: 'natural',
  termination_detail: null,
  created_at: integer,
  updated_at: integer,
  metadata: null,
  input_tokens: integer,
  output_tokens: integer,
  source_mailbox_entry_id: text,
  resource_id: null,
};

const decision = (target_id: unknown, action: string, result: Json = { approved: action === 'resume' }): Json => ({
  target_id,
  decision_id: fresh('decision'),
  action,
  result,
  updated_at: 1,
});

/** A run that waits for a person, and the call it waits for. */
async function asking(agentId = 'approver'): Promise<{ run_id: string; thread_id: string; call: string }> {
  const { run_id, thread_id, events } = await api.run({ agentId, messages: says('pay') });
  const { pending } = events.at(-1)!.data as { pending: { tool_call_id: string }[] };
  return { run_id, thread_id, call: pending[0]!.tool_call_id };
}

describe('GET /health', () => {
  it('answers 200 while the service runs', async () => {
    const { status, body } = await api.call('GET', '/health');
    expect({ status, body }).toEqual({ status: 200, body: { status: 'ok', version: text, uptime_ms: integer } });
  });
});

describe('RunRecord', () => {
  it('has every field, from GET /v1/runs/:id and in GET /v1/runs', async () => {
    const { run_id, thread_id } = await api.run({ agentId: 'assistant', messages: says('hi') });
    const one = await api.call('GET', `/v1/runs/${run_id}`);
    expect(one).toMatchObject({ status: 200, body: { run_id, thread_id, agent_id: 'assistant' } });
    expect(one.body).toEqual(runRecord);
    const list = await api.call<List>('GET', `/v1/runs?thread_id=${thread_id}`);
    expect(list.body).toEqual({ items: [one.body], total: 1, has_more: false });
  });

  it('shows what a start says of lineage, resource and metadata', async () => {
    const parent = await api.run({ agentId: 'assistant', messages: says('hi') });
    const resourceId = fresh('tenant');
    const { run_id } = await api.run({
      agentId: 'assistant',
      messages: says('hi'),
      parentRunId: parent.run_id,
      parentThreadId: parent.thread_id,
      resourceId,
      metadata: { a: 1 },
    });
    expect((await api.call('GET', `/v1/runs/${run_id}`)).body).toMatchObject({
      parent_run_id: parent.run_id,
      parent_thread_id: parent.thread_id,
      resource_id: resourceId,
      metadata: { a: 1 },
    });
  });

  it('goes through running, waiting and done', async () => {
    const slow = await api.begin({ agentId: 'slow', messages: says('go') });
    await untilEvent(api.url(), slow.run_id, 'step_start');
    expect((await api.call('GET', `/v1/runs/${slow.run_id}`)).body).toMatchObject({
      status: 'running',
      termination_code: null,
    });
    await api.call('POST', `/v1/runs/${slow.run_id}/cancel`);
    const { run_id, call } = await asking();
    expect((await api.call('GET', `/v1/runs/${run_id}`)).body).toMatchObject({
      status: 'waiting',
      termination_code: 'input_required',
    });
    await api.call('POST', `/v1/runs/${run_id}/inputs`, { decisions: [decision(call, 'resume')] });
    await untilEvent(api.url(), run_id, 'run_finish');
    expect((await api.call('GET', `/v1/runs/${run_id}`)).body).toMatchObject({ status: 'done' });
  });
});

describe('POST /v1/runs', () => {
  const names: Record<string, string[]> = {
    agent: ['agentId', 'agent_id'],
    thread: ['threadId', 'thread_id', 'contextId', 'context_id'],
    run: ['runId', 'run_id', 'taskId', 'task_id'],
    parentRun: ['parentRunId', 'parent_run_id'],
    parentThread: ['parentThreadId', 'parent_thread_id', 'parentContextId', 'parent_context_id'],
    resource: ['resourceId', 'resource_id'],
  };
  const aliases = Object.values(names).flatMap((all) => all.map((name) => ({ name, first: all[0]! })));
  it.each(aliases)('takes $name', async ({ name, first }) => {
    const field = {
      agentId: 'agent_id',
      threadId: 'thread_id',
      runId: 'run_id',
      parentRunId: 'parent_run_id',
      parentThreadId: 'parent_thread_id',
      resourceId: 'resource_id',
    }[first]!;
    const value = first === 'agentId' ? 'assistant' : fresh(name);
    const base = first === 'agentId' ? {} : { agentId: 'assistant' };
    const { run_id } = await api.run({ ...base, messages: says('hi'), [name]: value });
    expect((await api.call('GET', `/v1/runs/${run_id}`)).body).toMatchObject({ [field]: value });
  });

  it('streams canonical events, dense, from run_start to run_finish', async () => {
    const { response, events } = await api.run({ agentId: 'assistant', messages: says('hello there') });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i));
    expect([events[0]!.type, events.at(-1)!.type]).toEqual(['run_start', 'run_finish']);
    const words = events
      .filter(({ type }) => type === 'text_delta')
      .map(({ data }) => (data as { delta: string }).delta);
    expect(words.length).toBeGreaterThan(10);
    expect(words.join('')).toContain('hello there');
  });

  it('merges state before the run starts', async () => {
    const threadId = fresh('thread');
    await api.run({ agentId: 'assistant', threadId, messages: says('hi'), state: { a: 1, b: { c: 2 } } });
    const { events } = await api.run({ agentId: 'assistant', threadId, messages: says('hi'), state: { b: { d: 3 } } });
    expect(events[1]).toMatchObject({ type: 'state_snapshot', data: { snapshot: { a: 1, b: { c: 2, d: 3 } } } });
    expect((await api.call('GET', `/v1/threads/${threadId}`)).body.state).toEqual({ a: 1, b: { c: 2, d: 3 } });
  });

  it.each(['initialDecisions', 'initial_decisions', 'decisions'])('takes decisions as %s', async (name) => {
    const { run_id, thread_id, call } = await asking();
    const rest = await api.run({ agentId: 'approver', threadId: thread_id, [name]: [decision(call, 'resume')] });
    expect(rest.run_id).toBe(run_id);
    expect(rest.events.at(-1)!.type).toBe('run_finish');
  });
});

describe('POST /v1/runs/:id/inputs', () => {
  it.each([
    ['resume', 'succeeded'],
    ['cancel', 'denied'],
  ])('forwards a decision to %s', async (action, outcome) => {
    const { run_id, thread_id, call } = await asking();
    const answer = await api.call('POST', `/v1/runs/${run_id}/inputs`, { decisions: [decision(call, action)] });
    expect(answer).toMatchObject({ status: 202, body: { status: 'decision_forwarded', run_id, thread_id } });
    expect((await untilEvent(api.url(), run_id, 'tool_call_done')).data).toMatchObject({ outcome });
  });

  it.each([{}, { decisions: [] }])('starts a continuation with messages (%j)', async (more) => {
    const first = await api.run({ agentId: 'assistant', messages: says('one') });
    const { status, body } = await api.call('POST', `/v1/runs/${first.run_id}/inputs`, {
      agentId: 'assistant',
      messages: says('two'),
      ...more,
    });
    const { run_id, thread_id } = first;
    expect({ status, body }).toEqual({
      status: 202,
      body: { status: 'continuation_started', parent_run_id: run_id, thread_id, run_id: text },
    });
    expect((await api.call('GET', `/v1/runs/${body.run_id as string}`)).body).toMatchObject({ parent_run_id: run_id });
  });
});

describe('POST /v1/runs/:id/cancel', () => {
  it.each(['slow', 'approver'])('takes a run of %s that is active', async (agentId) => {
    const { run_id } = await api.begin({ agentId, messages: says('go') });
    const answer = await api.call('POST', `/v1/runs/${run_id}/cancel`);
    expect(answer).toMatchObject({ status: 202, body: { status: 'cancel_requested', run_id } });
    await untilEvent(api.url(), run_id, 'run_finish');
    expect((await api.call('GET', `/v1/runs/${run_id}`)).body).toMatchObject({
      status: 'done',
      termination_code: 'cancelled',
    });
  });
});

describe('GET /v1/runs', () => {
  it('takes every query parameter of the document', async () => {
    const parent = await api.run({ agentId: 'assistant', messages: says('hi') });
    const child = await api.run({ agentId: 'assistant', messages: says('hi'), parentRunId: parent.run_id });
    const { created_at, updated_at } = (await api.call('GET', `/v1/runs/${child.run_id}`)).body as Record<
      string,
      number
    >;
    const all = new URLSearchParams({
      offset: '0',
      limit: '10',
      thread_id: child.thread_id,
      parent_run_id: parent.run_id,
      status: 'done',
      origin: 'user',
      termination_code: 'natural',
      created_at_from: String(created_at),
      created_at_to: String(created_at),
      updated_at_from: String(updated_at),
      updated_at_to: String(updated_at),
    });
    const ids = async (query: URLSearchParams): Promise<unknown[]> =>
      (await api.call<List>('GET', `/v1/runs?${query.toString()}`)).body.items.map(({ run_id }) => run_id);
    expect(await ids(all)).toEqual([child.run_id]);
    const misses: Record<string, string> = {
      offset: '1',
      thread_id: parent.thread_id,
      parent_run_id: child.run_id,
      status: 'waiting',
      origin: 'a2a',
      termination_code: 'error',
      created_at_from: String(created_at! + 1),
      created_at_to: String(created_at! - 1),
      updated_at_from: String(updated_at! + 1),
      updated_at_to: String(updated_at! - 1),
    };
    for (const [name, value] of Object.entries(misses)) {
      const query = new URLSearchParams(all);
      query.set(name, value);
      expect(await ids(query), name).toEqual([]);
    }
  });

  it.each(['user', 'subagent', 'ag_ui', 'ai_sdk', 'a2a', 'internal'])('knows origin %s', async (origin) => {
    expect((await api.call('GET', `/v1/runs?origin=${origin}`)).status).toBe(200);
  });
});

describe('threads', () => {
  it('are listed, filtered by their parent, and read', async () => {
    const parentThreadId = fresh('parent');
    const { thread_id } = await api.run({ agentId: 'assistant', messages: says('hi'), parentThreadId });
    const list = await api.call<List>('GET', `/v1/threads?offset=0&limit=5&parent_thread_id=${parentThreadId}`);
    expect(list).toMatchObject({ status: 200, body: { total: 1, items: [{ id: thread_id }] } });
    const summaries = await api.call<List>('GET', `/v1/threads/summaries?parent_thread_id=${parentThreadId}`);
    expect(summaries.body.items).toMatchObject([{ id: thread_id, message_count: 2 }]);
    expect((await api.call('GET', `/v1/threads/${thread_id}`)).body).toMatchObject({ id: thread_id, status: 'idle' });
  });

  it('give their messages by cursor, order, visibility and run', async () => {
    const { thread_id, run_id } = await api.run({ agentId: 'assistant', messages: says('one') });
    await api.run({ agentId: 'assistant', threadId: thread_id, messages: says('two') });
    const read = async (query: string): Promise<Json[]> =>
      (await api.call<{ messages: Json[] }>('GET', `/v1/threads/${thread_id}/messages?${query}`)).body.messages;
    const all = await read('order=asc&visibility=all');
    expect(all.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(await read('order=desc')).toEqual([...all].reverse());
    expect(await read(`after=${all[1]!.cursor as number}`)).toEqual(all.slice(2));
    expect(await read('limit=1')).toEqual(all.slice(0, 1));
    expect(await read(`run_id=${run_id}`)).toEqual(all.slice(0, 2));
  });

  it('take a patch of their metadata, and are deleted', async () => {
    const { thread_id, run_id } = await api.run({ agentId: 'assistant', messages: says('hi') });
    const patched = await api.call('PATCH', `/v1/threads/${thread_id}/metadata`, { title: 'T', tags: ['a'] });
    expect(patched).toMatchObject({ status: 200, body: { title: 'T', tags: ['a'] } });
    expect((await api.call('DELETE', `/v1/threads/${thread_id}`)).status).toBe(204);
    for (const path of [`/v1/threads/${thread_id}`, `/v1/threads/${thread_id}/messages`, `/v1/runs/${run_id}`])
      expect((await api.call('GET', path)).status).toBe(404);
  });
});

describe('interrupt and mailbox', () => {
  it('cancels the active run, supersedes what is queued, and reports both', async () => {
    const active = await api.begin({ agentId: 'slow', messages: says('go') });
    const { thread_id } = active;
    const queue = (content: string): Promise<Json & { run_id: string }> =>
      api.begin({ agentId: 'assistant', threadId: thread_id, messages: says(content), on_busy: 'enqueue' });
    const queued = [await queue('one'), await queue('two')];
    const mailbox = async (query: string): Promise<List> =>
      (await api.call<List>('GET', `/v1/threads/${thread_id}/mailbox?${query}`)).body;
    const waiting = await mailbox('status=queued&origin=external&offset=0');
    expect(waiting.items.map(({ run_id }) => run_id)).toEqual(queued.map(({ run_id }) => run_id));

    const { status, body } = await api.call('POST', `/v1/threads/${thread_id}/interrupt`);
    expect({ status, body }).toEqual({
      status: 202,
      body: {
        status: 'interrupt_requested',
        thread_id,
        generation: 1,
        cancelled_run_id: active.run_id,
        superseded_pending_count: 2,
        superseded_pending_entry_ids: waiting.items.map(({ entry_id }) => entry_id),
      },
    });
    expect((await mailbox('status=superseded')).items.map(({ run_id }) => run_id).sort()).toEqual(
      queued.map(({ run_id }) => run_id).sort(),
    );
    expect((await mailbox('status=accepted')).items).toMatchObject([{ run_id: active.run_id, origin: 'external' }]);
  });

  it.each(['queued', 'claimed', 'accepted', 'superseded', 'cancelled', 'dead_letter'])(
    'knows status %s',
    async (status) => {
      const { thread_id } = await api.run({ agentId: 'assistant', messages: says('hi') });
      const answer = await api.call<List>('GET', `/v1/threads/${thread_id}/mailbox?status=${status}`);
      expect(answer).toMatchObject({ status: 200, body: { total: status === 'accepted' ? 1 : 0 } });
    },
  );

  it.each([
    'origin=external',
    'origin=internal',
    'origin=none',
    'visibility=internal',
    'visibility=none',
    'visibility=all',
  ])('knows %s', async (query) => {
    const { thread_id } = await api.run({ agentId: 'assistant', messages: says('hi') });
    expect((await api.call('GET', `/v1/threads/${thread_id}/mailbox?${query}`)).status).toBe(200);
  });
});

describe('a tool call that reports progress', () => {
  it('carries the envelope of the document on AG-UI, and its data on the chat SDK', async () => {
    const { run_id } = await api.run({ agentId: 'worker', messages: says('work') });
    const content = {
      type: 'tool-call-progress',
      schema: 'tool-call-progress.v1',
      node_id: expect.stringMatching(/^tool_call:/),
      status: 'running',
      progress: expect.toSatisfy((p: number) => p >= 0 && p <= 1),
      message: text,
    };
    const agUi = await api.stream('GET', `/v1/runs/${run_id}/events?format=ag-ui`);
    const snapshot = agUi.frames
      .map(({ data }) => JSON.parse(data) as Json)
      .find(({ type }) => type === 'ACTIVITY_SNAPSHOT');
    expect(snapshot).toMatchObject({
      messageId: expect.stringMatching(/^tool_call:/),
      activityType: 'tool-call-progress',
      replace: true,
      content,
    });
    const aiSdk = await api.stream('GET', `/v1/runs/${run_id}/events?format=ai-sdk`);
    const part = aiSdk.frames
      .filter(({ data }) => data !== '[DONE]')
      .map(({ data }) => JSON.parse(data) as Json)
      .find(({ type }) => type === 'data-activity-snapshot');
    expect(part).toMatchObject({ data: { activityType: 'tool-call-progress', content } });
  });
});
