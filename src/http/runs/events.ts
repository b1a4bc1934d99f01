/**
 * `GET /v1/runs/:id/events`: the run's log from its start or from where the client left (CONTRACT 1.6, 1.7).
 *
 * As a stream it stays open through pauses until `run_finish`. With `accept: application/json` it is a page of what is
 * stored at this moment: `{items, has_more, next_after}`, and never waits.
 */

import { canonicalEvents, type CanonicalEvent } from '../../actors/events.js';
import type { EventReader } from '../../actors/engine.js';
import type { Ctx, Handler, Services } from '../context.js';
import { openRunStream } from '../run-stream.js';
import { queryEnum, queryInteger, queryLimit } from '../validation.js';
import { canonicalFrames } from './canonical.js';
import { openAt, positionOf } from './position.js';
import { runIdOf } from './run-id.js';

/** How the run is told in the formats of other surfaces. */
export type EventFormats = Readonly<Record<string, Handler>>;

export function runEvents(services: Services, formats: EventFormats): Handler {
  const { engine, sse } = services;
  return async function getRunEvents(ctx) {
    const run_id = runIdOf(ctx);
    const format = queryEnum('format', ctx.query.format, ['canonical', ...Object.keys(formats)]) ?? 'canonical';
    if (ctx.accepts('text/event-stream', 'application/json') === 'application/json') {
      return answerPage(ctx, (after) => engine().readEvents(run_id, after));
    }
    if (format !== 'canonical') return formats[format]!(ctx);
    const seq = positionOf(ctx);
    const open = engine();
    sse.assertRoom();
    openRunStream(ctx, services, await openAt(open, run_id, seq), {
      frames: canonicalFrames,
      until: 'finish',
      ...(seq < 0 ? {} : { seen: { seq } }),
    });
  };
}

export type EventPage = { items: CanonicalEvent[]; has_more: boolean; next_after: number | null };

async function answerPage(ctx: Ctx, open: (after: number) => Promise<EventReader>): Promise<void> {
  const after = Math.max(queryInteger('after', ctx.query.after) ?? -1, -1);
  const limit = queryLimit(ctx.query.limit);
  const reader = await open(after);
  try {
    const items = await stored(reader, limit + 1);
    const has_more = items.length > limit;
    if (has_more) items.pop();
    const next_after = items.at(-1)?.seq ?? (after < 0 ? null : after);
    ctx.body = { items, has_more, next_after } satisfies EventPage;
  } finally {
    reader.close();
  }
}

/** Up to `count` events of those that are stored now. */
async function stored(reader: EventReader, count: number): Promise<CanonicalEvent[]> {
  const items: CanonicalEvent[] = [];
  while (items.length < count && !reader.caughtUp) {
    const slice = await reader.next();
    if (!slice) break;
    for (const event of canonicalEvents(slice.chunk, reader.run, slice.from)) {
      if (items.push(event) === count) break;
    }
  }
  return items;
}
