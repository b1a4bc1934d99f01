/** The chat client as an application uses it: `Chat` of `@ai-sdk/react` over the `DefaultChatTransport` of `ai`. */

import { Chat } from '@ai-sdk/react';
import { DefaultChatTransport, isToolUIPart, safeValidateUIMessages, type UIMessage } from 'ai';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { expect, onTestFinished } from 'vitest';

type ChatInit = ConstructorParameters<typeof Chat<UIMessage>>[0];

export type ChatOptions = Partial<ChatInit> & {
  agent?: string;
  /** More fields of the request body, as applications add them. */
  body?: object;
};

/** A client of this server, untouched: the library's own transport and the `fetch` of Node. */
export function openChat(url: string, { agent = 'clerk', body, ...init }: ChatOptions = {}): Chat<UIMessage> {
  const api = `${url}/v1/ai-sdk/agents/${agent}/runs`;
  const transport = new DefaultChatTransport<UIMessage>({ api, ...(body ? { body } : {}) });
  return new Chat<UIMessage>({ id: 'chat', transport, ...init });
}

/** A client that begins with the stored history, as after a reload of the page. */
export async function reloadChat(url: string, options: ChatOptions = {}): Promise<Chat<UIMessage>> {
  return openChat(url, { ...options, messages: await historyOf(url, options.id) });
}

/** The history the server has for clients; what the library does not take is an error. */
export async function historyOf(url: string, id = 'chat', query = ''): Promise<UIMessage[]> {
  const response = await fetch(`${url}/v1/ai-sdk/threads/${id}/messages${query}`);
  const { messages } = (await response.json()) as { messages: UIMessage[] };
  if (messages.length === 0) return [];
  const checked = await safeValidateUIMessages({ messages });
  if (!checked.success) throw checked.error;
  return messages;
}

/** The requests that `fetch` makes to this server from now on, as `METHOD path`. */
export function watchRequests(url: string): string[] {
  const requests: string[] = [];
  const note = (event: unknown): void => {
    const { origin, method, path } = (event as { request: { origin: string; method: string; path: string } }).request;
    if (String(origin) === url) requests.push(`${method} ${path}`);
  };
  subscribe('undici:request:create', note);
  onTestFinished(() => void unsubscribe('undici:request:create', note));
  return requests;
}

/** Waits until the client has nothing under way any more. */
export const atRest = (chat: Chat<UIMessage>): Promise<void> => expect.poll(() => chat.status).toBe('ready');

export const textOf = (message: UIMessage | undefined): string =>
  message?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? '';

/** `name: state` of each tool call of a message. */
export const toolsOf = (message: UIMessage | undefined): string[] =>
  message?.parts.flatMap((part) => (isToolUIPart(part) ? [`${part.type.slice(5)}: ${part.state}`] : [])) ?? [];

/** The id to answer the approval of a tool with. */
export function approvalOf(message: UIMessage | undefined, tool: string): string {
  const part = message?.parts.findLast((candidate) => candidate.type === `tool-${tool}`);
  if (!part || !isToolUIPart(part) || part.state !== 'approval-requested') throw new Error(`${tool} asks for nothing`);
  return part.approval.id;
}

/** The call of a tool. */
export function callOf(message: UIMessage | undefined, tool: string): string {
  const part = message?.parts.findLast((candidate) => candidate.type === `tool-${tool}`);
  if (!part || !isToolUIPart(part)) throw new Error(`${tool} was not called`);
  return part.toolCallId;
}

/** What the history does not have or has otherwise: notes on streaming, data parts, granted approvals, empty steps. */
export function asStored(messages: readonly UIMessage[]): unknown {
  return (JSON.parse(JSON.stringify(messages)) as UIMessage[]).map((message) => ({
    ...message,
    parts: message.parts
      .filter(({ type }) => type !== 'reasoning' && !type.startsWith('data-'))
      .map((part) => {
        if (part.type === 'text') return { type: 'text', text: part.text };
        if (!isToolUIPart(part) || part.state === 'output-denied') return part;
        const { approval: _, ...rest } = part;
        return part.state === 'output-available' || part.state === 'output-error' ? rest : part;
      }),
  }));
}
