/** The routes of the chat SDK surface, byte for byte: refusals, headers, forwarding, resuming, pages of history. */

import type { UIMessageChunk } from 'ai';
import { describe, expect, it } from 'vitest';
import { openStreams, post } from '../support/http-server.js';
import { collectSse, readSse, type SseFrame } from '../support/sse-client.js';
import { openServer } from './server.js';

const user = (text: string, id?: string) => ({ ...(id ? { id } : {}), role: 'user', parts: [{ type: 'text', text }] });
const answer = (approvalId: string, approved = true) => ({
  role: 'assistant',
  parts: [{ type: 'tool-approval-response', approvalId, approved }],
});
const runs = (url: string, agent = 'clerk'): string => `${url}/v1/ai-sdk/agents/${agent}/runs`;
const say = (url: string, text: string, more: object = {}, agent?: string): Promise<Response> =>
  post(runs(url, agent), { id: 'chat', messages: [user(text)], ...more });

const chunksOf = (frames: SseFrame[]): UIMessageChunk[] =>
  frames.filter(({ data }) => data !== '[DONE]').map(({ data }) => JSON.parse(data) as UIMessageChunk);
const typesOf = (frames: SseFrame[]): string[] => chunksOf(frames).map(({ type }) => type);
const errorOf = async (response: Response): Promise<[number, unknown]> => [response.status, await response.json()];
const record = async (url: string, run_id: string): Promise<Record<string, unknown>> =>
  (await (await fetch(`${url}/v1/runs/${run_id}`)).json()) as Record<string, unknown>;

