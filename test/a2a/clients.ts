/** The unchanged clients of the official SDK, made from the card they find: 1.3 over both transports, 0.3.14. */

import { randomUUID } from 'node:crypto';
import { Role, TaskState, type Message, type Part, type StreamResponse, type Task } from '@a2a-js/sdk';
import { ClientFactory, ClientFactoryOptions } from '@a2a-js/sdk/client';
import type * as old from 'a2a-sdk-03';
import { ClientFactory as OldClientFactory } from 'a2a-sdk-03/client';

/** What the tests see of a task, whatever the version of the protocol. */
export type Seen = {
  id: string;
  contextId: string;
  state: string;
  /** Text of the status message. */
  says: string;
  /** Of all artifacts. */
  text: string;
  history: [role: 'user' | 'agent', text: string][];
};

/** An event of a stream, as text: the states and the pieces of the answer. */
export type Told =
  | { is: 'task'; task: Seen }
  | { is: 'status'; state: string; says: string }
  | { is: 'text'; id: string; text: string; append: boolean; last: boolean };

export type Sending = { contextId?: string; taskId?: string; messageId?: string; blocking?: boolean };
export type Calling = { lastEventId?: string };

/** One client, in terms of the tests. */
export type Client = {
  name: string;
  send(what: string | Record<string, unknown>, sending?: Sending): Promise<Seen>;
  stream(text: string, sending?: Sending): AsyncGenerator<Told>;
  get(id: string, historyLength?: number): Promise<Seen>;
  cancel(id: string): Promise<Seen>;
  resubscribe(id: string, calling?: Calling): AsyncGenerator<Told>;
};

const base = { metadata: undefined, extensions: [], referenceTaskIds: [] };

const part = (what: string | Record<string, unknown>): Part => ({
  content: typeof what === 'string' ? { $case: 'text', value: what } : { $case: 'data', value: what },
  metadata: undefined,
  filename: '',
  mediaType: '',
});

export const newMessage = (what: string | Record<string, unknown>, sending: Sending = {}): Message => ({
  ...base,
  messageId: sending.messageId ?? randomUUID(),
  contextId: sending.contextId ?? '',
  taskId: sending.taskId ?? '',
  role: Role.ROLE_USER,
  parts: [part(what)],
});

const textOf = (parts: readonly Part[] = []): string =>
  parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('');

const stateName = (state: TaskState | undefined): string =>
  TaskState[state ?? 0]!.replace('TASK_STATE_', '').toLowerCase().replaceAll('_', '-');

export const seen = ({ id, contextId, status, artifacts, history }: Task): Seen => ({
  id,
  contextId,
  state: stateName(status?.state),
  says: textOf(status?.message?.parts),
  text: artifacts.map(({ parts }) => textOf(parts)).join('|'),
  history: history.map(({ role, parts }) => [role === Role.ROLE_USER ? 'user' : 'agent', textOf(parts)]),
});

function told({ payload }: StreamResponse): Told {
  switch (payload?.$case) {
    case 'task':
      return { is: 'task', task: seen(payload.value) };
    case 'statusUpdate': {
      const { status } = payload.value;
      return { is: 'status', state: stateName(status?.state), says: textOf(status?.message?.parts) };
    }
    case 'artifactUpdate': {
      const { artifact, append, lastChunk: last } = payload.value;
      return { is: 'text', id: artifact!.artifactId, text: textOf(artifact!.parts), append, last };
    }
    default:
      throw new Error(`an event without a payload that is expected: ${JSON.stringify(payload)}`);
  }
}

