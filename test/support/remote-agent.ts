/**
 * A remote A2A agent that does what a test says, behind the official SDK's own JSON-RPC layer, 1.0 or 0.3. It keeps its
 * tasks when its connections are cut or its server is started anew, and can be told to forget who asked what.
 */

import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  Role,
  TaskState,
  type Artifact,
  type Message,
  type Part,
  type SendMessageRequest,
  type StreamResponse,
  type Task,
} from '@a2a-js/sdk';
import { TaskNotCancelableError, TaskNotFoundError, UnsupportedOperationError } from '@a2a-js/sdk/errors';
import { MESSAGE_ONCE } from '../../src/agents/remote/once.js';
import { JsonRpcTransportHandler, ServerCallContext, type A2ARequestHandler } from '@a2a-js/sdk/server';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';

/** What the agent does with one message. */
export type Play = (turn: Turn) => Promise<void> | void;

export type RemoteOptions = {
  version?: '1.0' | '0.3';
  streaming?: boolean;
  /** The same message of a context is the same task; else every message begins another. */
  dedupes?: boolean;
  /** Its card says that it takes messages once. */
  declares?: boolean;
  /** Streams of new messages say nothing before this. */
  answersAfter?: Promise<void>;
  play: Play;
};

const ENDED = [
  TaskState.TASK_STATE_COMPLETED,
  TaskState.TASK_STATE_FAILED,
  TaskState.TASK_STATE_CANCELED,
  TaskState.TASK_STATE_REJECTED,
];

export const saidIn = (message: Message): string =>
  message.parts
    .map(({ content }) => (content?.$case === 'text' ? content.value : JSON.stringify(content?.value)))
    .join('|');

const textPart = (value: string): Part => ({
  content: { $case: 'text', value },
  metadata: undefined,
  filename: '',
  mediaType: 'text/plain',
});

/** One message being worked on. */
export class Turn {
  constructor(
    readonly task: LiveTask,
    readonly message: Message,
  ) {}

  /** Adds text to the answer. */
  text(value: string, artifactId = 'answer'): void {
    const append = this.task.artifact(artifactId) !== undefined;
    const artifact: Artifact = {
      artifactId,
      name: '',
      description: '',
      parts: [textPart(value)],
      metadata: undefined,
      extensions: [],
    };
    const { taskId, contextId } = this.task;
    const update = { taskId, contextId, artifact, append, lastChunk: false, metadata: undefined };
    this.task.publish({ payload: { $case: 'artifactUpdate', value: update } });
  }

  status(state: TaskState, said?: string, metadata?: Record<string, unknown>): void {
    this.task.setState(state, said, metadata);
  }

  complete(said?: string, metadata?: Record<string, unknown>): void {
    this.status(TaskState.TASK_STATE_COMPLETED, said, metadata);
  }

  ask(question: string): void {
    this.status(TaskState.TASK_STATE_INPUT_REQUIRED, question);
  }
}

export class LiveTask {
  readonly #listeners = new Set<(event: StreamResponse) => void>();
  readonly task: Task;
  readonly taskId = randomUUID();

  constructor(readonly contextId: string) {
    this.task = { id: this.taskId, contextId, status: undefined, artifacts: [], history: [], metadata: undefined };
    this.task.status = { state: TaskState.TASK_STATE_SUBMITTED, message: undefined, timestamp: undefined };
  }

  get state(): TaskState {
    return this.task.status!.state;
  }

  artifact(id: string): Artifact | undefined {
    return this.task.artifacts.find(({ artifactId }) => artifactId === id);
  }

  setState(state: TaskState, said?: string, metadata?: Record<string, unknown>): void {
    const { taskId, contextId } = this;
    const message = said === undefined ? undefined : agentMessage(said, this);
    const status = { state, message, timestamp: new Date(0).toISOString() };
    this.publish({ payload: { $case: 'statusUpdate', value: { taskId, contextId, status, metadata } } });
  }

