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
import { HttpRefusal } from './errors.js';
import { KeepAlive, type Timers } from './keep-alive.js';
import { SseStream, type StreamOptions } from './sse-stream.js';

export type SseLimits = {
  /** Streams open at once in the process; one more is refused with 503. */
  max_readers: number;
  /** Streams of one caller open at once; one more is refused with 429. */
  max_readers_per_caller: number;
  /** Milliseconds of silence before a comment frame is sent. */
  keep_alive_ms: number;
};

export const defaultSseLimits: SseLimits = {
  max_readers: 20_000,
  max_readers_per_caller: Infinity,
  keep_alive_ms: 15_000,
};

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
  #streams = new Map<OpenStream, string>();
  #readers = new Map<string, number>();
  #keepAlive: KeepAlive;
  #phase: 'open' | 'stopping' = 'open';

  constructor(
    private readonly limits: SseLimits = defaultSseLimits,
    timers?: Timers,
  ) {
    this.#keepAlive = new KeepAlive(limits.keep_alive_ms, timers);
  }

  get size(): number {
    return this.#streams.size;
  }

  /**
   * Throws when there is no room for one more stream: `too_many` when the caller has its share, 503 when the process is
   * full. Ask before anything is started.
   */
  assertRoom(caller: string): void {
    if ((this.#readers.get(caller) ?? 0) >= this.limits.max_readers_per_caller)
      throw new AgentServerError(ErrorCode.tooMany, 'too many open event streams of this caller');
    if (this.#streams.size >= this.limits.max_readers)
      throw new HttpRefusal(503, 'too many open event streams', { 'retry-after': '1' });
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
    const stream = make({ res: ctx.res, keepAlive: this.#keepAlive, gone: this.#gone });
    this.#streams.set(stream, ctx.state.caller);
    this.#readers.set(ctx.state.caller, (this.#readers.get(ctx.state.caller) ?? 0) + 1);
    stream.start();
    if (this.#phase === 'stopping') stream.stop();
  }

  /** The stream is gone. */
  readonly #gone = (stream: OpenStream): void => {
    const caller = this.#streams.get(stream);
    if (caller === undefined) return;
    this.#streams.delete(stream);
    const left = this.#readers.get(caller)! - 1;
    if (left > 0) this.#readers.set(caller, left);
    else this.#readers.delete(caller);
  };

  /** Ends every stream behind a whole frame, also one that a request still on its way opens from now on. */
  stop(): void {
    this.#phase = 'stopping';
    for (const stream of this.#streams.keys()) stream.stop();
  }
}
