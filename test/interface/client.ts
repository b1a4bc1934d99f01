/** The built executable on a socket, and what a stranger does with it who has only read the interface document. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { startServer } from '../support/server-process.js';
import { collectSse, readSse, type SseFrame } from '../support/sse-client.js';

export type Json = Record<string, unknown>;
export type Answer<T = Json> = { status: number; headers: Headers; body: T };
export type Event = { type: string; seq: number; run_id: string; data?: Json };

export type Client = {
  url(): string;
  call<T = Json>(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer<T>>;
  /** A start on the run API, read to its end. */
  run(body: Json): Promise<{ response: Response; events: Event[]; run_id: string; thread_id: string }>;
  /** A start that is answered at once. */
  begin(body: Json): Promise<Json & { run_id: string; thread_id: string }>;
  stream(method: string, path: string, body?: unknown): Promise<{ response: Response; frames: SseFrame[] }>;
};

/** One server for all tests of a file. */
export function interfaceClient(): Client {
  let url = '';
  const ends: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    const data = await mkdtemp(join(tmpdir(), 'agent-server-'));
    ends.push(() => rm(data, { recursive: true, force: true }));
    ({ url } = await startServer({ data, atEnd: (end) => ends.unshift(end) }));
  });
  afterAll(async () => {
    for (const end of ends) await end();
  });

  const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    fetch(url + path, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  const stream: Client['stream'] = async (method, path, body) => {
    const response = await send(method, path, body, { accept: 'text/event-stream' });
    return { response, frames: await collectSse(response) };
  };
  return {
    url: () => url,
    async call<T>(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer<T>> {
      const response = await send(method, path, body, headers);
      const text = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        body: (text === '' ? undefined : JSON.parse(text)) as T,
      };
    },
    async run(body) {
      const { response, frames } = await stream('POST', '/v1/runs', body);
      const events = frames.map(({ data }) => JSON.parse(data) as Event);
      const { run_id } = events[0]!;
      return { response, events, run_id, thread_id: response.headers.get('x-thread-id')! };
    },
    async begin(body) {
      const response = await send('POST', '/v1/runs', body, { prefer: 'respond-async' });
      return (await response.json()) as Json & { run_id: string; thread_id: string };
    },
    stream,
  };
}

/** Reads a run's events until one of this type. */
export async function untilEvent(url: string, run_id: string, type: string): Promise<Event> {
  for await (const { data } of readSse(`${url}/v1/runs/${run_id}/events`)) {
    const event = JSON.parse(data) as Event;
    if (event.type === type) return event;
  }
  throw new Error(`run ${run_id} ended without ${type}`);
}

let ids = 0;
/** An id that no other test has. */
export const fresh = (prefix: string): string => `${prefix}-${process.pid}-${++ids}`;
export const says = (content: string): Json[] => [{ role: 'user', content }];