  publish(event: StreamResponse): void {
    const { payload } = event;
    if (payload?.$case === 'statusUpdate') {
      this.task.status = payload.value.status;
      this.task.metadata = { ...this.task.metadata, ...payload.value.metadata };
    }
    if (payload?.$case === 'artifactUpdate') {
      const { artifact, append } = payload.value;
      const known = this.artifact(artifact!.artifactId);
      if (known && append) known.parts = [...known.parts, ...artifact!.parts];
      else this.task.artifacts.push({ ...artifact! });
    }
    for (const listener of this.#listeners) listener(event);
  }

  /** The task as it is, then what comes, until it has ended or asks. */
  async *stream(): AsyncGenerator<StreamResponse, void, undefined> {
    const waiting: StreamResponse[] = [this.snapshot()];
    let wake = () => {};
    const listener = (event: StreamResponse) => {
      waiting.push(structuredClone(event));
      wake();
    };
    this.#listeners.add(listener);
    try {
      for (;;) {
        for (let event = waiting.shift(); event; event = waiting.shift()) yield event;
        if (ENDED.includes(this.state) || this.state === TaskState.TASK_STATE_INPUT_REQUIRED) return;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      this.#listeners.delete(listener);
    }
  }

  snapshot(): StreamResponse {
    return { payload: { $case: 'task', value: structuredClone(this.task) } };
  }
}

const agentMessage = (said: string, { taskId, contextId }: LiveTask): Message => ({
  messageId: randomUUID(),
  contextId,
  taskId,
  role: Role.ROLE_AGENT,
  parts: [textPart(said)],
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
});

export class RemoteServer {
  readonly received: Message[] = [];
  readonly tasks: LiveTask[] = [];
  readonly cancelled: string[] = [];
  readonly subscribed: string[] = [];
  /** Authorization headers, as they came. */
  readonly credentials: (string | undefined)[] = [];
  /** Answers every request with this status, if set. */
  refusal: number | null = null;
  /** How often it did. */
  refused = 0;
  /** Its lists are empty. */
  hides = false;
  #server: Server | undefined;
  #port = 0;

  constructor(private readonly options: RemoteOptions) {}

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Listens; at the same port as before. */
  async start(): Promise<this> {
    this.#server = createServer((request, response) => void this.#serve(request, response));
    await new Promise<void>((resolve) => this.#server!.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
    return this;
  }

  /** Cuts everybody off, as a process that is killed does; what the agent does goes on. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    server?.closeAllConnections();
    await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
  }

  /** Cuts the connections that are open now. */
  cut(): void {
    this.#server?.closeAllConnections();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.refusal !== null) {
      this.refused += 1;
      return void response.writeHead(this.refusal).end();
    }
    this.credentials.push(request.headers.authorization);
    if (request.url === '/.well-known/agent-card.json') return sendJson(response, this.#card());
    const body: Buffer[] = [];
    for await (const piece of request) body.push(piece as Buffer);
    const handler =
      this.options.version === '0.3'
        ? new LegacyJsonRpcTransportHandler(this.#handler())
        : new JsonRpcTransportHandler(this.#handler());
    const answer = await handler.handle(Buffer.concat(body).toString(), new ServerCallContext());
    if (!(Symbol.asyncIterator in answer)) return sendJson(response, answer);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    for await (const item of answer) response.write(`data: ${JSON.stringify(item)}\n\n`);
    response.end();
  }

  #card(): unknown {
    const { version = '1.0', streaming = true, declares = false } = this.options;
    const extensions = declares ? { extensions: [{ uri: MESSAGE_ONCE }] } : {};
    const common = {
      name: 'Far',
      description: 'far away',
      version: '1',
      capabilities: { streaming, ...extensions },
      skills: [],
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['text/plain'],
    };
    const url = `${this.url}/rpc`;
    if (version === '0.3') return { ...common, url, preferredTransport: 'JSONRPC', protocolVersion: '0.3.0' };
    return {
      ...common,
      supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: '' }],
    };
  }

  #taskOf(id: string): LiveTask {
    const task = this.tasks.find(({ taskId }) => taskId === id);
    if (!task) throw new TaskNotFoundError();
    return task;
  }

  #begin({ message }: SendMessageRequest): LiveTask {
    const { taskId, contextId, messageId } = message!;
    if (this.options.dedupes) {
      const twin = this.tasks.find(({ task }) => task.history.some((known) => known.messageId === messageId));
      if (twin) return twin;
    }
    this.received.push(message!);
    let task = taskId === '' ? undefined : this.#taskOf(taskId);
    if (!task) this.tasks.push((task = new LiveTask(contextId || randomUUID())));
    task.task.history = [...task.task.history, message!];
    task.setState(TaskState.TASK_STATE_WORKING);
    const turn = new Turn(task, message!);
    setImmediate(() => void this.options.play(turn));
    return task;
  }

  #handler(): A2ARequestHandler {
    const never = async () => {
      throw new UnsupportedOperationError();
    };
    return {
      getAgentCard: async () => ({ capabilities: { streaming: true } }) as never,
      sendMessage: async (params) => structuredClone(this.#begin(params).task),
      sendMessageStream: (params) => this.#send(params),
      getTask: async ({ id }) => structuredClone(this.#taskOf(id).task),
      resubscribe: (params) => this.#resubscribe(params.id),
      cancelTask: async ({ id }) => {
        const task = this.#taskOf(id);
        if (ENDED.includes(task.state)) throw new TaskNotCancelableError();
        this.cancelled.push(id);
        task.setState(TaskState.TASK_STATE_CANCELED);
        return structuredClone(task.task);
      },
      listTasks: async ({ contextId }) => {
        const tasks = this.tasks
          .filter((task) => !this.hides && task.contextId === contextId)
          .map(({ task }) => structuredClone(task));
        return { tasks, nextPageToken: '', pageSize: 50, totalSize: tasks.length };
      },
      getAuthenticatedExtendedAgentCard: never,
      createTaskPushNotificationConfig: never,
      getTaskPushNotificationConfig: never,
      listTaskPushNotificationConfigs: never,
      deleteTaskPushNotificationConfig: never,
    };
  }

  async *#send(params: SendMessageRequest): AsyncGenerator<StreamResponse, void, undefined> {
    const task = this.#begin(params);
    await this.options.answersAfter;
    yield* task.stream();
  }

  async *#resubscribe(id: string): AsyncGenerator<StreamResponse, void, undefined> {
    const task = this.#taskOf(id);
    this.subscribed.push(id);
    if (ENDED.includes(task.state)) throw new UnsupportedOperationError('the task has ended');
    yield* task.stream();
  }
}

function sendJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
