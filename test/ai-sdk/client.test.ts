/** The real chat client against a real server: conversations. */

import { describe, expect, it } from 'vitest';
import { asStored, atRest, historyOf, openChat, textOf, toolsOf } from './chat.js';
import { openServer } from './server.js';

const runOf = async (url: string, run_id: unknown): Promise<Record<string, unknown>> =>
  (await (await fetch(`${url}/v1/runs/${String(run_id)}`)).json()) as Record<string, unknown>;

describe('a conversation', () => {
  it('starts, goes on, and is the same in the history, ids included', async () => {
    const { url } = await openServer();
    const chat = openChat(url, { agent: 'assistant' });
    await chat.sendMessage({ text: 'what is new?' });
    await chat.sendMessage({ text: 'and [[tools 2]] now?' });
    expect(chat.status).toBe('ready');
    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(textOf(chat.messages[1])).toContain('what is new?');
    expect(toolsOf(chat.messages[3])).toEqual(['look_up: output-available', 'save_note: output-available']);
    expect(textOf(chat.messages[3])).toContain('now?');
    expect(asStored(await historyOf(url))).toEqual(asStored(chat.messages));
    expect(chat.messages[1]!.metadata).toMatchObject({ threadId: 'chat' });
  });

  it('has one assistant message for all the steps of a run', async () => {
    const { url } = await openServer();
    const chat = openChat(url, { agent: 'assistant' });
    await chat.sendMessage({ text: '[[tools 1]]' });
    expect(chat.messages).toHaveLength(2);
    expect(chat.lastMessage!.parts.map(({ type }) => type)).toEqual([
      'step-start',
      'tool-look_up',
      'step-start',
      'text',
    ]);
  });

  it('is told the whole conversation by the server, not by the client', async () => {
    const { url, prompts } = await openServer();
    await openChat(url).sendMessage({ text: 'remember this' });
    // Another device, which knows nothing of the first one.
    await openChat(url).sendMessage({ text: 'what did I say?' });
    expect(JSON.stringify(prompts.at(-1))).toContain('you said remember this');
  });

  it('shows how far a tool is, in one data part for each call', async () => {
    const { url } = await openServer();
    const seen: unknown[] = [];
    const chat = openChat(url, { agent: 'worker', onData: (part) => void seen.push(part.data) });
    await chat.sendMessage({ text: 'go' });
    const [part, ...others] = chat.lastMessage!.parts.filter(({ type }) => type === 'data-activity-snapshot');
    expect(others).toEqual([]);
    expect(part).toMatchObject({
      id: expect.stringMatching(/^tool_call:/),
      data: {
        messageId: expect.stringMatching(/^tool_call:/),
        activityType: 'tool-call-progress',
        replace: true,
        content: { type: 'tool-call-progress', schema: 'tool-call-progress.v1', status: expect.any(String) },
      },
    });
    expect(seen.length).toBeGreaterThan(1);
    expect(toolsOf(chat.lastMessage)).toEqual(['long_task: output-available']);
  });

  it('can be about a text file', async () => {
    const { url, prompts } = await openServer();
    const data = `data:text/csv;base64,${Buffer.from('a,b\n1,2').toString('base64')}`;
    await openChat(url).sendMessage({
      text: 'sum this up',
      files: [{ type: 'file', mediaType: 'text/csv', filename: 'sums.csv', url: data }],
    });
    expect(JSON.stringify(prompts.at(-1))).toContain('sum this up\\n\\n[sums.csv]\\na,b\\n1,2');
  });
});

