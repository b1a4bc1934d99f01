/** The real chat client against a real server: approvals, the client's own tools, questions. */

import {
  lastAssistantMessageIsCompleteWithApprovalResponses as allApproved,
  lastAssistantMessageIsCompleteWithToolCalls as allCalled,
  type UIMessage,
} from 'ai';
import { describe, expect, it } from 'vitest';
import {
  approvalOf,
  asStored,
  atRest,
  callOf,
  historyOf,
  openChat,
  reloadChat,
  textOf,
  toolsOf,
  watchRequests,
} from './chat.js';
import { post } from '../support/http-server.js';
import { openServer } from './server.js';

const posts = (requests: string[]): number => requests.filter((request) => request.startsWith('POST ')).length;
const runIdOf = (message: UIMessage | undefined): string => (message!.metadata as { runId: string }).runId;

describe('an approval', () => {
  it.each([
    [true, 'pay: output-available', 'pay: {"did":"pay","topic":"t"}', 1],
    [false, 'pay: output-denied', 'pay failed: too much', 0],
  ])('approved %s: goes on in the same message', async (approved, state, said, times) => {
    const { url, ran } = await openServer();
    const requests = watchRequests(url);
    const chat = openChat(url, { sendAutomaticallyWhen: allApproved });
    await chat.sendMessage({ text: 'pay' });
    expect([chat.status, toolsOf(chat.lastMessage)]).toEqual(['ready', ['pay: approval-requested']]);
    const { id } = chat.lastMessage!;
    await chat.addToolApprovalResponse({ id: approvalOf(chat.lastMessage, 'pay'), approved, reason: 'too much' });
    await atRest(chat);
    expect(chat.messages).toHaveLength(2);
    expect(chat.lastMessage!.id).toBe(id);
    expect(toolsOf(chat.lastMessage)).toEqual([state]);
    expect(textOf(chat.lastMessage)).toBe(`let me see${said}`);
    expect(chat.lastMessage!.parts.map(({ type }) => type)).toEqual([
      'step-start',
      'text',
      'tool-pay',
      'step-start',
      'text',
    ]);
    expect([ran.get('pay') ?? 0, posts(requests)]).toEqual([times, 2]);
    expect(asStored(await historyOf(url))).toEqual(asStored(chat.messages));
  });

  it.each([
    ['pay', 'refund', 'pay'],
    ['pay', 'pay', 'refund'],
  ])('of several calls is given in any order: %s and refund, %s first', async (_, first, second) => {
    const { url, ran } = await openServer();
    const requests = watchRequests(url);
    const chat = openChat(url, { sendAutomaticallyWhen: allApproved });
    await chat.sendMessage({ text: 'pay, refund and look' });
    expect(toolsOf(chat.lastMessage)).toEqual([
      'pay: approval-requested',
      'refund: approval-requested',
      'look: output-available',
    ]);
    await chat.addToolApprovalResponse({ id: approvalOf(chat.lastMessage, first), approved: true });
    expect([chat.status, posts(requests)]).toEqual(['ready', 1]);
    await chat.addToolApprovalResponse({ id: approvalOf(chat.lastMessage, second), approved: false });
    await atRest(chat);
    expect(posts(requests)).toBe(2);
    expect(ran.get(first)).toBe(1);
    expect(ran.get(second)).toBeUndefined();
    expect(toolsOf(chat.lastMessage).filter((tool) => tool.startsWith(second))).toEqual([`${second}: output-denied`]);
    expect(asStored(await historyOf(url))).toEqual(asStored(chat.messages));
  });

  it('may be sent one at a time', async () => {
    const { url, ran } = await openServer();
    const chat = openChat(url);
    await chat.sendMessage({ text: 'pay and refund' });
    await chat.addToolApprovalResponse({ id: approvalOf(chat.lastMessage, 'refund'), approved: true });
    await chat.sendMessage();
    expect(toolsOf(chat.lastMessage)).toEqual(['pay: approval-requested', 'refund: output-available']);
    await chat.addToolApprovalResponse({ id: approvalOf(chat.lastMessage, 'pay'), approved: true });
    await chat.sendMessage();
    expect(textOf(chat.lastMessage)).toContain('pay: {');
    expect([ran.get('pay'), ran.get('refund'), chat.messages.length]).toEqual([1, 1, 2]);
    expect(asStored(await historyOf(url))).toEqual(asStored(chat.messages));
  });

  it('may have to wait for the others, as the agent wants it, and is remembered meanwhile', async () => {
    const { url, ran } = await openServer();
    const chat = openChat(url, { agent: 'careful' });
    await chat.sendMessage({ text: 'pay and refund' });
    await chat.addToolApprovalResponse({ id: approvalOf(chat.lastMessage, 'pay'), approved: true });
    await chat.sendMessage();
    expect(toolsOf(chat.lastMessage)).toEqual(['pay: approval-responded', 'refund: approval-requested']);
    expect([chat.status, ran.get('pay')]).toEqual(['ready', undefined]);
    const page = await reloadChat(url, { agent: 'careful', sendAutomaticallyWhen: allApproved });
    expect(asStored(page.messages)).toEqual(asStored(chat.messages));
    await page.addToolApprovalResponse({ id: approvalOf(page.lastMessage, 'refund'), approved: true });
    await atRest(page);
    expect([ran.get('pay'), ran.get('refund'), page.messages.length]).toEqual([1, 1, 2]);
    expect(asStored(page.messages)).toEqual(asStored(await historyOf(url)));
  });

  it('is still asked for after a reload, and answered then', async () => {
    const { url, ran } = await openServer();
    await openChat(url).sendMessage({ text: 'pay' });
    const chat = await reloadChat(url, { sendAutomaticallyWhen: allApproved });
    await chat.resumeStream();
    expect([chat.status, toolsOf(chat.lastMessage)]).toEqual(['ready', ['pay: approval-requested']]);
    await chat.addToolApprovalResponse({ id: approvalOf(chat.lastMessage, 'pay'), approved: true });
    await atRest(chat);
    expect([ran.get('pay'), textOf(chat.lastMessage)]).toEqual([1, 'let me seepay: {"did":"pay","topic":"t"}']);
  });

  it('is not given by a message: new input ends what waits', async () => {
    const { url, ran } = await openServer();
    const chat = openChat(url);
    await chat.sendMessage({ text: 'pay' });
    const waiting = runIdOf(chat.lastMessage);
    await chat.sendMessage({ text: 'forget it' });
    expect(textOf(chat.lastMessage)).toBe('you said forget it');
    expect(ran.get('pay')).toBeUndefined();
    const run = await (await fetch(`${url}/v1/runs/${waiting}`)).json();
    expect(run).toMatchObject({ status: 'done', termination_code: 'superseded' });
    expect(toolsOf((await historyOf(url))[1])).toEqual(['pay: output-error']);
  });

  it('is not given by an output that does not say so', async () => {
    const { url, ran } = await openServer();
    const chat = openChat(url, { sendAutomaticallyWhen: allCalled });
    await chat.sendMessage({ text: 'pay' });
    await chat.addToolOutput({
      tool: 'pay',
      toolCallId: callOf(chat.lastMessage, 'pay'),
      output: 'No, never',
    });
    await atRest(chat);
    expect([ran.get('pay'), toolsOf(chat.lastMessage)]).toEqual([undefined, ['pay: output-denied']]);
    expect(textOf(chat.lastMessage)).toContain('pay failed: No, never');
  });

  it('given twice, by two tabs, is given once: both see what follows', async () => {
    const { url, ran, gate } = await openServer();
    const first = openChat(url, { sendAutomaticallyWhen: allApproved });
    await first.sendMessage({ text: 'wait' });
    const second = await reloadChat(url, { sendAutomaticallyWhen: allApproved });
    const id = approvalOf(first.lastMessage, 'wait');
    await first.addToolApprovalResponse({ id, approved: true });
    await expect.poll(() => first.status).toBe('submitted');
    await second.addToolApprovalResponse({ id, approved: true });
    await expect.poll(() => first.status === 'submitted' || first.status === 'streaming').toBe(true);
    gate.open();
    await Promise.all([atRest(first), atRest(second)]);
    for (const chat of [first, second]) {
      expect([toolsOf(chat.lastMessage), textOf(chat.lastMessage)]).toEqual([
        ['wait: output-available'],
        'let me seewait: waited',
      ]);
    }
    expect(ran.get('wait')).toBeUndefined();
    expect(asStored(await historyOf(url))).toEqual(asStored(first.messages));
  });

  it.each(['pay', 'look and pay'])('sent again after the run has ended gives what followed it: %s', async (text) => {
    const { url, ran } = await openServer();
    const late = openChat(url);
    await late.sendMessage({ text });
    const other = await reloadChat(url, { sendAutomaticallyWhen: allApproved });
    const id = approvalOf(late.lastMessage, 'pay');
    await other.addToolApprovalResponse({ id, approved: true });
    await atRest(other);
    await late.addToolApprovalResponse({ id, approved: true });
    await late.sendMessage();
    expect([ran.get('pay'), late.messages.length]).toEqual([1, 2]);
    expect(asStored(late.messages)).toEqual(asStored(await historyOf(url)));
  });

  it('of a child run is asked for in the parent, once for each of its questions', async () => {
    const { url, ran } = await openServer();
    const chat = openChat(url, { agent: 'chief', sendAutomaticallyWhen: allApproved });
    await chat.sendMessage({ text: 'pay and refund' });
    const ids: string[] = [];
    for (const approved of [true, false]) {
      ids.push(approvalOf(chat.lastMessage, 'agent_run'));
      await chat.addToolApprovalResponse({ id: ids.at(-1)!, approved });
      await atRest(chat);
    }
    expect(new Set(ids).size).toBe(2);
    expect([ran.get('pay'), ran.get('refund')]).toEqual([1, undefined]);
    expect(textOf(chat.lastMessage)).toContain('the clerk says: pay: {"did":"pay","topic":"t"}; refund failed');
  });
});

