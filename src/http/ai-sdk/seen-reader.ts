/**
 * A run's log for a client that comes back. It is opened in front of the event whose frames the client has, which proves
 * that there is such an event, and passes that event over when nothing of it is left: a stream that ends at pauses would
 * otherwise end at once, at the very pause that the client has seen.
 */

import type { Engine, EventReader, LogSlice } from '../../actors/engine.js';
import type { RunRecord } from '../../actors/records.js';
import type { Position, SharedFrames } from '../frames.js';
import { openAt } from '../runs/position.js';

type Next = LogSlice | undefined;

/** Throws `bad_request` when the log has no such event, `run_not_found`. */
export async function openBehind(
  engine: Engine,
  run_id: string,
  seen: Position,
  frames: Pick<SharedFrames, 'of'>,
): Promise<EventReader> {
  return new SeenReader(await openAt(engine, run_id, seen.seq), seen, frames);
}

class SeenReader implements EventReader {
  constructor(
    private readonly inner: EventReader,
    private seen: Position | null,
    private readonly frames: Pick<SharedFrames, 'of'>,
  ) {}

  get run(): RunRecord {
    return this.inner.run;
  }

  get caughtUp(): boolean {
    return this.inner.caughtUp;
  }

  next(): Next | Promise<Next> {
    const next = this.inner.next();
    if (!this.seen) return next;
    return next instanceof Promise ? next.then((slice) => this.#first(slice)) : this.#first(next);
  }

  close(): void {
    this.inner.close();
  }

  #first(slice: Next): Next | Promise<Next> {
    const { seen } = this;
    if (!slice || !seen) return slice;
    this.seen = null;
    const { chunk, from } = slice;
    const left = this.frames.of(chunk, this.run, from, seen).ends[0];
    if (left !== 0) return slice;
    return from + 1 < chunk.events.length ? { chunk, from: from + 1 } : this.inner.next();
  }
}