describe('refusals', () => {
  it.each([
    ['an empty id', { id: '', messages: [user('hi')] }, 'id cannot be empty'],
    ['a blank id', { id: '  ', messages: [user('hi')] }, 'id cannot be empty'],
    ['no id', { messages: [user('hi')] }, 'id cannot be empty'],
    ['an empty id before anything else', { id: '', messages: 'x', trigger: 'x' }, 'id cannot be empty'],
    [
      'no messages at all',
      { id: 'c', messages: [] },
      'bad request: request must include user input or suspension decisions',
    ],
    [
      'an assistant message that decides nothing',
      { id: 'c', messages: [{ role: 'assistant', content: 'hi' }] },
      'bad request: request must include user input or suspension decisions',
    ],
    [
      'user input of nothing',
      { id: 'c', messages: [user(' \n')] },
      'bad request: request must include user input or suspension decisions',
    ],
    [
      'decisions on a thread without messages',
      { id: 'new', messages: [answer('x')] },
      'bad request: request must include user input or suspension decisions',
    ],
    [
      'a regeneration of nothing',
      { id: 'c', messages: [user('hi')], trigger: 'regenerate-message' },
      'bad request: messageId is required when trigger is regenerate-message',
    ],
    [
      'a regeneration of an empty id',
      { id: 'c', messages: [], trigger: 'regenerate-message', messageId: ' ' },
      'bad request: messageId cannot be empty',
    ],
    [
      'a regeneration of an unknown message',
      { id: 'c', messages: [user('hi')], trigger: 'regenerate-message', messageId: 'x' },
      'bad request: messageId does not reference a stored message',
    ],
    [
      'the older shape',
      { sessionId: 's', input: 'hi' },
      'bad request: the legacy shape sessionId/input is no longer supported; use id/messages',
    ],
    [
      'the older shape with an id',
      { id: 'c', input: 'hi' },
      'bad request: the legacy shape sessionId/input is no longer supported; use id/messages',
    ],
    ['no messages', { id: 'c' }, 'bad request: messages: Invalid input: expected array, received undefined'],
    [
      'a trigger nobody knows',
      { id: 'c', messages: [], trigger: 'x' },
      expect.stringMatching(/^bad request: trigger: /),
    ],
    [
      'a role nobody knows',
      { id: 'c', messages: [{ role: 'x', content: '' }] },
      expect.stringMatching(/^bad request: messages\[0\]\.role: /),
    ],
    [
      'an id with a control character',
      { id: 'a\u0007b', messages: [user('hi')] },
      expect.stringMatching(/^bad request: id: /),
    ],
    [
      'a picture',
      {
        id: 'c',
        messages: [
          { role: 'user', parts: [{ type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AA==' }] },
        ],
      },
      'bad request: messages[0].parts[0]: files of type image/png are not supported; send text files or links',
    ],
    ['a list', [], 'bad request: body: expected an object'],
  ])('%s is 400', async (_, body, error) => {
    const { url } = await openServer();
    expect(await errorOf(await post(runs(url), body))).toEqual([400, { error }]);
  });

  it('an agent that does not exist is 404, on every route', async () => {
    const { url } = await openServer();
    const missing = [404, { error: 'agent not found: nobody' }];
    expect(await errorOf(await say(url, 'hi', {}, 'nobody'))).toEqual(missing);
    for (const kind of ['chats', 'runs']) {
      expect(await errorOf(await fetch(`${url}/v1/ai-sdk/agents/nobody/${kind}/chat/stream`))).toEqual(missing);
    }
  });

  it('a thread that does not exist has no history: 404', async () => {
    const { url } = await openServer();
    expect(await errorOf(await fetch(`${url}/v1/ai-sdk/threads/none/messages`))).toEqual([
      404,
      { error: 'thread not found: none' },
    ]);
  });

  it('other methods are 405, other paths 404', async () => {
    const { url } = await openServer();
    const wrong = await fetch(runs(url));
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, expect.stringContaining('POST')]);
    expect((await fetch(`${url}/v1/ai-sdk/agents/clerk`)).status).toBe(404);
  });

  it.each(['x', '1.', '-1', '1.2.3'])('Last-Event-ID %s is 400', async (id) => {
    const { url } = await openServer();
    const response = await fetch(`${url}/v1/ai-sdk/agents/clerk/chats/chat/stream`, {
      headers: { 'last-event-id': id },
    });
    expect(await errorOf(response)).toEqual([400, { error: 'bad request: Last-Event-ID: expected the id of a frame' }]);
  });
});

describe('the stream of a run', () => {
  it('has the headers of the interface and of the library, and the trailer', async () => {
    const { url } = await openServer();
    const response = await say(url, 'hi');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'x-sdk-ai-ui-message-stream': 'v1',
      'x-service-ai-sdk-version': 'v6',
      'x-vercel-ai-ui-message-stream': 'v1',
      'x-thread-id': 'chat',
    });
    const run_id = response.headers.get('x-run-id')!;
    const frames = await collectSse(response);
    expect(frames.at(-1)).toEqual({ id: null, data: '[DONE]' });
    expect(typesOf(frames)).toEqual([
      'start',
      'start-step',
      'text-start',
      'text-delta',
      'text-end',
      'finish-step',
      'finish',
    ]);
    expect(chunksOf(frames)[0]).toMatchObject({ messageMetadata: { runId: run_id, threadId: 'chat' } });
    expect(chunksOf(frames).at(-1)).toEqual({ type: 'finish', finishReason: 'stop' });
    expect(await record(url, run_id)).toMatchObject({ origin: 'ai_sdk', agent_id: 'clerk', status: 'done' });
  });

  it('has an id on every frame, and no two alike', async () => {
    const { url } = await openServer();
    const ids = (await collectSse(await say(url, 'pay'))).slice(0, -1).map(({ id }) => id);
    expect(ids).not.toContain(null);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('ends at an approval as the protocol wants it', async () => {
    const { url } = await openServer();
    const chunks = chunksOf(await collectSse(await say(url, 'pay')));
    expect(chunks.slice(-4)).toMatchObject([
      { type: 'tool-input-available', toolName: 'pay', input: { topic: 't' } },
      { type: 'tool-approval-request', approvalId: 'pay_1_0', toolCallId: 'pay_1_0' },
      { type: 'finish-step' },
      { type: 'finish', finishReason: 'tool-calls' },
    ]);
  });

  it('takes messages as the interface document writes them', async () => {
    const { url } = await openServer();
    const frames = await collectSse(
      await post(runs(url), { id: 'chat', messages: [{ role: 'user', content: 'plain' }] }),
    );
    expect(chunksOf(frames)).toContainEqual(expect.objectContaining({ type: 'text-delta', delta: 'you said plain' }));
  });

  it('belongs to the thread that is named as its parent', async () => {
    const { url } = await openServer();
    const response = await say(url, 'hi', { parentThreadId: 'p' });
    expect(await record(url, response.headers.get('x-run-id')!)).toMatchObject({ parent_thread_id: 'p' });
    await response.text();
  });

  it('has the run id that the client gave, and is that run again for the same request', async () => {
    const { url, prompts } = await openServer();
    const first = await say(url, 'hi', { runId: 'mine' });
    expect(first.headers.get('x-run-id')).toBe('mine');
    const text = await first.text();
    expect(await (await say(url, 'hi', { runId: 'mine' })).text()).toBe(text);
    expect(prompts).toHaveLength(1);
    // An application that sends the id of an older run with everything it sends.
    const other = await say(url, 'more', { runId: 'mine' });
    expect(other.headers.get('x-run-id')).not.toBe('mine');
    expect(await other.text()).toContain('you said more');
  });

  it('is that of the first request under an Idempotency-Key (CONTRACT 1.10)', async () => {
    const { url, prompts } = await openServer();
    const send = (text: string): Promise<Response> =>
      post(runs(url), { id: 'chat', messages: [user(text, 'u1')] }, { 'idempotency-key': 'k' });
    const [first, second] = await Promise.all([send('hi'), send('hi')]);
    expect(await second.text()).toBe(await first.text());
    expect(await (await send('hi')).text()).toContain('you said hi');
    expect(prompts).toHaveLength(1);
    const run_id = first.headers.get('x-run-id');
    expect(await errorOf(await send('ho'))).toEqual([409, { error: `run already exists: ${run_id}` }]);
    expect(prompts).toHaveLength(1);
  });

  it.each([{ body: { runId: 'mine' } }, { headers: { 'idempotency-key': 'k' } }])(
    'is that of the same regeneration, which has cut its message away (%j)',
    async ({ body = {}, headers = {} }) => {
      const { url, prompts } = await openServer();
      const messageId = chunksOf(await collectSse(await say(url, 'hi')))[0] as { messageId: string };
      const again = { id: 'chat', messages: [user('hi')], trigger: 'regenerate-message', ...messageId, ...body };
      const [first, second] = await Promise.all([post(runs(url), again, headers), post(runs(url), again, headers)]);
      const text = await first.text();
      expect(text).toContain('you said hi');
      expect(await second.text()).toBe(text);
      expect(await (await post(runs(url), again, headers)).text()).toBe(text);
      expect(prompts).toHaveLength(2);
    },
  );

  it('is that of the run under way when its message is sent again', async () => {
    const { url, gate, prompts } = await openServer();
    const body = { messages: [user('go', 'u1')] };
    const first = say(url, '', body, 'gated');
    const started = (await first).headers.get('x-run-id');
    const second = await say(url, '', body, 'gated');
    expect(second.headers.get('x-run-id')).toBe(started);
    gate.open();
    expect(await second.text()).toBe(await (await first).text());
    expect(prompts).toHaveLength(1);
  });

  it('asks again for a message that was answered, and does not store it twice', async () => {
    const { url, prompts } = await openServer();
    const body = { messages: [user('go', 'u1')] };
    for (const _ of [1, 2]) await (await say(url, '', body)).text();
    expect(prompts).toHaveLength(2);
    const history = await (await fetch(`${url}/v1/ai-sdk/threads/chat/messages`)).json();
    expect(history).toMatchObject({ messages: [{ id: 'u1' }, { role: 'assistant' }] });
  });

  it('of a busy thread may be refused or wait, if the client says so', async () => {
    const { url, gate } = await openServer();
    const first = await say(url, 'one', {}, 'gated');
    const refused = await say(url, 'two', { onBusy: 'reject' });
    expect(await errorOf(refused)).toEqual([409, { error: `thread is busy: ${first.headers.get('x-run-id')}` }]);
    const queued = await say(url, 'three', { on_busy: 'enqueue' });
    gate.open();
    expect(await first.text()).toContain('[DONE]');
    expect(await queued.text()).toContain('you said three');
  });
});

describe('decisions', () => {
  it('that name the active run are forwarded: 202', async () => {
    const { url, ran } = await openServer();
    await (await say(url, 'pay', { runId: 'r' })).text();
    const response = await post(runs(url), { id: 'chat', runId: 'r', messages: [answer('pay_1_0')] });
    expect(await errorOf(response)).toEqual([202, { status: 'decision_forwarded', threadId: 'chat' }]);
    await expect.poll(() => record(url, 'r')).toMatchObject({ status: 'done' });
    expect(ran.get('pay')).toBe(1);
  });

  it('that name the active run and match nothing are forwarded and change nothing', async () => {
    const { url } = await openServer();
    await (await say(url, 'pay', { runId: 'r' })).text();
    expect((await post(runs(url), { id: 'chat', runId: 'r', messages: [answer('nothing')] })).status).toBe(202);
    expect(await record(url, 'r')).toMatchObject({ status: 'waiting' });
  });

  it('that name no run are answered with what follows, and nothing else', async () => {
    const { url } = await openServer();
    const first = chunksOf(await collectSse(await say(url, 'pay')));
    const frames = await collectSse(await post(runs(url), { id: 'chat', messages: [answer('pay_1_0')] }));
    expect(typesOf(frames)).toEqual([
      'start',
      'tool-output-available',
      'start-step',
      'text-start',
      'text-delta',
      'text-end',
      'finish-step',
      'finish',
    ]);
    expect(chunksOf(frames)[0]).toEqual(first[0]);
    expect(frames.at(-1)!.data).toBe('[DONE]');
  });

  it('under an Idempotency-Key are one decision, also when their run is over (CONTRACT 1.10)', async () => {
    const { url, prompts } = await openServer();
    await (await say(url, 'pay')).text();
    const decide = (): Promise<Response> =>
      post(runs(url), { id: 'chat', messages: [answer('pay_1_0')] }, { 'idempotency-key': 'k' });
    const first = await (await decide()).text();
    expect(first).toContain('tool-output-available');
    expect(await (await decide()).text()).toBe(first);
    expect(prompts).toHaveLength(2);
  });

  it('may name the suspension instead of the call', async () => {
    const { url, ran } = await openServer();
    await (await say(url, 'pay')).text();
    await (await post(runs(url), { id: 'chat', messages: [answer('fc_pay_1_0')] })).text();
    expect(ran.get('pay')).toBe(1);
  });

  it('are taken from a run that was started on another surface', async () => {
    const { url, ran } = await openServer();
    const body = { agentId: 'clerk', threadId: 'chat', runId: 'r', messages: [{ role: 'user', content: 'pay' }] };
    await (await post(`${url}/v1/runs`, body)).text();
    const response = await post(runs(url), { id: 'chat', runId: 'r', messages: [answer('pay_1_0')] });
    expect([response.status, response.headers.get('x-run-id')]).toEqual([200, 'r']);
    await response.text();
    expect(ran.get('pay')).toBe(1);
  });

  it('that nothing waits for, on an idle thread, begin a run on what the thread has', async () => {
    const { url } = await openServer();
    const first = await say(url, 'hi');
    await first.text();
    const response = await post(runs(url), { id: 'chat', messages: [answer('nothing')] });
    expect(response.headers.get('x-run-id')).not.toBe(first.headers.get('x-run-id'));
    expect(await response.text()).toContain('you said hi');
  });

  it('that nothing waits for do not end a run that waits for something', async () => {
    const { url } = await openServer();
    const first = await say(url, 'pay');
    await first.text();
    const response = await post(runs(url), { id: 'chat', messages: [answer('nothing')] });
    expect(response.headers.get('x-run-id')).toBe(first.headers.get('x-run-id'));
    expect(typesOf(await collectSse(response)).slice(-3)).toEqual(['tool-approval-request', 'finish-step', 'finish']);
    expect(await record(url, first.headers.get('x-run-id')!)).toMatchObject({ status: 'waiting' });
  });

  it('that nothing waits for leave the run as it is, also when their client goes away and wanted its run to stop', async () => {
    const { url, gate } = await openServer();
    const first = await say(url, 'go', {}, 'gated');
    const body = { id: 'chat', messages: [answer('nothing')], on_disconnect: 'cancel' };
    const leaving = new AbortController();
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body), signal: leaving.signal };
    expect((await fetch(runs(url, 'gated'), init)).status).toBe(200);
    await expect.poll(() => openStreams(url)).toBe(2);
    leaving.abort();
    await expect.poll(() => openStreams(url)).toBe(1);
    gate.open();
    expect(await first.text()).toContain(' three');
    expect(await record(url, first.headers.get('x-run-id')!)).toMatchObject({ termination_code: 'natural' });
  });

  it('in front of a user message are not news', async () => {
    const { url, ran } = await openServer();
    await (await say(url, 'pay')).text();
    await (await post(runs(url), { id: 'chat', messages: [user('pay'), answer('pay_1_0'), user('wait, no')] })).text();
    expect(ran.get('pay')).toBeUndefined();
  });

  it('that contradict the first answer change nothing', async () => {
    const { url, ran } = await openServer();
    await (await say(url, 'pay')).text();
    const both = { role: 'assistant', parts: [answer('pay_1_0', false).parts[0], answer('pay_1_0', true).parts[0]] };
    expect(await (await post(runs(url), { id: 'chat', messages: [both] })).text()).toContain('tool-output-denied');
    expect(ran.get('pay')).toBeUndefined();
  });
});

