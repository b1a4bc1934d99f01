/** The interface document's tables of errors, limits and versions, for everything but A2A, against the built executable. */

import { describe, expect, it } from 'vitest';
import { collectSse } from '../support/sse-client.js';
import { fresh, interfaceClient, says, untilEvent, type Json } from './client.js';

const api = interfaceClient();
type List = { items: Json[]; total: number; has_more: boolean };
const chat = '/v1/ai-sdk/agents/assistant/runs';
const agUi = '/v1/ag-ui/agents/assistant/runs';
const user = { id: 'u', role: 'user', content: 'hi' };

const finished = async (): Promise<string> => (await api.run({ agentId: 'assistant', messages: says('hi') })).run_id;

describe('errors', () => {
  it.each<[string, string, string, unknown, string | RegExp]>([
    ['chat SDK: empty id', 'POST', chat, { id: '', messages: [user] }, /id cannot be empty$/],
    [
      'chat SDK: nothing to do',
      'POST',
      chat,
      { id: 'nobody', messages: [] },
      'bad request: request must include user input or suspension decisions',
    ],
    [
      'chat SDK: regenerate without messageId',
      'POST',
      chat,
      { id: 't', messages: [user], trigger: 'regenerate-message' },
      /messageId/,
    ],
    [
      'chat SDK: regenerate with an empty messageId',
      'POST',
      chat,
      { id: 't', messages: [user], trigger: 'regenerate-message', messageId: ' ' },
      /messageId/,
    ],
    ['chat SDK: legacy payload', 'POST', chat, { sessionId: 's', input: 'hi' }, /no longer supported.*id\/messages/],
    [
      'AG-UI: empty threadId',
      'POST',
      agUi,
      { threadId: '', runId: 'r', messages: [user] },
      'bad request: threadId cannot be empty',
    ],
    ['AG-UI: empty runId', 'POST', agUi, { threadId: 't', runId: '', messages: [user] }, /runId cannot be empty/],
    ['runs: empty agentId', 'POST', '/v1/runs', { agentId: '', messages: says('hi') }, /^bad request: agentId/],
    ['runs: no agentId', 'POST', '/v1/runs', { messages: says('hi') }, /^bad request: agentId/],
  ])('400: %s', async (_, method, path, body, message) => {
    const answer = await api.call<{ error: string }>(method, path, body);
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.body)).toEqual(['error']);
    expect(answer.body.error).toEqual(typeof message === 'string' ? message : expect.stringMatching(message));
  });

  it.each([
    [{}, 'bad request: messages and decisions cannot both be empty'],
    [{ messages: [], decisions: [] }, 'bad request: messages and decisions cannot both be empty'],
    [{ messages: says('hi') }, expect.stringMatching(/^bad request: agentId/)],
  ])('400: /inputs with %j', async (body, error) => {
    expect(await api.call('POST', `/v1/runs/${await finished()}/inputs`, body)).toMatchObject({
      status: 400,
      body: { error },
    });
  });

  it('400: cancel of a run that is not active', async () => {
    const answer = await api.call('POST', `/v1/runs/${await finished()}/cancel`);
    expect(answer).toMatchObject({ status: 400, body: { error: 'run is not active' } });
  });

  it.each<[string, string, unknown]>([
    ['POST', '/v1/runs', { agentId: 'nobody', messages: says('hi') }],
    ['POST', '/v1/ag-ui/agents/nobody/runs', { threadId: 't', runId: 'r', messages: [user] }],
    ['POST', '/v1/ai-sdk/agents/nobody/runs', { id: 't', messages: [user] }],
    ['GET', '/v1/ai-sdk/agents/nobody/chats/t/stream', undefined],
    ['GET', '/v1/ai-sdk/agents/nobody/runs/t/stream', undefined],
    ['GET', '/v1/ag-ui/agents/nobody/threads/t/stream', undefined],
  ])('404: unknown agent, %s %s', async (method, path, body) => {
    const answer = await api.call(method, path, body);
    expect(answer).toMatchObject({ status: 404, body: { error: 'agent not found: nobody' } });
  });

  it.each<[string, string, unknown]>([
    ['GET', '/v1/runs/nothing', undefined],
    ['GET', '/v1/runs/nothing/events', undefined],
    ['POST', '/v1/runs/nothing/cancel', undefined],
    ['POST', '/v1/runs/nothing/inputs', { decisions: [{ target_id: 'a', decision_id: 'b', action: 'resume' }] }],
    ['POST', '/v1/runs/nothing/inputs', { agentId: 'assistant', messages: says('hi') }],
  ])('404: unknown run, %s %s', async (method, path, body) => {
    const answer = await api.call(method, path, body);
    expect(answer).toMatchObject({ status: 404, body: { error: 'run not found: nothing' } });
  });

  it.each([
    ['GET', '/v1/threads/nothing'],
    ['GET', '/v1/threads/nothing/messages'],
    ['GET', '/v1/threads/nothing/mailbox'],
    ['POST', '/v1/threads/nothing/interrupt'],
    ['PATCH', '/v1/threads/nothing/metadata'],
  ])('404: unknown thread, %s %s', async (method, path) => {
    const answer = await api.call(method, path, method === 'PATCH' ? {} : undefined);
    expect(answer).toMatchObject({ status: 404, body: { error: 'thread not found: nothing' } });
  });

  it.each([
    ['GET', '/v1/nothing', 404],
    ['GET', '/nothing', 404],
    ['PUT', '/v1/runs', 405],
    ['DELETE', '/v1/threads/t/interrupt', 405],
  ])('%s %s is %i, with an error like any other', async (method, path, status) => {
    const answer = await api.call<Json>(method, path);
    expect(answer).toMatchObject({ status, body: { error: expect.any(String) } });
    if (status === 405) expect(answer.headers.get('allow')).toBeTruthy();
  });

  it('malformed JSON is 400, another media type 415, too much 413', async () => {
    expect(await api.call('POST', '/v1/runs', '{"agentId":')).toMatchObject({ status: 400 });
    expect(await api.call('POST', '/v1/runs', 'a=b', { 'content-type': 'text/plain' })).toMatchObject({ status: 415 });
    const much = { agentId: 'assistant', messages: says('x'.repeat(3_000_000)) };
    expect(await api.call('POST', '/v1/runs', much)).toMatchObject({ status: 413 });
  });
});

