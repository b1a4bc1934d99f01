/**
 * One request to the server: JSON in, JSON out, and every way it can fail as a `CliError` with its exit code.
 *
 * A request is bounded: 30 s without an answer are a timeout (exit 7). It is never repeated: whoever asked decides
 * whether that is safe. The reason an operator gives travels as a header, so every route takes it.
 */

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
    const text = await response.text();
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
export async function send(target: Target, method: string, path: string, options: RequestOptions): Promise<Response> {
  const { query, body, reason, signal } = options;
  const headers: Record<string, string> = { accept: 'application/json', ...options.headers };
  if (target.token !== null) headers.authorization = `Bearer ${target.token}`;
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (reason !== undefined) headers['x-operator-reason'] = encodeURIComponent(reason);
  let response: Response;
  try {
    response = await fetch(urlOf(target, path, query), {
      method,
      headers,
      redirect: 'error',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
  } catch (error) {
    throw faultOf(error, target, signal);
  }
  if (!response.ok) throw refusal(response.status, await messageOf(response));
  return response;
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

async function messageOf(response: Response): Promise<string> {
  const text = await response.text().catch(() => '');
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    if (typeof error === 'string') return error;
  } catch {
    // Something between us and the server answered: its status has to do.
  }
  return `the server answered ${response.status} ${response.statusText}`.trimEnd();
}