describe('a client that goes away', () => {
  it('stops nothing: the run goes on to its end', async () => {
    const { url, gate } = await openServer();
    const chat = openChat(url, { agent: 'gated' });
    const sent = chat.sendMessage({ text: 'go' });
    await expect.poll(() => textOf(chat.lastMessage)).toBe('one');
    await chat.stop();
    await sent;
    expect([chat.status, textOf(chat.lastMessage)]).toEqual(['ready', 'one']);
    gate.open();
    await expect.poll(async () => textOf((await historyOf(url)).at(-1))).toBe('one two three');
  });

  it('and comes back with a new message: the older run is superseded', async () => {
    const { url, gate } = await openServer();
    const chat = openChat(url, { agent: 'gated' });
    const sent = chat.sendMessage({ text: 'go' });
    await expect.poll(() => textOf(chat.lastMessage)).toBe('one');
    await chat.stop();
    await sent;
    const { runId } = chat.lastMessage!.metadata as { runId: string };
    const second = chat.sendMessage({ text: 'no, this' });
    await expect.poll(() => runOf(url, runId)).toMatchObject({ status: 'done', termination_code: 'superseded' });
    gate.open();
    await second;
    expect(textOf(chat.lastMessage)).toBe('one two three');
    expect((await historyOf(url)).map(textOf).slice(-2)).toEqual(['no, this', 'one two three']);
  });

  it('cancels its run when it has asked for that', async () => {
    const { url } = await openServer();
    const chat = openChat(url, { agent: 'gated', body: { onDisconnect: 'cancel' } });
    const sent = chat.sendMessage({ text: 'go' });
    await expect.poll(() => textOf(chat.lastMessage)).toBe('one');
    await chat.stop();
    await sent;
    const { runId } = chat.lastMessage!.metadata as { runId: string };
    await expect.poll(() => runOf(url, runId)).toMatchObject({ termination_code: 'cancelled' });
  });
});

describe('a run that does not end well', () => {
  it('is an error for the client, with what was said before', async () => {
    const { url } = await openServer();
    const chat = openChat(url, { agent: 'failing' });
    await chat.sendMessage({ text: 'go' });
    expect([chat.status, chat.error?.message]).toEqual(['error', 'the scripted model failed as it was asked to']);
    expect(textOf(chat.lastMessage)).not.toBe('');
    expect(asStored(await historyOf(url))).toEqual(asStored(chat.messages));
  });

  it('can be tried again', async () => {
    const { url } = await openServer();
    const chat = openChat(url, { agent: 'failing' });
    await chat.sendMessage({ text: 'go' });
    const failed = chat.lastMessage!.id;
    await chat.regenerate({ messageId: failed });
    expect(chat.status).toBe('error');
    expect(chat.lastMessage!.id).not.toBe(failed);
    expect(chat.messages).toHaveLength(2);
    expect(asStored(await historyOf(url))).toEqual(asStored(chat.messages));
  });

  it('can be tried again when it failed before the first word', async () => {
    const { url, prompts } = await openServer();
    const chat = openChat(url, { agent: 'mute' });
    await chat.sendMessage({ text: 'go' });
    expect([chat.status, chat.lastMessage!.role]).toEqual(['error', 'assistant']);
    await chat.regenerate({ messageId: chat.lastMessage!.id });
    expect(chat.status).toBe('ready');
    expect(textOf(chat.lastMessage)).toBe('there');
    expect(JSON.stringify(prompts.at(-1)).match(/"go"/g)).toHaveLength(1);
    expect((await historyOf(url)).map(textOf)).toEqual(['go', 'there']);
  });

  it('is over for the client when it is cancelled', async () => {
    const { url } = await openServer();
    const chat = openChat(url, { agent: 'gated' });
    const sent = chat.sendMessage({ text: 'go' });
    await expect.poll(() => textOf(chat.lastMessage)).toBe('one');
    const { runId } = chat.lastMessage!.metadata as { runId: string };
    await fetch(`${url}/v1/runs/${runId}/cancel`, { method: 'POST' });
    await sent;
    expect([chat.status, textOf(chat.lastMessage)]).toEqual(['ready', 'one']);
    expect(textOf((await historyOf(url)).at(-1))).toBe('one');
  });

  it('tells which parts are void when the model is asked again', async () => {
    const { url } = await openServer();
    const retries: unknown[] = [];
    const chat = openChat(url, {
      agent: 'flaky',
      onData: (part) => void (part.type === 'data-inference-retry' && retries.push(part.data)),
    });
    await chat.sendMessage({ text: 'go' });
    await atRest(chat);
    const { voidParts } = chat.lastMessage!.metadata as { voidParts: object };
    expect(retries).toMatchObject([{ attempt: 1, reason: 'lost the line', voidParts: Object.keys(voidParts) }]);
    expect(Object.keys(voidParts)).toHaveLength(2);
    expect(chat.lastMessage!.parts.at(-1)).toMatchObject({ type: 'text', text: 'whole', state: 'done' });
    expect(toolsOf(chat.lastMessage)).toEqual(['look: output-error', 'look: output-error']);
    // The history is clean.
    expect((await historyOf(url)).at(-1)!.parts).toMatchObject([
      { type: 'step-start' },
      { type: 'text', text: 'whole' },
    ]);
  });
});
