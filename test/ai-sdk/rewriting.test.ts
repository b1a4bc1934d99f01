/** The real chat client against a real server: regenerating answers and editing messages. */

import { describe, expect, it } from 'vitest';
import { asStored, historyOf, openChat, reloadChat, textOf } from './chat.js';
import { openServer } from './server.js';

const contents = async (url: string): Promise<string[]> => (await historyOf(url)).map(textOf);

/** A chat of two turns. */
async function twoTurns() {
  const server = await openServer();
  const chat = openChat(server.url);
  await chat.sendMessage({ text: 'one' });
  await chat.sendMessage({ text: 'two' });
  return { ...server, chat };
}

describe('regenerating', () => {
  it('an answer cuts the thread in front of it and asks again', async () => {
    const { url, chat } = await twoTurns();
    const [, , , old] = chat.messages;
    await chat.regenerate({ messageId: old!.id });
    expect(chat.messages.map(textOf)).toEqual(['one', 'you said one', 'two', 'you said two']);
    expect(chat.lastMessage!.id).not.toBe(old!.id);
    expect(asStored(await historyOf(url))).toEqual(asStored(chat.messages));
  });

  it('an earlier answer takes everything behind it away', async () => {
    const { url, chat } = await twoTurns();
    await chat.regenerate({ messageId: chat.messages[1]!.id });
    expect(await contents(url)).toEqual(['one', 'you said one']);
    expect(asStored(await historyOf(url))).toEqual(asStored(chat.messages));
  });

  it('from a user message keeps that message', async () => {
    const { url, chat } = await twoTurns();
    await chat.regenerate({ messageId: chat.messages[0]!.id });
    expect(chat.messages.map(textOf)).toEqual(['one', 'you said one']);
    expect(asStored(await historyOf(url))).toEqual(asStored(chat.messages));
  });

  it('an answer that had several steps takes all of them away', async () => {
    const { url, ran } = await openServer();
    const chat = openChat(url);
    await chat.sendMessage({ text: 'look' });
    await chat.regenerate({ messageId: chat.lastMessage!.id });
    expect(ran.get('look')).toBe(2);
    expect(chat.messages).toHaveLength(2);
    expect(asStored(await historyOf(url))).toEqual(asStored(chat.messages));
  });

  it('an approval that waits ends it and asks anew, and the new one can be answered', async () => {
    const { url, ran } = await openServer();
    const chat = openChat(url);
    const approve = async (): Promise<void> => {
      const part = chat.lastMessage!.parts.find(({ type }) => type === 'tool-pay') as { approval: { id: string } };
      await chat.addToolApprovalResponse({ id: part.approval.id, approved: true });
      await chat.sendMessage();
    };
    await chat.sendMessage({ text: 'pay' });
    await chat.regenerate({ messageId: chat.lastMessage!.id });
    await approve();
    await chat.regenerate({ messageId: chat.lastMessage!.id });
    await approve();
    expect(ran.get('pay')).toBe(2);
    expect(asStored(await historyOf(url))).toEqual(asStored(chat.messages));
  });

  it('an answer while it streams begins it anew', async () => {
    const { url, gate } = await openServer();
    const chat = openChat(url, { agent: 'gated' });
    const sent = chat.sendMessage({ text: 'go' });
    await expect.poll(() => textOf(chat.lastMessage)).toBe('one');
    await chat.stop();
    await sent;
    const again = chat.regenerate({ messageId: chat.lastMessage!.id });
    await expect.poll(() => chat.status).toBe('streaming');
    gate.open();
    await again;
    expect(await contents(url)).toEqual(['go', 'one two three']);
    expect(asStored(await historyOf(url))).toEqual(asStored(chat.messages));
  });

  it('what the thread does not have is refused', async () => {
    const { url } = await twoTurns();
    const chat = openChat(url, {
      messages: [{ id: 'nobody knows', role: 'user', parts: [{ type: 'text', text: 'x' }] }],
    });
    await chat.regenerate({ messageId: 'nobody knows' });
    expect(chat.status).toBe('error');
    expect(chat.error!.message).toBe('{"error":"bad request: messageId does not reference a stored message"}');
    expect(await contents(url)).toEqual(['one', 'you said one', 'two', 'you said two']);
  });
});

describe('editing', () => {
  it('the last message takes its answer away and asks the new one', async () => {
    const { url, chat } = await twoTurns();
    const { id } = chat.messages[2]!;
    await chat.sendMessage({ text: 'three', messageId: id });
    expect(chat.messages.map(textOf)).toEqual(['one', 'you said one', 'three', 'you said three']);
    expect(chat.messages[2]!.id).toBe(id);
    expect(asStored(await historyOf(url))).toEqual(asStored(chat.messages));
  });

  it('an earlier message takes everything behind it away, also in another tab', async () => {
    const { url, chat } = await twoTurns();
    const other = await reloadChat(url);
    await other.sendMessage({ text: 'zero', messageId: chat.messages[0]!.id });
    expect(await contents(url)).toEqual(['zero', 'you said zero']);
    expect(asStored(await historyOf(url))).toEqual(asStored(other.messages));
  });

  it('a message that never reached the server sends it', async () => {
    const { url, chat } = await twoTurns();
    const messages = [
      ...chat.messages,
      { id: 'lost', role: 'user' as const, parts: [{ type: 'text' as const, text: 'x' }] },
    ];
    const other = openChat(url, { messages });
    await other.sendMessage({ text: 'found', messageId: 'lost' });
    expect((await contents(url)).slice(-3)).toEqual(['you said two', 'found', 'you said found']);
  });

  it('with the same words asks again', async () => {
    const { url, chat, prompts } = await twoTurns();
    const asked = prompts.length;
    await chat.sendMessage({ text: 'two', messageId: chat.messages[2]!.id });
    expect(prompts.length).toBe(asked + 1);
    expect(await contents(url)).toEqual(['one', 'you said one', 'two', 'you said two']);
  });
});

describe('messages that the thread does not have yet', () => {
  it('go with the one that reaches it', async () => {
    const { url } = await openServer();
    const messages = ['first', 'second'].map((text) => ({
      id: text,
      role: 'user' as const,
      parts: [{ type: 'text' as const, text }],
    }));
    await openChat(url, { messages }).sendMessage({ text: 'third' });
    expect(await contents(url)).toEqual(['first', 'second', 'third', 'you said third']);
  });
});