describe('limits', () => {
  const lists = (thread: string): string[] => [
    '/v1/runs',
    '/v1/threads',
    '/v1/threads/summaries',
    `/v1/threads/${thread}/mailbox`,
    '/v1/approvals',
    '/v1/agents',
  ];

  it('every list clamps its limit to 1..=200 and takes an offset', async () => {
    const { thread_id } = await api.run({ agentId: 'assistant', messages: says('hi') });
    for (const path of lists(thread_id)) {
      for (const limit of ['0', '-5', '1']) {
        const { status, body } = await api.call<List>('GET', `${path}?limit=${limit}`);
        expect([path, status]).toEqual([path, 200]);
        expect(body.items.length).toBe(Math.min(1, body.total));
      }
      expect((await api.call<List>('GET', `${path}?limit=100000`)).status).toBe(200);
      const beyond = await api.call<List>('GET', `${path}?offset=100000`);
      expect(beyond.body).toMatchObject({ items: [], has_more: false });
    }
  });

  it('gives 50 when no limit is named, at most 200, and the first ones when no offset is', async () => {
    const threadId = fresh('many');
    await api.begin({ agentId: 'slow', threadId, messages: says('go') });
    const start = () =>
      api
        .begin({ agentId: 'assistant', threadId, messages: says('next'), on_busy: 'enqueue' })
        .then(({ run_id }) => run_id);
    for (let i = 0; i < 210; i += 30) await Promise.all(Array.from({ length: 30 }, start));
    for (const path of [`/v1/threads/${threadId}/mailbox`, '/v1/runs']) {
      const query = path === '/v1/runs' ? `thread_id=${threadId}&` : '';
      const first = await api.call<List>('GET', `${path}?${query}`);
      expect(first.body.items).toHaveLength(50);
      expect(first.body).toMatchObject({ total: 211, has_more: true });
      const most = await api.call<List>('GET', `${path}?${query}limit=1000`);
      expect(most.body.items).toHaveLength(200);
      expect(most.body.items.slice(0, 50)).toEqual(first.body.items);
    }
    await api.call('DELETE', `/v1/threads/${threadId}`);
  });
});