describe('resuming', () => {
  const paths = ['chats', 'runs'] as const;
  const stream = (url: string, kind: (typeof paths)[number] = 'chats', agent = 'clerk'): string =>
    `${url}/v1/ai-sdk/agents/${agent}/${kind}/chat/stream`;

  it.each(paths)('/%s/:chat_id/stream is 204 while nothing streams: never, waiting, over', async (kind) => {
    const { url } = await openServer();
    const status = async (): Promise<[number, string]> => {
      const response = await fetch(stream(url, kind));
      return [response.status, await response.text()];
    };
    expect(await status()).toEqual([204, '']);
    await (await say(url, 'pay')).text();
    expect(await status()).toEqual([204, '']);
    await (await say(url, 'hi')).text();
    expect(await status()).toEqual([204, '']);
  });

  it.each(paths)('/%s/:chat_id/stream is the whole message of the run under way, byte for byte', async (kind) => {
    const { url, gate } = await openServer();
    const first = await say(url, 'go', {}, 'gated');
    const second = await fetch(stream(url, kind, 'gated'));
    expect([second.status, second.headers.get('x-vercel-ai-ui-message-stream')]).toEqual([200, 'v1']);
    gate.open();
    expect(await second.text()).toBe(await first.text());
  });

  it('is only for the agent whose run it is', async () => {
    const { url, gate } = await openServer();
    const first = await say(url, 'go', {}, 'gated');
    expect((await fetch(stream(url))).status).toBe(204);
    gate.open();
    await first.text();
  });

  it('finds a run that goes on as another agent by either of them (CONTRACT 5.5)', async () => {
    const { url, gate } = await openServer();
    const first = await say(url, 'go', {}, 'router');
    for await (const { data } of readSse(await fetch(stream(url, 'chats', 'router'))))
      if (data.includes('"one"')) break;
    const readers = await Promise.all(['router', 'gated'].map((agent) => fetch(stream(url, 'chats', agent))));
    gate.open();
    const whole = await first.text();
    expect(whole).toContain(' three');
    for (const reader of readers) expect([reader.status, await reader.text()]).toEqual([200, whole]);
  });

  it('goes on behind every frame of a run that streams', async () => {
    const { url, gate } = await openServer();
    const first = readSse(await say(url, 'go', {}, 'gated'));
    const before: SseFrame[] = [];
    for await (const frame of first) {
      before.push(frame);
      if (frame.data.includes('"delta":"one"')) break;
    }
    const streams = await Promise.all(
      before.map(({ id }) => fetch(stream(url, 'chats', 'gated'), { headers: { 'last-event-id': id! } })),
    );
    const whole = await fetch(stream(url, 'chats', 'gated'));
    gate.open();
    const all = await collectSse(whole);
    expect(all.slice(0, before.length)).toEqual(before);
    for (const [i, response] of streams.entries()) expect(await collectSse(response)).toEqual(all.slice(i + 1));
  });

  it('refuses a frame that the run does not have', async () => {
    const { url, gate } = await openServer();
    const first = await say(url, 'go', {}, 'gated');
    const response = await fetch(stream(url, 'chats', 'gated'), { headers: { 'last-event-id': '999' } });
    expect((await errorOf(response))[0]).toBe(400);
    gate.open();
    await first.text();
  });

  it('has a pause that is over as if it had not been', async () => {
    const { url, gate } = await openServer();
    const first = chunksOf(await collectSse(await say(url, 'wait')));
    const rest = await post(runs(url), { id: 'chat', messages: [answer('wait_1_0')] });
    const whole = await fetch(stream(url));
    gate.open();
    const continued = chunksOf(await collectSse(rest));
    expect(chunksOf(await collectSse(whole))).toEqual([...first.slice(0, -1), ...continued.slice(1)]);
  });
});