/** @param transport as the card names it. */
export async function newClient(url: string, agent: string, transport: 'JSONRPC' | 'HTTP+JSON'): Promise<Client> {
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, { preferredTransports: [transport] });
  const client = await new ClientFactory(options).createFromUrl(url, `/v1/a2a/agents/${agent}/agent-card`);
  return {
    name: `1.3 ${transport}`,
    send: async (what, sending) =>
      seen(
        (await client.sendMessage({
          tenant: '',
          message: newMessage(what, sending),
          configuration: {
            acceptedOutputModes: [],
            taskPushNotificationConfig: undefined,
            returnImmediately: sending?.blocking === false,
          },
          metadata: undefined,
        })) as Task,
      ),
    async *stream(what, sending) {
      const asked = { tenant: '', message: newMessage(what, sending), configuration: undefined, metadata: undefined };
      for await (const event of client.sendMessageStream(asked)) yield told(event);
    },
    get: async (id, historyLength) =>
      seen(await client.getTask({ tenant: '', id, ...(historyLength === undefined ? {} : { historyLength }) })),
    cancel: async (id) => seen(await client.cancelTask({ tenant: '', id, metadata: undefined })),
    async *resubscribe(id, calling) {
      for await (const event of client.resubscribeTask({ tenant: '', id }, parameters(calling))) yield told(event);
    },
  };
}

const parameters = ({ lastEventId }: Calling = {}) =>
  lastEventId === undefined ? {} : { serviceParameters: { 'Last-Event-ID': lastEventId } };

type OldPart = old.Part;
const oldText = (parts: readonly OldPart[] = []): string =>
  parts.map((one) => (one.kind === 'text' ? one.text : '')).join('');

const oldSeen = ({ id, contextId, status, artifacts = [], history = [] }: old.Task): Seen => ({
  id,
  contextId,
  state: status.state,
  says: oldText(status.message?.parts),
  text: artifacts.map(({ parts }) => oldText(parts)).join('|'),
  history: history.map(({ role, parts }) => [role, oldText(parts)]),
});

type OldEvent = old.Task | old.Message | old.TaskStatusUpdateEvent | old.TaskArtifactUpdateEvent;

function oldTold(event: OldEvent): Told {
  if (event.kind === 'task') return { is: 'task', task: oldSeen(event) };
  if (event.kind === 'status-update')
    return { is: 'status', state: event.status.state, says: oldText(event.status.message?.parts) };
  if (event.kind !== 'artifact-update') throw new Error('a message where a task is expected');
  const { artifact, append = false, lastChunk: last = false } = event;
  return { is: 'text', id: artifact.artifactId, text: oldText(artifact.parts), append, last };
}

export async function oldClient(url: string, agent: string): Promise<Client> {
  const client = await new OldClientFactory().createFromUrl(url, `/v1/a2a/agents/${agent}/agent-card`);
  const message = (what: string | Record<string, unknown>, sending: Sending = {}): old.Message => ({
    kind: 'message',
    role: 'user',
    messageId: sending.messageId ?? randomUUID(),
    parts: [typeof what === 'string' ? { kind: 'text', text: what } : { kind: 'data', data: what }],
    ...(sending.contextId ? { contextId: sending.contextId } : {}),
    ...(sending.taskId ? { taskId: sending.taskId } : {}),
  });
  return {
    name: '0.3.14 JSONRPC',
    send: async (what, sending) =>
      oldSeen(
        (await client.sendMessage({
          message: message(what, sending),
          configuration: { blocking: sending?.blocking !== false },
        })) as old.Task,
      ),
    async *stream(what, sending) {
      for await (const event of client.sendMessageStream({ message: message(what, sending) })) yield oldTold(event);
    },
    get: async (id, historyLength) =>
      oldSeen(await client.getTask({ id, ...(historyLength === undefined ? {} : { historyLength }) })),
    cancel: async (id) => oldSeen(await client.cancelTask({ id })),
    async *resubscribe(id, calling) {
      for await (const event of client.resubscribeTask({ id }, parameters(calling))) yield oldTold(event);
    },
  };
}

export const clients: Record<string, (url: string, agent: string) => Promise<Client>> = {
  '1.3 over JSON-RPC': (url, agent) => newClient(url, agent, 'JSONRPC'),
  '1.3 over HTTP and JSON': (url, agent) => newClient(url, agent, 'HTTP+JSON'),
  '0.3.14 over JSON-RPC': oldClient,
};
