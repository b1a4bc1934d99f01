/**
 * One request to the server: JSON in, JSON out, and every way it can fail as a `CliError` with its exit code.
 *
 * A request is bounded: 30 s without an answer are a timeout (exit 7). What changes something is never repeated: whoever
 * asked decides whether that is safe. The reason an operator gives travels as a header, so every route takes it.
 *
 * Node's own client, not `fetch`: a feed is read all day, and web streams cost several times what it costs to understand
 * what they bring.
 */

import type { IncomingMessage, RequestOptions as Settings } from 'node:http';
import { deadline } from './deadline.js';
import { CliError, interrupted, refusal, timedOut, unreachable, usage } from './errors.js';
import { ExitCode } from './exit-codes.js';
import type { Target } from './target.js';

const REQUEST_TIMEOUT_MS = 30_000;

export type Query = Readonly<Record<string, string | number | undefined>>;

export type RequestOptions = {
  query?: Query | undefined;
  body?: unknown;
  headers?: Record<string, string>;
  /** Why an operator does this; recorded by the server. */
  reason?: string | undefined;
  signal?: AbortSignal | undefined;
  timeoutMs?: number;
};

/** The answer's JSON, an object; undefined when it has no body. Throws `CliError`. */
export async function request<T>(
  target: Target,
  method: string,
  path: string,
  options: RequestOptions = {},
): Promise<T> {
  const limit = options.timeoutMs ?? REQUEST_TIMEOUT_MS;
  const bound = deadline(options.signal, limit, () =>
    timedOut(`no answer from ${target.url} within ${limit / 1000} s`),
  );
  try {
    const response = await send(target, method, path, { ...options, signal: bound.signal });
    const text = await textOf(response);
    const answer = text === '' ? undefined : (JSON.parse(text) as unknown);
    if (answer === null || Array.isArray(answer)) throw noAgentServer(target, 'JSON of another kind');
    return answer as T;
  } catch (error) {
    throw faultOf(error, target, bound.signal);
  } finally {
    bound.clear();
  }
}

/** The response of a request that was not refused; its body is the caller's, who must end it by the signal. */
export async function send(
  target: Target,
  method: string,
  path: string,
  options: RequestOptions,
): Promise<IncomingMessage> {
  const { query, body, reason, signal } = options;
  const headers: Record<string, string> = { accept: 'application/json', ...options.headers };
  if (target.token !== null) headers.authorization = `Bearer ${target.token}`;
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (reason !== undefined) headers['x-operator-reason'] = encodeURIComponent(reason);
  let response: IncomingMessage;
  try {
    response = await answerTo(urlOf(target, path, query), { method, headers, ...(signal ? { signal } : {}) }, body);
  } catch (error) {
    throw faultOf(error, target, signal);
  }
  const { statusCode: status = 0 } = response;
  if (status < 200 || status > 299) throw refusal(status, await messageOf(response));
  return response;
}

async function answerTo(url: string, settings: Settings, body: unknown): Promise<IncomingMessage> {
  const { request: open } = url.startsWith('https:') ? await import('node:https') : await import('node:http');
  return new Promise((resolve, reject) => {
    // A connection that was used before may be closed from the other side just now. What only reads is then asked again
    // on a new one; what changes something gets a new one at once.
    const isRead = settings.method === 'GET';
    const ask = (connection: 'kept' | 'new'): void => {
      const request = open(url, connection === 'kept' ? settings : { ...settings, agent: false });
      const failed = (error: Error): void => (request.reusedSocket ? ask('new') : reject(error));
      request.on('error', failed).on('response', (response) => {
        // From here on the response says what goes wrong.
        request.off('error', failed).on('error', () => {});
        resolve(response);
      });
      request.end(body === undefined ? undefined : JSON.stringify(body));
    };
    ask(isRead ? 'kept' : 'new');
  });
}

/**
 * An id that is empty or consists of dots would make a path to somewhere else (`mailbox/..` is the thread): URLs cannot
 * name it.
 */
function urlOf(target: Target, path: string, query: Query = {}): string {
  const stray = /\/(\.{0,2})(?=\/|$)/.exec(path);
  if (stray) throw usage(`an id cannot be ${JSON.stringify(stray[1])} here`);
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  return `${target.url}${path}${search.size > 0 ? `?${search.toString()}` : ''}`;
}

/** What went wrong on the way. A signal's reason counts more than the error it caused. */
export function faultOf(error: unknown, target: Target, signal: AbortSignal | undefined): CliError {
  if (signal?.aborted) return signal.reason instanceof CliError ? signal.reason : interrupted();
  if (error instanceof CliError) return error;
  if (error instanceof SyntaxError) return noAgentServer(target, 'no JSON', error);
  return unreachable(target.url, error);
}

/** Something answers there, and not as this server does. */
export const noAgentServer = (target: Target, what: string, cause?: unknown): CliError =>
  new CliError(ExitCode.failed, `${target.url} answered ${what}`, { cause, hint: 'is it an agent-server?' });

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of response.setEncoding('utf8')) text += piece;
  return text;
}

async function messageOf(response: IncomingMessage): Promise<string> {
  const text = await textOf(response).catch(() => '');
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    if (typeof error === 'string') return error;
  } catch {
    // Something between us and the server answered: its status has to do.
  }
  return `the server answered ${response.statusCode} ${response.statusMessage}`.trimEnd();
}
