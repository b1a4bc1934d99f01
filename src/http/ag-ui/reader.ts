/**
 * A run's log as an AG-UI stream wants it: what a chunk's frames show is at hand before the chunk is handed on, and an
 * event of which the client has every frame is passed over, so that a client that left at a pause is not sent away again
 * by the very pause it has seen.
 */

import type { Engine, EventReader, LogSlice } from '../../actors/engine.js';
import type { RunRecord } from '../../actors/records.js';
import type { Position } from '../frames.js';
import { isAtHand, load } from './stored-messages.js';

type Next = LogSlice | undefined;

export class AgUiReader implements EventReader {
  #peeked: LogSlice | null = null;

  /** @param seen what the client has; the inner reader stands in front of that event. */
  constructor(
    private readonly inner: EventReader,
    private readonly engine: Engine,
    private readonly seen?: Position,
  ) {}

  get run(): RunRecord {
    return this.inner.run;
  }

  get caughtUp(): boolean {
    return this.#peeked === null && this.inner.caughtUp;
  }

  next(): Next | Promise<Next> {
    const peeked = this.#peeked;
    if (peeked) {
      this.#peeked = null;
      return peeked;
    }
    const next = this.inner.next();
    return next instanceof Promise ? next.then((slice) => this.#prepare(slice)) : this.#prepare(next);
  }

  /** The next slice, which stays the next one. */
  async peek(): Promise<Next> {
    const slice = await this.next();
    this.#peeked = slice ?? null;
    return slice;
  }

  close(): void {
    this.inner.close();
  }

  #prepare(slice: Next): Next | Promise<Next> {
    if (!slice) return undefined;
    const rest = this.#unseen(slice);
    if (!rest) return this.next();
    if (isAtHand(rest.chunk)) return rest;
    return load(rest.chunk, this.run.thread_id, this.engine).then(() => rest);
  }

  /** The slice without the event that the client has whole. */
  #unseen(slice: LogSlice): Next {
    const { chunk, from } = slice;
    if (this.seen?.sub !== undefined || this.seen?.seq !== chunk.n + from) return slice;
    return from + 1 < chunk.events.length ? { chunk, from: from + 1 } : undefined;
  }
}
