/** The real chat clients, the real executable, `kill -9` in the middle of their streams, and the page after it. */

import { HttpAgent } from '@ag-ui/client';
import { Chat } from '@ai-sdk/react';
import { DefaultChatTransport, type UIMessage } from 'ai';
import { expect, it } from 'vitest';
import { post } from './support/http-server.js';
import { startServer } from './support/server-process.js';
import { readSse } from './support/sse-client.js';
import { tempDir } from './support/temp-dir.js';

type Metadata = { voidParts?: Record<string, true> };

it('both go on where the server was killed, and end up with the whole answer, once', async () => {
  const data = await tempDir();
  const first = await startServer({ data });
  const { url } = first;
  const { port } = new URL(url);

  const chat = openChat(url);
  const sent = chat.sendMessage({ text: 'tell me [[slow]]' });
  const other = readUntilCut(url);
  await expect.poll(() => saidBy(chat).length).toBeGreaterThan(10);
  await expect.poll(() => other.text.length).toBeGreaterThan(10);
  await first.kill('SIGKILL');
  await Promise.all([sent, other.cut]);
  expect(chat.status).toBe('error');

  const second = await startServer({ data, args: ['--port', port] });
  expect(second.url).toBe(url);
  const page = openChat(url, await historyOf(url, 'ai-sdk', 'chat'));
  const joined = openAgent(url);
  await Promise.all([page.resumeStream(), joined.connectAgent()]);
  const whole = /You said: "tell me".*nothing to run/;
  expect(saidBy(page)).toMatch(whole);
  expect(joined.messages.filter(({ role }) => role === 'assistant')).toMatchObject([
    { content: expect.stringMatching(whole) },
  ]);
  expect(page.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  expect(page.lastMessage!.id).toBe(chat.lastMessage!.id);
  expect(joined.messages).toEqual(await historyOf(url, 'ag-ui', 'thread'));
  const [stored] = (await historyOf(url, 'ai-sdk', 'chat')).slice(-1) as [UIMessage];
  expect(saidBy(page)).toBe(textOf(stored));
  await second.stop();
});

/**
 * The AG-UI page that does not survive. It posts as the client does and reads by itself: the client leaves a rejection
 * unhandled when its connection is cut, which would fail the test.
 */
function readUntilCut(url: string): { text: string; cut: Promise<void> } {
  const seen = { text: '', cut: read() };
  return seen;

  async function read(): Promise<void> {
    const messages = [{ id: 'u', role: 'user', content: 'tell me [[slow]]' }];
    const response = await post(`${url}/v1/ag-ui/agents/assistant/runs`, { threadId: 'thread', runId: 'r', messages });
    try {
      for await (const { data } of readSse(response)) seen.text += (JSON.parse(data) as { delta?: string }).delta ?? '';
    } catch {
      return; // Cut, as it should be.
    }
    throw new Error('the stream ended before the server was killed');
  }
}

function openChat(url: string, messages: UIMessage[] = []): Chat<UIMessage> {
  const api = `${url}/v1/ai-sdk/agents/assistant/runs`;
  const transport = new DefaultChatTransport<UIMessage>({
    api,
    prepareReconnectToStreamRequest: ({ id }) => ({ api: `${url}/v1/ai-sdk/agents/assistant/chats/${id}/stream` }),
  });
  return new Chat<UIMessage>({ id: 'chat', transport, messages });
}

/** The client joins a run by its own request; the address is the one that the documents name. */
class JoiningAgent extends HttpAgent {
  protected override connect(input: Parameters<HttpAgent['run']>[0]): ReturnType<HttpAgent['run']> {
    const stream = new HttpAgent({
      url: this.url.replace(/runs$/, `threads/${this.threadId}/stream`),
      fetch: (target, init) => fetch(target, { ...init, method: 'GET', body: null }),
    });
    return stream.run(input);
  }
}

const openAgent = (url: string): HttpAgent =>
  new JoiningAgent({ url: `${url}/v1/ag-ui/agents/assistant/runs`, threadId: 'thread' });

async function historyOf(url: string, surface: string, thread: string): Promise<UIMessage[]> {
  const response = await fetch(`${url}/v1/${surface}/threads/${thread}/messages`);
  return ((await response.json()) as { messages: UIMessage[] }).messages;
}

const textOf = (message: UIMessage | undefined): string =>
  message?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? '';

/** What a page shows: the text of the answer without the parts that the server has called void. */
function saidBy(chat: Chat<UIMessage>): string {
  const message = chat.messages.findLast(({ role }) => role === 'assistant');
  const { voidParts = {} } = (message?.metadata ?? {}) as Metadata;
  const parts = message?.parts.filter((part) => !(part.type === 'text' && voidParts[partIdOf(part)])) ?? [];
  return textOf(message && { ...message, parts });
}

const partIdOf = ({ providerMetadata }: Extract<UIMessage['parts'][number], { type: 'text' }>): string =>
  providerMetadata?.agentServer?.partId as string;
