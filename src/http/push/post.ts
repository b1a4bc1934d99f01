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
export function post(
  address: string,
  headers: Record<string, string>,
  body: string,
  options: PostOptions,
): Promise<void> {
  const url = new URL(address);
  const host = hostOf(url);
  if (isIP(host) !== 0 && !options.allow_private && !isPublic(host))
    return Promise.reject(new PushRefused('the receiver is an address of a private network'));
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const request = send(
      url,
      {
        method: 'POST',
        headers: { ...headers, 'content-length': Buffer.byteLength(body) },
        agent: false,
        lookup: checkedLookup(options),
        signal: AbortSignal.timeout(options.timeout_ms),
      },
      ({ statusCode = 0 }) => {
        request.destroy();
        if (statusCode >= 200 && statusCode < 300) resolve();
        else if (statusCode === GONE) reject(new PushRefused('the receiver answered 410'));
        else reject(new Error(`the receiver answered ${statusCode}`));
      },
    );
    request.on('error', (error) => reject(worded(error)));
    request.end(body);
  });
}

/** Errors of the network carry addresses; their codes do not. */
function worded(error: Error): Error {
  if (error instanceof PushRefused) return error;
  if (error.name === 'AbortError' || error.name === 'TimeoutError')
    return new Error('the receiver did not answer in time');
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return new Error(`the receiver is not reached: ${code}`);
}
