/** Requests to the AG-UI surface, and what comes back, as values. */

import { expect } from 'vitest';
import { post } from '../support/http-server.js';
import { collectSse, readSse, type SseFrame } from '../support/sse-client.js';
import { accept, clients, type WireEvent } from './clients.js';

export type Frame = { id: string | null; event: WireEvent };

let requests = 0;

/** A body with fresh ids where the test names none. */
export const input = (threadId: string, more: object = {}): { threadId: string; runId: string } => ({
  threadId,
  runId: `run-${++requests}`,
  ...more,
});

export const user = (content: string, id?: string) => ({ role: 'user', content, ...(id === undefined ? {} : { id }) });

export const runsOf = (url: string, agent: string): string => `${url}/v1/ag-ui/agents/${agent}/runs`;
export const streamOf = (url: string, agent: string, thread: string): string =>
  `${url}/v1/ag-ui/agents/${agent}/threads/${thread}/stream`;

export const start = (
  url: string,
  agent: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Response> => post(runsOf(url, agent), body, { accept: 'text/event-stream', ...headers });

const toFrame = ({ id, data }: SseFrame): Frame => ({ id, event: JSON.parse(data) as WireEvent });

/** All frames of a stream; every client must accept them as they are. */
export async function framesOf(response: Response | Promise<Response>): Promise<Frame[]> {
  const frames = (await collectSse(await response)).map(toFrame);
  await acceptedByAll(frames.map(({ event }) => event));
  return frames;
}

/** A stream that begins in the middle is no stream of its own for a verifier. */
export const rawFramesOf = async (response: Response | Promise<Response>): Promise<Frame[]> =>
  (await collectSse(await response)).map(toFrame);

export async function acceptedByAll(events: WireEvent[]): Promise<void> {
  const v1 = events.some(({ protocolVersion }) => protocolVersion !== undefined);
  for (const client of clients) if (!v1 || client.v1) await accept(client, events);
}

export const eventsOf = async (response: Response | Promise<Response>): Promise<WireEvent[]> =>
  (await framesOf(response)).map(({ event }) => event);

/** Runs a request to the end of its stream; gives the types of the events. */
export const typesOf = (events: readonly WireEvent[]): string[] => events.map(({ type }) => type);

/** The same, text and arguments in one. */
export const outline = (events: readonly WireEvent[]): string[] =>
  typesOf(events).filter((type, i, all) => type !== all[i - 1] || !/_CONTENT$|_ARGS$/.test(type));

export const textOf = (events: readonly WireEvent[]): string =>
  events.flatMap(({ type, delta }) => (type === 'TEXT_MESSAGE_CONTENT' ? [String(delta)] : [])).join('');

/** Opens a stream and reads until `until` says so; the connection is closed then. */
export async function readUntil(response: Promise<Response>, until: (event: WireEvent) => boolean): Promise<Frame[]> {
  const frames: Frame[] = [];
  for await (const frame of readSse(await response)) {
    frames.push(toFrame(frame));
    if (until(frames.at(-1)!.event)) break;
  }
  return frames;
}

/** Every frame until the server ends the stream; `see` is told of each. */
export async function framesUntilCut(response: Response, see: (event: WireEvent) => void): Promise<Frame[]> {
  const frames: Frame[] = [];
  for await (const frame of readSse(response)) {
    frames.push(toFrame(frame));
    see(frames.at(-1)!.event);
  }
  return frames;
}

/** What a server comes to, however slow the machine is. */
export const eventually = (read: () => unknown): ReturnType<typeof expect.poll> =>
  expect.poll(read, { timeout: 20_000 });

/** Status and body of a refusal. */
export async function refusal(response: Response | Promise<Response>): Promise<[number, unknown]> {
  const answer = await response;
  expect(answer.headers.get('content-type')).toContain('application/json');
  return [answer.status, await answer.json()];
}

export type History = { messages: { id: string; role: string; content?: string; [key: string]: unknown }[] } & {
  has_more: boolean;
  next_cursor: number | null;
  prev_cursor: number | null;
};

export const history = async (url: string, thread: string, query = ''): Promise<History> =>
  (await fetch(`${url}/v1/ag-ui/threads/${thread}/messages${query}`)).json() as Promise<History>;

/** `role: content` of each message. */
export const said = async (url: string, thread: string): Promise<string[]> =>
  (await history(url, thread)).messages.map(
    ({ role, content, toolCalls }) => `${role}: ${content ?? `calls ${(toolCalls as unknown[]).length}`}`,
  );

export const runRecord = async (url: string, id: string): Promise<Record<string, unknown>> =>
  (await fetch(`${url}/v1/runs/${id}`)).json() as Promise<Record<string, unknown>>;

/** Waits until the run's log has an event of this type. */
export async function untilSaid(url: string, run: string, type: string): Promise<void> {
  const events = `${url}/v1/runs/${run}/events`;
  for await (const { data } of readSse(events)) if ((JSON.parse(data) as WireEvent).type === type) return;
  throw new Error(`the run ended without ${type}`);
}
