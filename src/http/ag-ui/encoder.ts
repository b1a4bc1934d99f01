/**
 * A run's log as AG-UI frames, shared by as many readers as possible.
 *
 * Three things about a frame can differ between requests: whether the client speaks 1.0, the run id it is told, and which
 * results of calls it has given itself. Readers without a run id or results of their own, which is nearly all, share their
 * frames, one set for each of the two dialects. The others (their id was taken, or their decision went on with an older
 * run) share all frames but the few that name a run or tell a result.
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
import { translate, type GivenResults } from './translate.js';

/** What a request fixes for its frames. */
export type Variant = {
  v1: boolean;
  /** The run id the client is told, when it is not the run's own. */
  run_id?: string;
  /** What the client's own tool messages say, by call: it has them, and would show a result told again as another one. */
  given?: GivenResults;
};

/** The text of a frame. */
export const frameText = ({ type, ...fields }: AgUiFields, timestamp: number): string =>
  JSON.stringify({ type, timestamp, ...fields });

/** Chunks whose frames show stored messages must have been loaded (`stored-messages.ts`). */
export function agUiEncoder({ v1, run_id, given }: Variant): ChunkEncoder {
  return function* encode(chunk, run, from) {
    const face = { thread_id: run.thread_id, run_id: run_id ?? run.run_id, v1, ...(given ? { given } : {}) };
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
export function agUiFrames(variant: Variant): SharedFrames {
  const common = variant.v1 ? shared.v1 : shared.v0;
  const isCommon = variant.run_id === undefined && variant.given === undefined;
  return isCommon ? common : new OwnFrames(agUiEncoder(variant), common);
}

/** Events whose frames name the run, or tell the result of a call. */
const differ: ReadonlySet<EventType> = new Set([
  'run_start',
  'run_resumed',
  'run_waiting',
  'run_finish',
  'tool_call_done',
] as const);

/** The frames of one request, where they can differ from those of all. */
class OwnFrames extends SharedFrames {
  constructor(
    private readonly own: ChunkEncoder,
    private readonly common: SharedFrames,
  ) {
    super(own);
  }

  override of(chunk: LogChunk, run: RunRef, from: number, seen?: Position): EncodedChunk {
    return chunk.events.some(([type]) => differ.has(type))
      ? encodeChunk(this.own, chunk, run, from, seen)
      : this.common.of(chunk, run, from, seen);
  }
}
