/** A whole server in this process, over a store in memory, as a client meets it: by its routes. Closed after the test. */

import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { openEngine, type HostedEngine, type RunRecord } from '../../src/actors/index.js';
import type { EngineOptions } from '../../src/actors/open-engine.js';
import { defineAgent } from '../../src/agents/agent.js';
import { createAgentRegistry } from '../../src/agents/registry.js';
import { finish, say, text, toolCall, type Part } from '../../src/agents/scripted/parts.js';
import { scriptedModel } from '../../src/agents/scripted/model.js';
import { defineTool } from '../../src/agents/tool.js';
import type { Agent } from '../../src/agents/types.js';
import { HttpServer, type HttpServerOptions } from '../../src/http/server.js';
import { MemoryStore } from '../../src/store/memory.js';

export type Json = Record<string, unknown>;
export type Answer<T = Json> = { status: number; body: T; headers: Headers };

export type Service = {
  url: string;
  engine: HostedEngine;
  store: MemoryStore;
  /** One request with a JSON body, if any; the answer's body is parsed. */
  call<T = Json>(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer<T>>;
  /** Starts a run and waits until it has ended or waits for somebody. */
  run(body: Json): Promise<RunRecord>;
  /** Starts a run and does not wait. */
  start(body: Json): Promise<RunRecord>;
  /** Stops the server as a signal would. */
  close(): Promise<void>;
};

type Options = Partial<Omit<EngineOptions, 'store' | 'agents'>> & {
  agents?: readonly Agent[];
  store?: MemoryStore;
  http?: Partial<HttpServerOptions>;
};

export async function openService({
  agents = [],
  store = new MemoryStore(),
  http,
  ...rest
}: Options = {}): Promise<Service> {
  const registry = createAgentRegistry(agents);
  let engine: HostedEngine | undefined;
  const server = new HttpServer({
    agents: registry,
    logger: pino({ enabled: false }),
    shutdown_grace_ms: 0,
    openEngine: async () => (engine = await openEngine({ ...rest, store, agents: registry })),
    ...http,
  });
  onTestFinished(() => server.close());
  const url = await server.listen();

  const call: Service['call'] = async <T>(method: string, path: string, body?: unknown, headers = {}) => {
    const response = await fetch(url + path, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const said = await response.text();
    return { status: response.status, body: (said === '' ? {} : JSON.parse(said)) as T, headers: response.headers };
  };
  const started = async (body: Json, headers: Record<string, string>): Promise<RunRecord> => {
    const answer = await call<RunRecord>('POST', '/v1/runs', body, headers);
    if (answer.status >= 300) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  return {
    url,
    engine: engine!,
    store,
    call,
    run: (body) => started(body, { accept: 'application/json' }),
    start: (body) => started(body, { prefer: 'respond-async' }),
    close: () => server.close(),
  };
}

/** A user's word. */
export const user = (content: string, more: Json = {}): Json => ({ role: 'user', content, ...more });

/** Answers at once. */
export const echo = (id = 'echo'): Agent =>
  defineAgent({ id, name: id, description: `${id} answers`, model: scriptedModel(() => say('well ', 'said')) });

/** Speaks, then waits for `release` before it ends its answer, with a tool call if one is given. */
export function holder(id = 'holder', call: Iterable<Part> = []): { agent: Agent; release: () => void } {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const calls = [...call];
  async function* script() {
    yield* text(['one moment']);
    await released;
    yield* calls;
    yield finish(calls.length === 0 ? 'stop' : 'tool-calls');
  }
  return { agent: defineAgent({ id, model: scriptedModel(() => script()) }), release: () => release() };
}

/** Calls a tool that asks for leave, then says it is done. */
export function asker(id = 'asker'): Agent {
  const pay = defineTool({
    name: 'pay',
    description: 'pays',
    input: { type: 'object' },
    permission: 'ask',
    execute: () => 'paid',
  });
  return defineAgent({
    id,
    tools: [pay],
    model: scriptedModel(({ prompt }) =>
      prompt.at(-1)!.role === 'tool' ? say('done') : [...toolCall('call-1', 'pay', { eur: 5 }), finish('tool-calls')],
    ),
  });
}