describe('GET /v1/runs/:id/events?format=ai-sdk', () => {
  it('is the run as a client would have had it, ending at each pause', async () => {
    const { url } = await openServer();
    const events = `${url}/v1/runs/r/events?format=ai-sdk`;
    const first = await collectSse(await say(url, 'pay', { runId: 'r' }));
    expect(await collectSse(events)).toEqual(first);
    const rest = await collectSse(await post(runs(url), { id: 'chat', messages: [answer('pay_1_0')] }));
    const again = await collectSse(events);
    expect(again).toEqual(first);
    const last = again.at(-2)!.id!;
    const continued = await collectSse(events, { headers: { 'last-event-id': last } });
    expect(chunksOf(continued)).toEqual(chunksOf(rest));
    expect(await collectSse(`${events}&after=${last}`)).toEqual(continued);
  });

  it('goes on behind every frame', async () => {
    const { url } = await openServer();
    await (await say(url, 'look and look', { runId: 'r' })).text();
    const all = await collectSse(`${url}/v1/runs/r/events?format=ai-sdk`);
    for (const [i, { id }] of all.slice(0, -2).entries()) {
      expect(await collectSse(`${url}/v1/runs/r/events?format=ai-sdk&after=${id}`)).toEqual(all.slice(i + 1));
    }
  });

  it('is an unknown format otherwise', async () => {
    const { url } = await openServer();
    expect((await fetch(`${url}/v1/runs/r/events?format=x`)).status).toBe(400);
  });
});

