/**
 * A feed: an event stream that goes on after every interruption (CONTRACT 1.6, 9.1).
 *
 * Callers may rely on: each frame once, in order; after a cut, a restart or a silence the feed comes back with
 * `Last-Event-ID`, so the next frame is the one behind the last; `onStatus` hears what the connection does. A server
 * that ends the stream is asked again: a feed ends when the caller leaves the loop, or when the signal aborts, which
 * throws its reason. A refusal that asking again will not change throws.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { deadline } from './deadline.js';
import { timedOut, unreachable, type CliError } from './errors.js';
import { ExitCode } from './exit-codes.js';
import { readFrames } from './frames.js';
import type { Target } from './target.js';
import { faultOf, noAgentServer, send, type Query } from './transport.js';

/** Three keep-alives were missed: the connection is dead though nobody said so. */
const SILENCE_MS = 45_000;
const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 5_000;

export type FeedStatus =
  | { is: 'connecting' }
  | { is: 'connected' }
  /** Nothing comes in; in `delayMs` the server is asked again, for the `attempt`th time since the last frame. */
  | { is: 'retrying'; attempt: number; error: CliError; delayMs: number };

/** `data` is the frame's JSON. `id` null: nothing resumes behind this frame. */
export type FeedFrame<T> = { id: string | null; data: T };

export type FeedOptions = {
  query?: Query | undefined;
  /** The last frame that was seen. */
  lastEventId?: string | null;
  signal?: AbortSignal | undefined;
  onStatus?: ((status: FeedStatus) => void) | undefined;
  /** `always` (default): a server that is not there yet is waited for. `once-connected`: it must be there at first. */
  retry?: 'always' | 'once-connected';
  /** Milliseconds without a byte, while one is waited for, after which the connection is given up. */
  silenceMs?: number;
  /** Milliseconds to wait before the `attempt`th repetition, from 1. */
  delay?: (attempt: number) => number;
};

export async function* openFeed<T>(
  target: Target,
  path: string,
  options: FeedOptions = {},
): AsyncGenerator<FeedFrame<T>> {
  const { query, signal, onStatus = () => {}, silenceMs = SILENCE_MS, delay = backOff } = options;
  let seen = options.lastEventId ?? null;
  let connected = options.retry !== 'once-connected';
  for (let attempt = 1; ; attempt++) {
    let fault: CliError;
    const bound = deadline(signal, silenceMs, () => timedOut(`${target.url} has gone silent`));
    onStatus({ is: 'connecting' });
    try {
      const headers = { accept: 'text/event-stream', ...(seen === null ? {} : { 'last-event-id': seen }) };
      const body = await send(target, 'GET', path, { query, headers, signal: bound.signal });
      if (!body.headers['content-type']?.startsWith('text/event-stream')) {
        body.destroy();
        throw noAgentServer(target, 'no event stream');
      }
      connected = true;
      onStatus({ is: 'connected' });
      for await (const frame of readFrames(body, () => bound.refresh())) {
        attempt = 1;
        seen = frame.id ?? seen;
        // A reader that takes its time is no silence of the server.
        bound.hold();
        yield { id: frame.id ?? null, data: JSON.parse(frame.data) as T };
        bound.refresh();
      }
      fault = unreachable(target.url, new Error('the server ended the stream'));
    } catch (error) {
      fault = faultOf(error, target, bound.signal);
    } finally {
      bound.clear();
    }
    if (signal?.aborted || !connected || !mayPass(fault)) throw fault;
    const delayMs = delay(attempt);
    onStatus({ is: 'retrying', attempt, error: fault, delayMs });
    await sleep(delayMs, undefined, signal ? { signal } : {}).catch((error: unknown) => {
      throw faultOf(error, target, signal);
    });
  }
}

/** Whether asking again could help: nobody answered, or the server cannot at the moment. */
const mayPass = ({ exitCode, status }: CliError): boolean =>
  exitCode === ExitCode.unreachable ||
  exitCode === ExitCode.timeout ||
  (status !== undefined && (status >= 500 || status === 429));

/** Doubles up to 5 s, less a random part: many readers must not come back at one instant. */
const backOff = (attempt: number): number =>
  Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);
