/** Opens AG-UI streams. Whatever the route, a stream is one stretch of one run: it ends at a pause or with the run. */

import type { Engine } from '../../actors/engine.js';
import type { Ctx } from '../context.js';
import type { Services } from '../services.js';
import type { Position } from '../frames.js';
import { openRunStream } from '../run-stream.js';
import { openAt } from '../runs/position.js';
import { agUiFrames, frameText, type Variant } from './encoder.js';
import { AgUiReader } from './reader.js';
import { started } from './translate.js';

/** Where a stream begins. */
export type Begin =
  /** Behind the last frame the client has, which the run's log must have. */
  | { after: Position }
  /** At an event; what follows it is told from here on. */
  | { seq: number }
  /** The same, and the client is told first what it needs to know (frames of this request alone). */
  | { seq: number; head: string }
  /** At the first event of what followed a decision. */
  | { continuation: number };

export type StreamOptions = { run_id: string; begin: Begin; variant: Variant; onAbandoned?: () => void };

/** Answers 200 with the stream. Throws `bad_request` for a position that is not in the log, `run_not_found`. */
export async function openStream(
  ctx: Ctx,
  services: Services,
  engine: Engine,
  { run_id, begin, variant, onAbandoned }: StreamOptions,
): Promise<void> {
  const seen = 'after' in begin ? begin.after : undefined;
  const first = 'continuation' in begin ? begin.continuation : 'seq' in begin ? begin.seq : 0;
  const log = seen ? await openAt(engine, run_id, seen.seq) : await engine.readEvents(run_id, first - 1);
  const reader = new AgUiReader(log, engine, seen);
  const head = 'head' in begin ? begin.head : 'continuation' in begin ? await headOf(reader, variant) : undefined;
  openRunStream(ctx, services, reader, {
    frames: agUiFrames(variant),
    until: 'pause',
    ...(seen?.sub === undefined ? {} : { seen }),
    ...(head === undefined ? {} : { head }),
    ...(onAbandoned ? { onAbandoned } : {}),
  });
}

/** A run that was not standing still goes on without an event that says so, but a stream has to begin with one. */
async function headOf(reader: AgUiReader, { run_id, v1 }: Variant): Promise<string | undefined> {
  const slice = await reader.peek();
  const first = slice?.chunk.events[slice.from];
  if (!slice || !first || first[0] === 'run_resumed' || first[0] === 'run_start') return undefined;
  const { run } = reader;
  const face = { thread_id: run.thread_id, run_id: run_id ?? run.run_id, v1 };
  return bareFrame(frameText(started(face, null), slice.chunk.t0 + first[1]));
}

/** A frame without an id: it is in no log and cannot be resumed from. */
export const bareFrame = (text: string): string => `data: ${text}\n\n`;
