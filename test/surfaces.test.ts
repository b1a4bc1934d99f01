/**
 * One run, all surfaces (CONTRACT 1.1): wherever it was started it is watched, answered and cancelled from anywhere, and
 * in each format there is one stream of it, whoever reads it and however often it broke.
 */

import { describe, expect, it } from 'vitest';
import { post } from './support/http-server.js';
import { collectSse, readSse, type SseFrame } from './support/sse-client.js';
import { openServer } from './ag-ui/server.js';

type Json = Record<string, unknown>;
type Start = (url: string, agent: string, text: string) => Promise<Response>;
type Call = { run_id: string; tool_call_id: string };
/** Sends the answer; resolves when the surface has said all it says to it. */
type Answer = (url: string, agent: string, call: Call, approved: boolean) => Promise<Response>;

const sse = { accept: 'text/event-stream' };
let ids = 0;

const starts: Record<string, Start> = {
  'the run API': (url, agentId, content) =>
    post(`${url}/v1/runs`, { agentId, threadId: 't', messages: [{ role: 'user', content }] }, sse),
  'AG-UI': (url, agent, content) =>
    post(
      `${url}/v1/ag-ui/agents/${agent}/runs`,
      { threadId: 't', runId: `a${++ids}`, messages: [{ id: `m${ids}`, role: 'user', content }] },
      sse,
    ),
  'the chat SDK': (url, agent, text) =>
    post(
      `${url}/v1/ai-sdk/agents/${agent}/runs`,
      {
        id: 't',
        trigger: 'submit-message',
        messages: [{ id: `m${++ids}`, role: 'user', parts: [{ type: 'text', text }] }],
      },
      sse,
    ),
};

const decisionOn = ({ tool_call_id }: Call, approved: boolean): Json => ({
  target_id: tool_call_id,
  decision_id: `d${++ids}`,
  action: approved ? 'resume' : 'cancel',
  result: { approved },
  updated_at: 1,
});

const answers: Record<string, Answer> = {
  'the run API, /inputs': (url, _, call, approved) =>
    post(`${url}/v1/runs/${call.run_id}/inputs`, { decisions: [decisionOn(call, approved)] }),
  'the run API, a start': (url, agentId, call, approved) =>
    post(`${url}/v1/runs`, { agentId, threadId: 't', decisions: [decisionOn(call, approved)] }, sse),
  'AG-UI, resume': (url, agent, { tool_call_id }, approved) =>
    post(
      `${url}/v1/ag-ui/agents/${agent}/runs`,
      {
        threadId: 't',
        runId: `a${++ids}`,
        messages: [],
        resume: [{ interruptId: `fc_${tool_call_id}`, status: 'resolved', payload: { approved } }],
      },
      sse,
    ),
  'the chat SDK, a part': (url, agent, { tool_call_id }, approved) =>
    post(
      `${url}/v1/ai-sdk/agents/${agent}/runs`,
      {
        id: 't',
        messages: [
          {
            id: 'whatever',
            role: 'assistant',
            parts: [{ type: 'tool-approval-response', approvalId: tool_call_id, approved }],
          },
        ],
      },
      sse,
    ),
};

const getJson = async <T = Json>(url: string): Promise<T> =>
  (await fetch(url, { headers: { accept: 'application/json' } })).json() as Promise<T>;

/** The run and the call that wait for a person on the thread. */
async function pending(url: string): Promise<Call> {
  const { items } = await getJson<{ items: Call[] }>(`${url}/v1/approvals`);
  return items[0]!;
}

/** Every way to watch a run; those that close at a pause are read in one when it is over. */
const formats = ['canonical', 'ag-ui', 'ai-sdk'];
const eventsOf = (url: string, run_id: string, format: string): string =>
  `${url}/v1/runs/${run_id}/events?format=${format}`;

const pairs = Object.keys(starts).flatMap((start) => Object.keys(answers).map((answer) => [start, answer] as const));

