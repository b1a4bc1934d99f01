/**
 * The frames of one response: a run from some point on, through the pauses that are over, to its end or to the pause at
 * which it stands. Whoever pulls them reads one assistant message with one `start` and one end.
 *
 * Bytes are shared by all readers of a run. Only the chunk with which the log stands still is encoded in two ways, since
 * a reader that comes later, when the pause is over, must not see it.
 */

import type { EventReader } from '../../actors/engine.js';
import type { LogChunk } from '../../actors/events.js';
import { SharedFrames, type EncodedChunk, type Position, type RunRef } from '../frames.js';
import { uiEncoder } from './encoder.js';

/** The trailer of every stream (spec, chat SDK). */
export const DONE = 'data: [DONE]\n\n';

/** For whatever lies in front of the end of a response. */
export const bridgedFrames = new SharedFrames(uiEncoder('bridged'));
const ending = new SharedFrames(uiEncoder('ending'));

/** For a stream that ends at every pause and begins anew behind it (`GET /v1/runs/:id/events?format=ai-sdk`). */
export const splitFrames = new SharedFrames(uiEncoder('split'));

export class TurnFrames implements Pick<SharedFrames, 'of'> {
  /** @param reader the one whose slices are encoded: it knows whether the log goes on. */
  constructor(private readonly reader: EventReader) {}

  of(chunk: LogChunk, run: RunRef, from: number, seen?: Position): EncodedChunk {
    const stands = chunk.events.at(-1)![0] === 'run_waiting' && this.reader.caughtUp;
    return (stands ? ending : bridgedFrames).of(chunk, run, from, seen);
  }
}