describe('versions', () => {
  it('the run stream of the chat SDK says which it is, and ends with [DONE]', async () => {
    const { response, frames } = await api.stream('POST', chat, { id: fresh('chat'), messages: [user] });
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(response.headers.get('x-sdk-ai-ui-message-stream')).toBe('v1');
    expect(response.headers.get('x-service-ai-sdk-version')).toBe('v6');
    expect(frames.at(-1)!.data).toBe('[DONE]');
    const types = frames.slice(0, -1).map(({ data }) => (JSON.parse(data) as { type: string }).type);
    expect(types).toEqual(expect.arrayContaining(['start', 'text-start', 'text-delta', 'text-end', 'finish']));
  });

  it('the AG-UI stream begins with RUN_STARTED and ends with RUN_FINISHED', async () => {
    const { response, frames } = await api.stream('POST', agUi, {
      threadId: fresh('thread'),
      runId: fresh('run'),
      messages: [user],
    });
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const types = frames.map(({ data }) => (JSON.parse(data) as { type: string }).type);
    expect([types[0], types.at(-1)]).toEqual(['RUN_STARTED', 'RUN_FINISHED']);
  });

  it.each(['chats', 'runs'])('a chat is resumed under /%s/, 204 when nothing streams', async (name) => {
    const id = fresh('chat');
    const path = `/v1/ai-sdk/agents/slow/${name}/${id}/stream`;
    expect((await api.call('GET', path)).status).toBe(204);
    const { run_id } = await api.begin({ agentId: 'slow', threadId: id, messages: says('go') });
    await untilEvent(api.url(), run_id, 'step_start');
    const resumed = await fetch(api.url() + path);
    expect(resumed.status).toBe(200);
    await api.call('POST', `/v1/runs/${run_id}/cancel`);
    expect((await collectSse(resumed)).at(-1)!.data).toBe('[DONE]');
    expect((await api.call('GET', path)).status).toBe(204);
  });

  it.each([
    ['/v1/ag-ui/threads/%s/messages', 'messages'],
    ['/v1/ai-sdk/threads/%s/messages', 'messages'],
  ])('%s has the history', async (path, key) => {
    const { thread_id } = await api.run({ agentId: 'assistant', messages: says('hi') });
    const { status, body } = await api.call('GET', path.replace('%s', thread_id));
    expect(status).toBe(200);
    expect(body[key]).toHaveLength(2);
  });

  it.each(['AG-UI', 'chat SDK'])('a decision that names the active run is forwarded: %s', async (surface) => {
    const [threadId, runId] = [fresh('thread'), fresh('run')];
    const isAgUi = surface === 'AG-UI';
    const path = `/v1/${isAgUi ? 'ag-ui' : 'ai-sdk'}/agents/approver/runs`;
    const ask = isAgUi ? { threadId, runId, messages: [user] } : { id: threadId, runId, messages: [user] };
    await api.stream('POST', path, ask);
    const { items } = (await api.call<{ items: Json[] }>('GET', '/v1/approvals?limit=200')).body;
    const call = items.find(({ thread_id }) => thread_id === threadId)! as { run_id: string; tool_call_id: string };
    const decided = isAgUi
      ? {
          threadId,
          runId: call.run_id,
          decisions: [{ target_id: call.tool_call_id, decision_id: 'd', action: 'resume', result: { approved: true } }],
        }
      : {
          id: threadId,
          runId: call.run_id,
          messages: [
            {
              id: 'a',
              role: 'assistant',
              parts: [{ type: 'tool-approval-response', approvalId: call.tool_call_id, approved: true }],
            },
          ],
        };
    const { status, body } = await api.call('POST', path, decided);
    expect({ status, body }).toEqual({
      status: 202,
      body: { status: 'decision_forwarded', threadId, ...(isAgUi ? { runId: call.run_id } : {}) },
    });
  });
});
