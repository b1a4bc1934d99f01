/**
 * A run's log as AG-UI frames, shared by as many readers as possible.
 *
 * Two things about a frame can differ between requests: the run id the client is told, and whether it speaks 1.0. Readers
 * who are told the run's own id, which is nearly all, share their frames, one set for each of the two dialects. A reader
 * with a run id of its own (its id was taken, or its decision went on with an older run) shares all frames but the few
 * that name a run.
 */

import { advance, type EventType, type LogChunk } from '../../actors/events.js';
import {
  encodeChunk,
  SharedFrames,
  type ChunkEncoder,
  type EncodedChunk,
  type Position,
  type RunRef,
} from '../frames.js';
import type { AgUiFields } from './events.js';
import { storedMessages } from './stored-messages.js';
import { translate } from './translate.js';

/** What a request fixes for its frames. */
export type Variant = {
  v1: boolean;
  /** The run id the client is told, when it is not the run's own. */
  run_id?: string;
};

/** The text of a frame. */
export const frameText = ({ type, ...fields }: AgUiFields, timestamp: number): string =>
  JSON.stringify({ type, timestamp, ...fields });

/** Chunks whose frames show stored messages must have been loaded (`stored-messages.ts`). */
export function agUiEncoder({ v1, run_id }: Variant): ChunkEncoder {
  return function* encode(chunk, run, from) {
    const face = { thread_id: run.thread_id, run_id: run_id ?? run.run_id, v1 };
    const stored = (upto: number) => storedMessages(chunk, upto);
    let state = chunk.enc;
    for (let i = 0; i < chunk.events.length; i++) {
      const event = chunk.events[i]!;
      const before = state;
      state = advance(before, event);
      if (i < from) continue;
      const timestamp = chunk.t0 + event[1];
      yield translate(before, event, face, stored).map((fields) => frameText(fields, timestamp));
    }
  };
}

const shared = { v0: new SharedFrames(agUiEncoder({ v1: false })), v1: new SharedFrames(agUiEncoder({ v1: true })) };

/** The frames of a variant. */
export function agUiFrames({ v1, run_id }: Variant): SharedFrames {
  const common = v1 ? shared.v1 : shared.v0;
  return run_id === undefined ? common : new RenamedFrames(agUiEncoder({ v1, run_id }), common);
}

/** Events whose frames name the run. */
const namesRun: ReadonlySet<EventType> = new Set(['run_start', 'run_resumed', 'run_waiting', 'run_finish'] as const);

/** Frames that name another run id than the run's own, where they name one. */
class RenamedFrames extends SharedFrames {
  constructor(
    private readonly renamed: ChunkEncoder,
    private readonly common: SharedFrames,
  ) {
    super(renamed);
  }

  override of(chunk: LogChunk, run: RunRef, from: number, seen?: Position): EncodedChunk {
    return chunk.events.some(([type]) => namesRun.has(type))
      ? encodeChunk(this.renamed, chunk, run, from, seen)
      : this.common.of(chunk, run, from, seen);
  }
}
