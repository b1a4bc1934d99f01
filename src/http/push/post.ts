/**
 * One POST to a receiver, to be trusted with nothing: its address is checked as it is connected to, redirects are not
 * followed, its answer is not read beyond the status, and it has a bounded time. What the rejection says names neither
 * the address nor a header.
 */

import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { PushRefused } from '../../actors/index.js';
import { isPublic } from './addresses.js';
import { checkedLookup, hostOf, type TargetRules } from './target.js';

export type PostOptions = TargetRules & { timeout_ms: number };

/** 410: the receiver says that it will never want this again. */
const GONE = 410;

/** Resolves on 2xx. Rejects with `PushRefused` when no repetition would help. */
export async function post(
  address: string,
  headers: Record<string, string>,
  body: string,
  options: PostOptions,
): Promise<void> {
  const url = new URL(address);
  const host = hostOf(url);
  if (isIP(host) !== 0 && !options.allow_private && !isPublic(host))
    throw new PushRefused('the receiver is an address of a private network');
  const statusCode = await answer(
    url,
    { ...headers, 'content-length': `${Buffer.byteLength(body)}` },
    body,
    options,
  ).catch((error: Error) => {
    throw worded(error);
  });
  if (statusCode === GONE) throw new PushRefused('the receiver answered 410');
  if (statusCode < 200 || statusCode >= 300) throw new Error(`the receiver answered ${statusCode}`);
}

/** The status alone. */
const answer = (url: URL, headers: Record<string, string>, body: string, options: PostOptions): Promise<number> =>
  new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const lookup = checkedLookup(options);
    const signal = AbortSignal.timeout(options.timeout_ms);
    const request = send(url, { method: 'POST', headers, agent: false, lookup, signal }, ({ statusCode = 0 }) => {
      request.destroy();
      resolve(statusCode);
    });
    request.on('error', reject);
    request.end(body);
  });

/** Errors of the network carry addresses; their codes do not. */
function worded(error: Error): Error {
  if (error instanceof PushRefused) return error;
  if ('code' in error && error.code === 'ERR_INVALID_CHAR')
    return new PushRefused('what the receiver asked for cannot be sent in a header');
  if (error.name === 'AbortError' || error.name === 'TimeoutError')
    return new Error('the receiver did not answer in time');
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return new Error(`the receiver is not reached: ${code}`);
}
