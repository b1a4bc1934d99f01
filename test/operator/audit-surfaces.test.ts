/** Decisions and cancels leave the same record whatever surface they come by (CONTRACT 1.1, 9). */

import { describe, expect, it } from 'vitest';
import { asker, openService, user, type Json, type Service } from '../support/service.js';

type Record_ = { action: string; target: Json; status: number; reason: string | null };
const audit = async (service: Service) => (await service.call<{ items: Record_[] }>('GET', '/v1/audit')).body.items;

type Act = (service: Service, run_id: string, headers: Record<string, string>) => Promise<{ status: number }>;

/** A POST whose answer is read as text: some are streams. */
const post =
  (path: string, body: (run_id: string) => unknown, more: Record<string, string> = {}): Act =>
  async ({ url }, run_id, headers) => {
    const response = await fetch(url + path.replace('RUN', run_id), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...more, ...headers },
      body: JSON.stringify(body(run_id)),
    });
    await response.text();
    return response;
  };

const V1 = { 'a2a-version': '1.0' };
const rpc = (method: string, params: (run_id: string) => unknown, headers = {}): Act =>
  post('/v1/a2a/rpc/asker', (run_id) => ({ jsonrpc: '2.0', id: 1, method, params: params(run_id) }), headers);
const answer = (run_id: string, text: string) => ({
  message: { messageId: 'a1', taskId: run_id, role: 'ROLE_USER', parts: [{ text }] },
});
const answer03 = (run_id: string) => ({
  message: { kind: 'message', messageId: 'a1', taskId: run_id, role: 'user', parts: [{ kind: 'text', text: 'yes' }] },
});
const chat = (part: Json) => () => ({
  id: 't',
  trigger: 'submit-message',
  messages: [
    { id: 'u', role: 'user', parts: [{ type: 'text', text: 'pay' }] },
    { id: 'm', role: 'assistant', parts: [part] },
  ],
});
const agUi = (more: Json) => () => ({ threadId: 't', runId: 'client', ...more });

const decided = (run_id: string) => ({
  action: 'decide',
  status: 200,
  target: { thread_id: 't', run_id, tool_call_ids: ['call-1'] },
});
const cancelled = (run_id: string) => ({ action: 'cancel', status: 200, target: { thread_id: 't', run_id } });

const given: { by: string; act: Act; leaves: (run_id: string) => object }[] = [
  {
    by: 'AG-UI: resume',
    act: post('/v1/ag-ui/agents/asker/runs', agUi({ resume: [{ interruptId: 'fc_call-1', status: 'resolved' }] })),
    leaves: decided,
  },
  {
    by: 'AG-UI: a tool message',
    act: post(
      '/v1/ag-ui/agents/asker/runs',
      agUi({
        messages: [user('pay', { id: 'u' }), { id: 'x', role: 'tool', toolCallId: 'call-1', content: 'approved' }],
      }),
    ),
    leaves: decided,
  },
  {
    by: 'chat SDK: an approval response',
    act: post(
      '/v1/ai-sdk/agents/asker/runs',
      chat({ type: 'tool-approval-response', approvalId: 'call-1', approved: true }),
    ),
    leaves: decided,
  },
  {
    by: 'chat SDK: a tool part that was responded to',
    act: post(
      '/v1/ai-sdk/agents/asker/runs',
      chat({
        type: 'tool-pay',
        toolCallId: 'call-1',
        state: 'approval-responded',
        input: { eur: 5 },
        approval: { id: 'call-1', approved: false, reason: 'too much' },
      }),
    ),
    leaves: (run_id) => ({ ...decided(run_id), reason: 'too much' }),
  },
  { by: 'A2A: SendMessage', act: rpc('SendMessage', (id) => answer(id, 'yes'), V1), leaves: decided },
  { by: 'A2A: message/send', act: rpc('message/send', answer03), leaves: decided },
  { by: 'A2A: SendStreamingMessage', act: rpc('SendStreamingMessage', (id) => answer(id, 'yes'), V1), leaves: decided },
  { by: 'A2A: CancelTask', act: rpc('CancelTask', (id) => ({ id }), V1), leaves: cancelled },
  { by: 'A2A: tasks/cancel', act: rpc('tasks/cancel', (id) => ({ id })), leaves: cancelled },
  { by: 'A2A: REST', act: post('/v1/a2a/rest/asker/message:send', (id) => answer(id, 'yes'), V1), leaves: decided },
  {
    by: 'A2A: REST, as a stream',
    act: post('/v1/a2a/rest/asker/message:stream', (id) => answer(id, 'yes'), V1),
    leaves: decided,
  },
  {
    by: 'a start, by another name of its decisions',
    act: post('/v1/runs', () => ({
      agentId: 'asker',
      threadId: 't',
      initialDecisions: [{ target_id: 'call-1', action: 'resume', result: { approved: true } }],
    })),
    leaves: decided,
  },
];