describe('the history', () => {
  type Page = {
    messages: { id: string; role: string }[];
    has_more: boolean;
    next_cursor: number | null;
    prev_cursor: number | null;
  };
  const page = async (url: string, query = ''): Promise<Page> =>
    (await (await fetch(`${url}/v1/ai-sdk/threads/chat/messages${query}`)).json()) as Page;

  /** Turns of one message, of four, of one, of one: look makes an assistant, a tool and an assistant message. */
  async function someTurns() {
    const server = await openServer();
    await (await say(server.url, '', { messages: [user('look', 'u1')] })).text();
    await (await say(server.url, '', { messages: [user('hi', 'u2')] })).text();
    return { ...server, all: (await page(server.url)).messages };
  }

  it('is paged in whole messages, in both directions', async () => {
    const { url, all } = await someTurns();
    expect(all.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    for (const limit of [1, 2, 3, 4]) {
      const forwards: Page['messages'] = [];
      for (let query = '', more = true; more;) {
        const { messages, has_more, next_cursor } = await page(url, `?limit=${limit}${query}`);
        forwards.push(...messages);
        [query, more] = [`&after=${next_cursor}`, has_more];
      }
      expect(forwards).toEqual(all);
      const backwards: Page['messages'] = [];
      for (let query = '', more = true; more;) {
        const { messages, has_more, next_cursor } = await page(url, `?order=desc&limit=${limit}${query}`);
        backwards.push(...messages);
        [query, more] = [`&before=${next_cursor}`, has_more];
      }
      expect(backwards).toEqual([...all].reverse());
    }
  });

  it('leaves out the rest of a message that began in front of the page', async () => {
    const { url, all } = await someTurns();
    // The cursor of the second message of the thread, which has three more of the same turn behind it.
    expect((await page(url, '?after=1')).messages).toEqual(all.slice(2));
  });

  it('of a run is its part of it', async () => {
    const { url, all } = await someTurns();
    const { runId } = (all[3] as unknown as { metadata: { runId: string } }).metadata;
    expect((await page(url, `?run_id=${runId}`)).messages).toEqual(all.slice(2));
    expect(await page(url, '?run_id=none')).toEqual({
      messages: [],
      has_more: false,
      next_cursor: null,
      prev_cursor: null,
    });
  });

  it.each(['order=up', 'limit=x', 'after=x', 'before=1.5', 'visibility=some', 'run_id=a&run_id=b'])(
    'refuses ?%s',
    async (query) => {
      const { url } = await someTurns();
      expect((await fetch(`${url}/v1/ai-sdk/threads/chat/messages?${query}`)).status).toBe(400);
    },
  );

  it('has results as what they were, a text as a text', async () => {
    const { url, all } = await someTurns();
    expect((await page(url)).messages[1]).toMatchObject({
      parts: [
        { type: 'step-start' },
        { type: 'text' },
        { type: 'tool-look', state: 'output-available', input: { topic: 't' }, output: { did: 'look', topic: 't' } },
        { type: 'step-start' },
        { type: 'text' },
      ],
    });
    expect(all).toHaveLength(4);
  });

  it('tells a denial by a rule from one by a person', async () => {
    const { url } = await openServer();
    await (await say(url, 'forbidden, pay')).text();
    await (await post(runs(url), { id: 'chat', messages: [answer('pay_1_1', false)] })).text();
    expect((await page(url)).messages[1]).toMatchObject({
      parts: expect.arrayContaining([
        expect.objectContaining({ type: 'tool-forbidden', state: 'output-error' }),
        expect.objectContaining({
          type: 'tool-pay',
          state: 'output-denied',
          approval: { id: 'pay_1_1', approved: false },
        }),
      ]),
    });
  });
});
