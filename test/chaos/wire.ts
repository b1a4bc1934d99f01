/**
 * Requests as these tests need them: event streams as the very bytes of their frames, and an end that says whether the
 * server ended the stream, cut it, or never answered. Every request has a connection of its own.
 */

import { Agent, request, type ClientRequest, type IncomingMessage } from 'node:http';

const connections = new Agent({ keepAlive: false, maxSockets: Infinity });

export type Ask = {
  method?: 'GET' | 'POST';
  body?: unknown;
  headers?: Record<string, string>;
};

/**
 * `ended`: the server finished the response. `cut`: the connection was lost after the status. `unreached`: no status came.
 * `refused`: another status than 200.
 */
export type StreamEnd =
  | { how: 'ended' | 'cut'; /** Bytes behind the last whole frame. */ rest: string }
  | { how: 'unreached' }
  | { how: 'refused'; status: number; body: string };

export type StreamHandlers = {
  /** The status came: what was asked for is accepted. */
  onOpen?: (headers: IncomingMessage['headers']) => void;
  /** One frame, its blank line included. Comments are left out. */
  onFrame: (frame: string) => void;
};

/** Reads an event stream to its end, whatever that is. Never rejects. */
export function readFrames(url: string, ask: Ask, { onOpen, onFrame }: StreamHandlers): Promise<StreamEnd> {
  return new Promise((resolve) => {
    const accept = { accept: 'text/event-stream', ...ask.headers };
    send(url, { ...ask, headers: accept }, (response) => {
      if (response.statusCode !== 200) {
        const refused = (body: string): void => resolve({ how: 'refused', status: response.statusCode!, body });
        return void bodyOf(response).then(refused, () => resolve({ how: 'unreached' }));
      }
      onOpen?.(response.headers);
      let rest = '';
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        rest += text;
        for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
          const frame = rest.slice(0, end + 2);
          rest = rest.slice(end + 2);
          if (!frame.startsWith(':')) onFrame(frame);
        }
      });
      response.on('error', () => {});
      response.on('close', () => resolve({ how: response.complete ? 'ended' : 'cut', rest }));
    }).on('error', () => resolve({ how: 'unreached' }));
  });
}

export type Answer = { status: number; body: unknown };

/** A JSON request. Undefined: no whole answer came. */
export function ask(url: string, options: Ask = {}): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    send(url, { ...options, headers: { accept: 'application/json', ...options.headers } }, (response) => {
      bodyOf(response).then(
        (body) => resolve({ status: response.statusCode!, body: body === '' ? null : (JSON.parse(body) as unknown) }),
        () => resolve(undefined),
      );
    }).on('error', () => resolve(undefined));
  });
}

function send(url: string, { method = 'GET', body, headers }: Ask, on: (r: IncomingMessage) => void): ClientRequest {
  const content = body === undefined ? {} : { 'content-type': 'application/json' };
  const sent = request(url, { method, agent: connections, headers: { ...content, ...headers } }, on);
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  return sent;
}

async function bodyOf(response: IncomingMessage): Promise<string> {
  let text = '';
  response.setEncoding('utf8');
  for await (const part of response) text += part as string;
  return text;
}