describe('an action on a surface', () => {
  it.each(given)('is recorded once: $by', async ({ act, leaves }) => {
    const service = await openService({ agents: [asker()] });
    const { run_id } = await service.run({ agentId: 'asker', threadId: 't', messages: [user('pay', { id: 'u' })] });
    expect((await act(service, run_id, {})).status).toBe(200);
    expect(await audit(service)).toEqual([expect.objectContaining({ principal: 'anonymous', ...leaves(run_id) })]);
  });

  it('that comes too late is recorded as refused, though its client is shown what became of it', async () => {
    const service = await openService({ agents: [asker()] });
    const { run_id } = await service.run({ agentId: 'asker', threadId: 't', messages: [user('pay', { id: 'u' })] });
    await service.call('POST', `/v1/runs/${run_id}/cancel`);
    expect((await rpc('CancelTask', (id) => ({ id }), V1)(service, run_id, {})).status).toBe(200);
    expect(await audit(service)).toMatchObject([
      { action: 'cancel', status: 400, target: { run_id } },
      { action: 'cancel', status: 202, target: { run_id } },
    ]);
  });

  it('may say why', async () => {
    const service = await openService({ agents: [asker()] });
    const { run_id } = await service.run({ agentId: 'asker', threadId: 't', messages: [user('pay', { id: 'u' })] });
    await given[0]!.act(service, run_id, { 'x-operator-reason': 'agreed%20on%20the%20phone' });
    expect(await audit(service)).toMatchObject([{ action: 'decide', reason: 'agreed on the phone' }]);
  });

  it.each<[string, Act, number, object]>([
    ['a cancel of nothing', rpc('CancelTask', () => ({ id: 'nobody' }), V1), 200, { action: 'cancel', status: 404 }],
    [
      'an answer to nothing',
      rpc('message/send', () => answer03('nobody')),
      200,
      { action: 'decide', status: 404, target: { run_id: 'nobody' } },
    ],
    [
      'an answer to nothing, REST',
      post('/v1/a2a/rest/asker/message:send', () => answer('nobody', 'yes'), V1),
      404,
      { action: 'decide', status: 404, target: { run_id: 'nobody' } },
    ],
    [
      'a decision of an agent that is not there',
      post('/v1/ag-ui/agents/none/runs', agUi({ resume: [{ interruptId: 'fc_call-1', status: 'resolved' }] })),
      404,
      { action: 'decide', status: 404, target: { tool_call_ids: ['call-1'] } },
    ],
    [
      'a tool message for an agent that is not there',
      post(
        '/v1/ag-ui/agents/none/runs',
        agUi({ messages: [user('pay'), { role: 'tool', toolCallId: 'call-1', content: 'yes' }] }),
      ),
      404,
      { action: 'decide', status: 404, target: { tool_call_ids: ['call-1'] } },
    ],
    [
      'an approval response for an agent that is not there',
      post(
        '/v1/ai-sdk/agents/none/runs',
        chat({ type: 'tool-approval-response', approvalId: 'call-1', approved: true }),
      ),
      404,
      { action: 'decide', status: 404, target: { tool_call_ids: ['call-1'] } },
    ],
  ])('is recorded when it is refused: %s', async (_, act, status, record) => {
    const service = await openService({ agents: [asker()] });
    const { run_id } = await service.run({ agentId: 'asker', threadId: 't', messages: [user('pay', { id: 'u' })] });
    expect((await act(service, run_id, {})).status).toBe(status);
    expect(await audit(service)).toMatchObject([record]);
  });

  it.each<[string, Act]>([
    [
      'A2A',
      rpc('SendMessage', () => ({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] } }), V1),
    ],
    ['A2A, malformed', rpc('SendMessage', () => ({ message: 5 }), V1)],
    ['AG-UI', post('/v1/ag-ui/agents/asker/runs', agUi({ messages: [user('hi')] }))],
    ['AG-UI, for nobody', post('/v1/ag-ui/agents/none/runs', agUi({ messages: [user('hi')] }))],
    ['chat SDK, for nobody', post('/v1/ai-sdk/agents/none/runs', () => ({ id: 'x', messages: [user('hi')] }))],
    ['chat SDK', post('/v1/ai-sdk/agents/asker/runs', () => ({ id: 'x', messages: [user('hi')] }))],
  ])('is none when it only talks: %s', async (_, act) => {
    const service = await openService({ agents: [asker()] });
    await act(service, '', {});
    expect(await audit(service)).toEqual([]);
  });
});