describe.each(pairs)('a run of %s, answered by %s', (start, answer) => {
  it.each([
    [true, 'succeeded'],
    [false, 'denied'],
  ])('approved: %s', async (approved, outcome) => {
    const { url } = await openServer();
    await (await starts[start]!(url, 'approver', 'pay')).text();
    const call = await pending(url);
    const response = await answers[answer]!(url, 'approver', call, approved);
    expect([200, 202]).toContain(response.status);
    await response.text();
    const frames = await collectSse(eventsOf(url, call.run_id, 'canonical'));
    const events = frames.map(({ data }) => JSON.parse(data) as { type: string; data?: Json });
    expect(events.find(({ type }) => type === 'tool_call_done')).toMatchObject({ data: { outcome } });
    expect(events.at(-1)).toMatchObject({ type: 'run_finish', data: { termination: { code: 'natural' } } });
    expect((await getJson<{ total: number }>(`${url}/v1/runs?thread_id=t`)).total).toBe(1);
    expect(await getJson(`${url}/v1/approvals`)).toMatchObject({ total: 0 });
  });
});

const cancels: Record<string, (url: string, run_id: string) => Promise<Response>> = {
  'the run API': (url, run_id) => post(`${url}/v1/runs/${run_id}/cancel`),
  'an interrupt of its thread': (url) => post(`${url}/v1/threads/t/interrupt`),
};

describe.each(Object.keys(starts))('a run of %s', (start) => {
  it.each(Object.keys(cancels))('is cancelled by %s, and whoever reads it is told', async (cancel) => {
    const { url } = await openServer();
    const response = await starts[start]!(url, 'gated', 'go');
    const run_id = response.headers.get('x-run-id')!;
    const readers = formats.map((format) => collectSse(eventsOf(url, run_id, format)));
    expect((await cancels[cancel]!(url, run_id)).status).toBe(202);
    const [canonical, agUi, aiSdk] = (await Promise.all(readers)).map((frames) => frames.map(({ data }) => data));
    expect(canonical!.at(-1)).toContain('"code":"cancelled"');
    expect(agUi!.at(-1)).toContain('"code":"CANCELLED"');
    expect(aiSdk!.slice(-2)).toEqual([expect.stringContaining('"abort"'), '[DONE]']);
    await response.text();
  });

  it('is one stream in each format: live, late, and broken at every frame', async () => {
    const { url, gate } = await openServer();
    const response = await starts[start]!(url, 'gated', 'go');
    const run_id = response.headers.get('x-run-id')!;
    const live = formats.map((format) => collectSse(eventsOf(url, run_id, format)));
    gate.open();
    const own = await collectSse(response);
    for (const [i, format] of formats.entries()) {
      const watched = await live[i]!;
      expect(await collectSse(eventsOf(url, run_id, format))).toEqual(watched);
      await expectResumable(eventsOf(url, run_id, format), watched);
    }
    const native = await live[Object.keys(starts).indexOf(start)];
    expect(own.map(({ id }) => id)).toEqual(native!.map(({ id }) => id));
  });

  it('is watched where chats are resumed and threads are joined', async () => {
    const { url, gate } = await openServer();
    const response = await starts[start]!(url, 'gated', 'go');
    const chat = await fetch(`${url}/v1/ai-sdk/agents/gated/chats/t/stream`);
    const thread = await fetch(`${url}/v1/ag-ui/agents/gated/threads/t/stream`);
    expect([chat.status, thread.status]).toEqual([200, 200]);
    gate.open();
    const [, chatted, joined] = await Promise.all([response.text(), textIn(chat), textIn(thread)]);
    expect([chatted, joined]).toEqual(['one two three', 'one two three']);
    for (const surface of ['ag-ui', 'ai-sdk']) {
      const { messages } = await getJson<{ messages: unknown[] }>(`${url}/v1/${surface}/threads/t/messages`);
      expect(JSON.stringify(messages)).toContain('one two three');
    }
  });
});

/** Frames without an id, such as the end mark, cannot be resumed from and come again. */
async function expectResumable(source: string, whole: SseFrame[]): Promise<void> {
  for (const [i, { id }] of whole.entries()) {
    if (id === null) continue;
    const rest: SseFrame[] = [];
    for await (const frame of readSse(source, { headers: { 'last-event-id': id } })) rest.push(frame);
    expect(rest).toEqual(whole.slice(i + 1));
  }
}

async function textIn(response: Response): Promise<string> {
  const frames = await collectSse(response);
  return frames
    .filter(({ data }) => data !== '[DONE]')
    .map(({ data }) => JSON.parse(data) as { type: string; delta?: string })
    .map(({ type, delta }) => (type === 'text-delta' || type === 'TEXT_MESSAGE_CONTENT' ? delta : ''))
    .join('');
}
