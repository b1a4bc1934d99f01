/** The real chat client against a real server: reloads in the middle, second readers, restarts. */

import { lastAssistantMessageIsCompleteWithApprovalResponses as allApproved } from 'ai';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../support/temp-dir.js';
import { approvalOf, asStored, atRest, historyOf, openChat, reloadChat, textOf, toolsOf } from './chat.js';
import { openServer } from './server.js';

/** A chat whose answer has begun and waits for the gate. */
async function underWay() {
  const server = await openServer();
  const chat = openChat(server.url, { agent: 'gated' });
  const sent = chat.sendMessage({ text: 'go' });
  await expect.poll(() => textOf(chat.lastMessage)).toBe('one');
  return { ...server, chat, sent };
}

describe('a page that is loaded while an answer streams', () => {
  it('has the history without that answer, then the whole of it under the same id', async () => {
    const { url, gate, chat, sent } = await underWay();
    const page = await reloadChat(url, { agent: 'gated' });
    expect(page.messages.map(({ role }) => role)).toEqual(['user']);
    const resumed = page.resumeStream();
    await expect.poll(() => textOf(page.lastMessage)).toBe('one');
    expect(page.status).toBe('streaming');
    gate.open();
    await Promise.all([resumed, sent]);
    expect(page.messages).toEqual(chat.messages);
    expect(asStored(await historyOf(url))).toEqual(asStored(page.messages));
  });

  it('may be one of many', async () => {
    const { url, gate, chat, sent } = await underWay();
    const pages = await Promise.all(Array.from({ length: 5 }, () => reloadChat(url, { agent: 'gated' })));
    const resumed = pages.map((page) => page.resumeStream());
    await expect.poll(() => pages.map((page) => textOf(page.lastMessage))).toEqual(pages.map(() => 'one'));
    gate.open();
    await Promise.all([...resumed, sent]);
    for (const page of pages) expect(page.messages).toEqual(chat.messages);
  });

  it('shows what came before an approval and what follows it as one message', async () => {
    const { url, gate } = await openServer();
    const chat = openChat(url, { sendAutomaticallyWhen: allApproved });
    await chat.sendMessage({ text: 'wait' });
    await chat.addToolApprovalResponse({ id: approvalOf(chat.lastMessage, 'wait'), approved: true });
    await expect
      .poll(() => fetch(`${url}/v1/ai-sdk/agents/clerk/chats/chat/stream`, { method: 'HEAD' }).then((r) => r.status))
      .toBe(200);
    const page = await reloadChat(url);
    expect(page.messages.map(({ role }) => role)).toEqual(['user']);
    const resumed = page.resumeStream();
    await expect.poll(() => toolsOf(page.lastMessage)).toEqual(['wait: approval-requested']);
    gate.open();
    await Promise.all([resumed, atRest(chat)]);
    expect([page.messages.length, page.lastMessage!.id]).toEqual([2, chat.lastMessage!.id]);
    expect(textOf(page.lastMessage)).toBe('let me seewait: waited');
    expect(asStored(page.messages)).toEqual(asStored(chat.messages));
    expect(asStored(await historyOf(url))).toEqual(asStored(page.messages));
  });

  it('finds nothing to resume when nothing streams', async () => {
    const { url } = await openServer();
    const chat = openChat(url);
    await chat.resumeStream();
    expect([chat.status, chat.messages]).toEqual(['ready', []]);
    await chat.sendMessage({ text: 'hello' });
    const before = structuredClone(chat.messages);
    await chat.resumeStream();
    expect([chat.status, chat.messages]).toEqual(['ready', before]);
  });
});

describe('a server that is restarted', () => {
  it('goes on with the answer, under the same id', async () => {
    const data = await tempDir();
    const first = await openServer({ data });
    const chat = openChat(first.url, { agent: 'gated' });
    const sent = chat.sendMessage({ text: 'go' });
    await expect.poll(() => textOf(chat.lastMessage)).toBe('one');
    await first.server.close();
    await sent;
    const second = await openServer({ data });
    const page = await reloadChat(second.url, { agent: 'gated' });
    const resumed = page.resumeStream();
    await expect.poll(() => page.status).toBe('streaming');
    second.gate.open();
    await resumed;
    expect(page.lastMessage!.id).toBe(chat.lastMessage!.id);
    expect(page.lastMessage!.parts.at(-1)).toMatchObject({ type: 'text', text: 'one two three' });
    expect(textOf((await historyOf(second.url)).at(-1))).toBe('one two three');
  });

  it('still has what waits for an approval', async () => {
    const data = await tempDir();
    const first = await openServer({ data });
    await openChat(first.url).sendMessage({ text: 'pay' });
    await first.server.close();
    const second = await openServer({ data });
    const page = await reloadChat(second.url, { sendAutomaticallyWhen: allApproved });
    await page.addToolApprovalResponse({ id: approvalOf(page.lastMessage, 'pay'), approved: true });
    await atRest(page);
    expect([second.ran.get('pay'), textOf(page.lastMessage)]).toEqual([1, 'let me seepay: {"did":"pay","topic":"t"}']);
  });
});
