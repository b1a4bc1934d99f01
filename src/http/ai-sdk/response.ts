/** Opens the streams of this surface: the headers, and one response of one run as frames. */

import type { Engine, EventReader } from '../../actors/engine.js';
import type { Ctx } from '../context.js';
import type { Services } from '../services.js';
import { frame, type Position } from '../frames.js';
import { openRunStream } from '../run-stream.js';
import type { StreamOptions } from '../sse-stream.js';
import { startChunk } from './encoder.js';
import { turnIdOf } from './run-log.js';
import { openBehind } from './seen-reader.js';
import { bridgedFrames, DONE, splitFrames, TurnFrames } from './turn-frames.js';

/** The names of the interface, and the one the client libraries look for. */
const HEADERS = {
  'x-sdk-ai-ui-message-stream': 'v1',
  'x-service-ai-sdk-version': 'v6',
  'x-vercel-ai-ui-message-stream': 'v1',
};

/** Where a response begins. */
export type Begin =
  /** With the run: the whole message. */
  | { whole: true }
  /** Behind this event, as the continuation of a message that the client has up to there. */
  | { after: number }
  /** Behind the last frame the client has. */
  | { seen: Position };

export type ResponseOptions = { run_id: string; begin: Begin; onAbandoned?: () => void };

/**
 * Answers 200 with the run from there on, through pauses that are over, to its end or to the pause at which it stands.
 * Throws `bad_request` for a position that is not in the log, `run_not_found`.
 */
export async function openResponse(
  ctx: Ctx,
  services: Services,
  engine: Engine,
  { run_id, begin, onAbandoned }: ResponseOptions,
): Promise<void> {
  const head = 'after' in begin ? await startFrame(engine, run_id, begin.after) : undefined;
  const reader =
    'seen' in begin
      ? await openBehind(engine, run_id, begin.seen, bridgedFrames)
      : await engine.readEvents(run_id, 'after' in begin ? begin.after : -1);
  open(ctx, services, reader, {
    frames: new TurnFrames(reader),
    until: 'standstill',
    ...('seen' in begin ? { seen: begin.seen } : {}),
    ...(head === undefined ? {} : { head }),
    ...(onAbandoned ? { onAbandoned } : {}),
  });
}

/** Answers 200 with the run from its start or behind `seen`, up to the next pause (CONTRACT 1.7). Throws the same. */
export async function openStretch(
  ctx: Ctx,
  services: Services,
  engine: Engine,
  { run_id, seen }: { run_id: string; seen: Position | undefined },
): Promise<void> {
  const reader = seen ? await openBehind(engine, run_id, seen, splitFrames) : await engine.readEvents(run_id, -1);
  open(ctx, services, reader, { frames: splitFrames, until: 'pause', ...(seen ? { seen } : {}) });
}

function open(
  ctx: Ctx,
  services: Services,
  reader: EventReader,
  stream: Omit<StreamOptions, 'tail' | 'onFault'>,
): void {
  ctx.set(HEADERS);
  openRunStream(ctx, services, reader, { ...stream, tail: DONE });
}

/** The `start` of a continuation. Its id is that of the event in front, so it can be resumed from like any other. */
async function startFrame(engine: Engine, run_id: string, after: number): Promise<string | undefined> {
  const [turn_id, run] = await Promise.all([turnIdOf(engine, run_id), engine.read({ kind: 'run', run_id })]);
  if (turn_id === null || !run) return undefined;
  return frame(`${after}`, JSON.stringify(startChunk({ turn_id }, run)));
}
