/**
 * One client watching one run: pulls slices of the log and writes them to the raw response.
 *
 * Callers may rely on: one write per slice; nothing is pulled while the client does not take what was written; the
 * response ends only behind a whole frame, so that whatever the client has last seen can be resumed from; a stream that
 * cannot go on is cut, never ended.
 *
 * It is built to be small: an idle reader is this object and one suspended loop, and its listeners are shared.
 */

import type { ServerResponse } from 'node:http';
import type { EventReader, LogSlice } from '../actors/engine.js';
import type { LogChunk } from '../actors/events.js';
import type { KeepAlive, KeptAlive } from './keep-alive.js';
import type { EncodedChunk, Position, SharedFrames } from './frames.js';

/**
 * Where a stream ends, at the latest behind `run_finish`:
 * - `finish`: only there.
 * - `standstill`: behind a `run_waiting` with which the log stands still. A pause that is over is passed.
 * - `pause`: behind every `run_waiting`, as protocols demand whose streams cannot span a pause.
 */
export type Until = 'finish' | 'standstill' | 'pause';

export type StreamOptions = {
  frames: Pick<SharedFrames, 'of'>;
  until: Until;
  /** The last frame the client has. The reader stands before that event, which proves that it exists. */
  seen?: Position;
  /** Frames of this request alone, before and behind those of the log. `tail` is left out when the stream is broken off. */
  head?: string;
  tail?: string;
  /** The client left before the end. */
  onAbandoned?: () => void;
  /** The log could not be read on. */
  onFault: (error: unknown) => void;
};

type State = { is: 'pulling' } | { is: 'idle' } | { is: 'blocked'; resume: () => void } | { is: 'over' };
const pulling: State = { is: 'pulling' };
const idle: State = { is: 'idle' };
const over: State = { is: 'over' };

const KEEP_ALIVE = ': keep-alive\n\n';
const kStream = Symbol('stream');
type Watched = ServerResponse & { [kStream]?: SseStream };

function onClose(this: ServerResponse): void {
  (this as Watched)[kStream]?.closed();
}

function onDrain(this: ServerResponse): void {
  (this as Watched)[kStream]?.drained();
}

export class SseStream implements KeptAlive {
  quietSince = 0;
  #state: State = pulling;

  /** Takes the response over; `onGone` is told when the connection is done with it. */
  constructor(
    private readonly res: ServerResponse,
    private readonly reader: EventReader,
    private readonly options: StreamOptions,
    private readonly clock: KeepAlive,
    private readonly onGone: (stream: SseStream) => void,
  ) {}

  /** Begins to write. The status and the headers are set; nothing was sent yet. */
  start(): void {
    const res = this.res as Watched;
    if (res.destroyed) return this.closed();
    res[kStream] = this;
    res.on('close', onClose);
    res.on('drain', onDrain);
    this.clock.add(this);
    void this.#pump();
  }

  /** Ends the response now, behind the last whole frame: the server is stopping. */
  stop(): void {
    if (this.#state.is !== 'over') this.#finish();
  }

  ping(): void {
    if (this.#state.is === 'idle') this.res.write(KEEP_ALIVE);
  }

  /** The connection is gone, or the response was delivered whole. */
  closed(): void {
    this.clock.remove(this);
    if (this.#state.is !== 'over') {
      this.#enter(over);
      this.reader.close();
      this.options.onAbandoned?.();
    }
    this.onGone(this);
  }

  drained(): void {
    if (this.#state.is === 'blocked') this.#enter(pulling);
  }

  async #pump(): Promise<void> {
    try {
      if (this.options.head) this.res.write(this.options.head);
      while (this.#state.is !== 'over') {
        const next = this.reader.next();
        const slice = next instanceof Promise ? await this.#whileIdle(next) : next;
        if (this.#over) return;
        if (!slice) return this.#finish(this.options.tail);
        if (!this.#write(slice)) await this.#drain();
      }
    } catch (error) {
      if (this.#over) return;
      this.#enter(over);
      this.reader.close();
      this.options.onFault(error);
      this.res.destroy();
    }
  }

  get #over(): boolean {
    return this.#state.is === 'over';
  }

  async #whileIdle(next: Promise<LogSlice | undefined>): Promise<LogSlice | undefined> {
    if (!this.res.headersSent) this.res.flushHeaders();
    this.#enter(idle);
    const slice = await next;
    if (!this.#over) this.#enter(pulling);
    return slice;
  }

  /** Writes one slice, or ends with it. False: wait for the client. */
  #write({ chunk, from }: LogSlice): boolean {
    const encoded = this.options.frames.of(chunk, this.reader.run, from, this.options.seen);
    const end = this.#endIn(chunk, encoded);
    if (end === undefined) {
      this.quietSince = this.clock.now;
      return encoded.bytes.length === 0 || this.res.write(encoded.bytes);
    }
    const bytes = encoded.bytes.subarray(0, encoded.ends[end - encoded.from]);
    const { tail } = this.options;
    this.#finish(tail ? Buffer.concat([bytes, Buffer.from(tail)]) : bytes);
    return true;
  }

  /** Index of the event of this chunk behind which the stream ends, if it does. */
  #endIn({ events }: LogChunk, { from, pauses }: EncodedChunk): number | undefined {
    const last = events.length - 1;
    const { until } = this.options;
    const pause = until === 'pause' ? pauses.find((index) => index >= from) : undefined;
    if (pause !== undefined) return pause;
    if (events[last]![0] === 'run_finish') return last;
    return until === 'standstill' && pauses.at(-1) === last && this.reader.caughtUp ? last : undefined;
  }

  #finish(last?: Buffer | string): void {
    this.#enter(over);
    this.reader.close();
    if (last === undefined || last.length === 0) this.res.end();
    else this.res.end(last);
  }

  #drain(): Promise<void> {
    return new Promise((resume) => this.#enter({ is: 'blocked', resume }));
  }

  /** Every change of state; whoever waited for the client is woken. */
  #enter(state: State): void {
    const before = this.#state;
    this.#state = state;
    if (before.is === 'blocked') before.resume();
  }
}