describe('a question of a child run', () => {
  it('is answered in the parent, each with an answer of its own, also when the answers are alike', async () => {
    const { url } = await openServer();
    const chat = openChat(url, { agent: 'chief', sendAutomaticallyWhen: allCalled });
    await chat.sendMessage({ text: 'guess, guess and paint' });
    const asked: unknown[] = [];
    for (let i = 0; i < 3; i++) {
      asked.push(chat.lastMessage!.parts.findLast(({ type }) => type === 'data-suspension'));
      const toolCallId = callOf(chat.lastMessage, 'agent_run');
      await chat.addToolOutput({ tool: 'agent_run', toolCallId, output: 'yes' });
      await atRest(chat);
    }
    const data = { toolName: 'agent_run' };
    expect(asked).toMatchObject([
      { id: expect.stringMatching(/^fc_[^#]+$/), data: { ...data, kind: 'input', message: 'guess: which one?' } },
      { id: expect.stringMatching(/#2$/), data: { ...data, kind: 'input' } },
      {
        id: expect.stringMatching(/#3$/),
        data: { ...data, kind: 'frontend', message: expect.stringMatching(/^paint: /) },
      },
    ]);
    expect(textOf(chat.lastMessage)).toContain('the clerk says: guess: yes; guess: yes; paint: yes');
  });
});

describe('an answer to a message that the conversation has left behind', () => {
  it('is taken, while what was said since waits', async () => {
    const { url, ran } = await openServer();
    const chat = openChat(url, { body: { on_busy: 'enqueue' } });
    await chat.sendMessage({ text: 'pay' });
    const next = chat.sendMessage({ text: 'and then?' });
    const thread = async () => (await fetch(`${url}/v1/threads/chat`)).json() as Promise<{ queued_count: number }>;
    await expect.poll(thread).toMatchObject({ queued_count: 1 });
    await chat.addToolApprovalResponse({ id: approvalOf(chat.messages[1], 'pay'), approved: true });
    await Promise.all([chat.sendMessage(), next]);
    expect(ran.get('pay')).toBe(1);
    expect(chat.messages.map((message) => textOf(message))).toEqual([
      'pay',
      'let me seepay: {"did":"pay","topic":"t"}',
      'and then?',
      'you said and then?',
    ]);
    expect(asStored(await historyOf(url))).toEqual(asStored(chat.messages));
  });

  it('comes too late when what was said since has ended its run: the client is shown that, and nothing begins', async () => {
    const { url, ran } = await openServer();
    const chat = openChat(url);
    await chat.sendMessage({ text: 'pay' });
    await chat.sendMessage({ text: 'no, leave it' });
    await chat.addToolApprovalResponse({ id: approvalOf(chat.messages[1], 'pay'), approved: true });
    await chat.sendMessage();
    expect([chat.status, ran.get('pay')]).toEqual(['ready', undefined]);
    expect(toolsOf(chat.messages[1])).toEqual(['pay: output-error']);
    expect((await historyOf(url)).map(({ id }) => id)).toEqual(chat.messages.map(({ id }) => id));
  });

  it('does not keep what is said for the first time beside it from being heard', async () => {
    const { url } = await openServer();
    const chat = openChat(url, { sendAutomaticallyWhen: allApproved });
    await chat.sendMessage({ text: 'pay' });
    await chat.addToolApprovalResponse({ id: approvalOf(chat.lastMessage, 'pay'), approved: true });
    await atRest(chat);
    const thanks = { id: 'new', role: 'user', parts: [{ type: 'text', text: 'thanks' }] };
    const body = { id: 'chat', messages: [...chat.messages, thanks], messageId: chat.lastMessage!.id };
    expect(await (await post(`${url}/v1/ai-sdk/agents/clerk/runs`, body)).text()).toContain('you said thanks');
    expect((await historyOf(url)).map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
  });

  it('in another tab is shown how its run ended, and leaves the run that goes on alone', async () => {
    const { url, ran } = await openServer();
    const [chat, other] = [openChat(url), openChat(url)];
    await chat.sendMessage({ text: 'pay' });
    await other.sendMessage({ text: 'refund' });
    await chat.addToolApprovalResponse({ id: approvalOf(chat.lastMessage, 'pay'), approved: true });
    await chat.sendMessage();
    expect([chat.messages.length, ...toolsOf(chat.lastMessage)]).toEqual([2, 'pay: output-error']);
    await other.addToolApprovalResponse({ id: approvalOf(other.lastMessage, 'refund'), approved: true });
    await other.sendMessage();
    expect([ran.get('pay'), ran.get('refund')]).toEqual([undefined, 1]);
  });
});

describe('a tool of the client', () => {
  it('is called, answered by itself, and its result is told to the model', async () => {
    const { url } = await openServer();
    const requests = watchRequests(url);
    const called: unknown[] = [];
    const chat = openChat(url, {
      sendAutomaticallyWhen: allCalled,
      onToolCall({ toolCall }) {
        called.push(toolCall.toolName);
        if (toolCall.toolName !== 'paint') return;
        // Not awaited: the library says so.
        void chat.addToolOutput({
          tool: 'paint',
          toolCallId: toolCall.toolCallId,
          output: { painted: 'red' },
        });
      },
    });
    await chat.sendMessage({ text: 'paint' });
    await atRest(chat);
    expect(called).toEqual(['paint']);
    expect(toolsOf(chat.lastMessage)).toEqual(['paint: output-available']);
    expect(textOf(chat.lastMessage)).toBe('let me seepaint: {"painted":"red"}');
    expect([chat.messages.length, posts(requests)]).toEqual([2, 2]);
    expect(asStored(await historyOf(url))).toEqual(asStored(chat.messages));
  });

  it('can fail', async () => {
    const { url } = await openServer();
    const chat = openChat(url, { sendAutomaticallyWhen: allCalled });
    await chat.sendMessage({ text: 'paint' });
    expect(toolsOf(chat.lastMessage)).toEqual(['paint: input-available']);
    const toolCallId = callOf(chat.lastMessage, 'paint');
    await chat.addToolOutput({ state: 'output-error', tool: 'paint', toolCallId, errorText: 'no colour' });
    await atRest(chat);
    expect(toolsOf(chat.lastMessage)).toEqual(['paint: output-error']);
    expect(textOf(chat.lastMessage)).toBe('let me seepaint failed: no colour');
    expect(asStored(await historyOf(url))).toEqual(asStored(chat.messages));
  });

  it('can stand beside an approval in one step', async () => {
    const { url, ran } = await openServer();
    const requests = watchRequests(url);
    const chat = openChat(url, { sendAutomaticallyWhen: allApproved });
    await chat.sendMessage({ text: 'paint, pay' });
    await chat.addToolApprovalResponse({ id: approvalOf(chat.lastMessage, 'pay'), approved: true });
    await chat.addToolOutput({
      tool: 'paint',
      toolCallId: callOf(chat.lastMessage, 'paint'),
      output: 'done',
    });
    await atRest(chat);
    expect(textOf(chat.lastMessage)).toBe('let me seepaint: done; pay: {"did":"pay","topic":"t"}');
    expect([ran.get('pay'), posts(requests)]).toEqual([1, 2]);
  });

  it('is offered by the demo agent too', async () => {
    const { url } = await openServer();
    const chat = openChat(url, { agent: 'assistant', sendAutomaticallyWhen: allCalled });
    await chat.sendMessage({ text: '[[client-tool]] where am I?' });
    expect(toolsOf(chat.lastMessage)).toEqual(['get_location: input-available']);
    const toolCallId = callOf(chat.lastMessage, 'get_location');
    await chat.addToolOutput({ tool: 'get_location', toolCallId, output: { city: 'Bonn' } });
    await atRest(chat);
    expect(textOf(chat.lastMessage)).toContain('{"city":"Bonn"}');
  });
});

describe('a question', () => {
  it('of a tool is a data part beside the call, answered by an output', async () => {
    const { url } = await openServer();
    const chat = openChat(url, { sendAutomaticallyWhen: allCalled });
    await chat.sendMessage({ text: 'guess' });
    const toolCallId = callOf(chat.lastMessage, 'guess');
    const question = {
      type: 'data-suspension',
      id: `fc_${toolCallId}`,
      data: { toolCallId, toolName: 'guess', kind: 'input', message: 'which one?', responseSchema: { type: 'string' } },
    };
    expect(chat.lastMessage!.parts.at(-1)).toEqual(question);
    expect((await historyOf(url)).at(-1)!.parts.at(-1)).toEqual(question);
    await chat.addToolOutput({ tool: 'guess', toolCallId, output: 'the left one' });
    await atRest(chat);
    expect(textOf(chat.lastMessage)).toBe('let me seeguess: the left one');
  });

  it('about an approved call that may have happened is not answered by the approval', async () => {
    const { url } = await openServer();
    const requests = watchRequests(url);
    const chat = openChat(url, { sendAutomaticallyWhen: allApproved });
    await chat.sendMessage({ text: 'stall' });
    await chat.addToolApprovalResponse({ id: approvalOf(chat.lastMessage, 'stall'), approved: true });
    await atRest(chat);
    expect(posts(requests)).toBe(2);
    expect(toolsOf(chat.lastMessage)).toEqual(['stall: input-available']);
    expect(chat.lastMessage!.parts.at(-1)).toMatchObject({ type: 'data-suspension', data: { kind: 'in_doubt' } });
    // The same approval once more, as from a lost connection.
    const approved = structuredClone(chat.messages);
    const part = approved[1]!.parts.find(({ type }) => type === 'tool-stall')!;
    Object.assign(part, { state: 'approval-responded' });
    const response = await fetch(`${url}/v1/ai-sdk/agents/clerk/runs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: 'chat', messages: approved, trigger: 'submit-message' }),
    });
    await response.text();
    expect(await (await fetch(`${url}/v1/runs/${runIdOf(chat.lastMessage)}`)).json()).toMatchObject({
      status: 'waiting',
    });

    // Tried again it is in doubt again, as often as somebody says so.
    for (const output of [{ retry: true }, { retry: true }, 'it did']) {
      expect(toolsOf(chat.lastMessage)).toEqual(['stall: input-available']);
      await chat.addToolOutput({ tool: 'stall', toolCallId: callOf(chat.lastMessage, 'stall'), output });
      await chat.sendMessage();
    }
    expect(textOf(chat.lastMessage)).toBe('let me seestall: it did');
  });
});

describe('a client that posts by itself', () => {
  it('does not begin again when the run stops behind a tool call', async () => {
    const { url, ran } = await openServer();
    const requests = watchRequests(url);
    const chat = openChat(url, { agent: 'tireless', sendAutomaticallyWhen: allCalled });
    await chat.sendMessage({ text: 'go' });
    expect([chat.status, posts(requests), ran.get('look')]).toEqual(['ready', 1, 2]);
  });

  it('does not begin again when the run is cancelled at a tool call', async () => {
    const { url } = await openServer();
    const requests = watchRequests(url);
    const chat = openChat(url, { sendAutomaticallyWhen: (chat) => allCalled(chat) || allApproved(chat) });
    await chat.sendMessage({ text: 'wait' });
    await chat.addToolApprovalResponse({ id: approvalOf(chat.lastMessage, 'wait'), approved: true });
    await expect.poll(() => chat.status).toBe('submitted');
    await expect
      .poll(async () => (await fetch(`${url}/v1/runs/${runIdOf(chat.lastMessage)}`)).json())
      .toMatchObject({ status: 'running' });
    await fetch(`${url}/v1/runs/${runIdOf(chat.lastMessage)}/cancel`, { method: 'POST' });
    await atRest(chat);
    expect(toolsOf(chat.lastMessage)).toEqual(['wait: output-error']);
    expect(posts(requests.filter((request) => request.includes('ai-sdk')))).toBe(2);
  });
});
