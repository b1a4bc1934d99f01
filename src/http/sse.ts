/**
 * The event streams of this process: how many there are, their keep-alives, and their end at shutdown.
 *
 * A surface opens its reader, sets what headers it wants and hands both over; from then on the response belongs to the
 * stream and Koa has nothing to do with it (`ctx.respond = false`: a reader costs a third less than a piped body).
 */

import type { ServerResponse } from 'node:http';
import { AgentServerError, ErrorCode } from '../errors.js';
import type { EventReader } from '../actors/engine.js';
import type { Ctx } from './context.js';
import { KeepAlive, type Timers } from './keep-alive.js';
import { SseStream, type StreamOptions } from './sse-stream.js';

export type SseLimits = {
  /** Streams open at once in the process; one more is refused with 429. */
  max_readers: number;
  /** Milliseconds of silence before a comment frame is sent. */
  keep_alive_ms: number;
};

export const defaultSseLimits: SseLimits = { max_readers: 20_000, keep_alive_ms: 15_000 };

/** CONTRACT 0.7. */
const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/** A response that goes on: begun once, ended behind a whole frame when the server stops. */
export interface OpenStream {
  start(): void;
  stop(): void;
}

/** What a stream of its own kind is made with. `gone` is to be called when the connection is done with it. */
export type StreamParts<S> = { res: ServerResponse; keepAlive: KeepAlive; gone: (stream: S) => void };

export class SseHub {
  #streams = new Set<OpenStream>();
  #keepAlive: KeepAlive;
  #phase: 'open' | 'stopping' = 'open';
  #forget = (stream: OpenStream): void => void this.#streams.delete(stream);

  constructor(
    private readonly limits: SseLimits = defaultSseLimits,
    timers?: Timers,
  ) {
    this.#keepAlive = new KeepAlive(limits.keep_alive_ms, timers);
  }

  get size(): number {
    return this.#streams.size;
  }

  /** Throws `too_many` when there is no room for one more stream. Ask before anything is started. */
  assertRoom(): void {
    if (this.#streams.size >= this.limits.max_readers) {
      throw new AgentServerError(ErrorCode.tooMany, 'too many open event streams');
    }
  }

  /** Answers 200 with the reader's events. Everything that can be refused was refused before. */
  open(ctx: Ctx, reader: EventReader, options: StreamOptions): void {
    if (ctx.method === 'HEAD') reader.close();
    this.take(ctx, ({ res, keepAlive, gone }) => new SseStream(res, reader, options, keepAlive, gone));
  }

  /** Answers 200 with a stream of the caller's own; for HEAD none is made. */
  take<S extends OpenStream>(ctx: Ctx, make: (parts: StreamParts<S>) => S): void {
    ctx.set(HEADERS);
    ctx.status = 200;
    if (ctx.method === 'HEAD') return;
    ctx.respond = false;
    const stream = make({ res: ctx.res, keepAlive: this.#keepAlive, gone: this.#forget });
    this.#streams.add(stream);
    stream.start();
    if (this.#phase === 'stopping') stream.stop();
  }

  /** Ends every stream behind a whole frame, also one that a request still on its way opens from now on. */
  stop(): void {
    this.#phase = 'stopping';
    for (const stream of this.#streams) stream.stop();
  }
}
