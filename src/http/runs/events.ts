/**
 * `GET /v1/runs/:id/events`: the run's log from its start or from where the client left (CONTRACT 1.6, 1.7).
 *
 * As a stream it stays open through pauses until `run_finish`. With `accept: application/json` it is a page of what is
 * stored at this moment: `{items, has_more, next_after}`, and never waits.
 */

import { z } from 'zod';
import { canonicalEvents, type CanonicalEvent } from '../../actors/events.js';
import type { EventReader } from '../../actors/engine.js';
import type { Ctx, Handler } from '../context.js';
import type { Services } from '../services.js';
import { openRunStream } from '../run-stream.js';
import { parseQuery, query } from '../query.js';
import { canonicalFrames } from './canonical.js';
import { afterOf, lastEventId, openAt } from './position.js';
import { runIdOf } from './run-id.js';

/** How the run is told in the formats of other surfaces. */
export type EventFormats = Readonly<Record<string, Handler>>;

/** `after` is read as the format wants it: a number here, the id of a frame in the formats of other surfaces. */
export const eventsQuery = (formats: EventFormats) =>
  z.object({
    format: query.word(['canonical', ...Object.keys(formats)], '`canonical` when absent.'),
    after: query.text('Id of the last event the client has; `Last-Event-ID` goes before it.'),
    limit: query.limit(),
  });

export function runEvents(services: Services, formats: EventFormats): Handler {
  const { engine, sse } = services;
  const asked = eventsQuery(formats);
  return async function getRunEvents(ctx) {
    const run_id = runIdOf(ctx);
    const { format = 'canonical', limit } = parseQuery(asked, ctx);
    const open = engine(ctx.state.principal);
    if (ctx.accepts('text/event-stream', 'application/json') === 'application/json') {
      const after = afterOf(ctx);
      return answerPage(ctx, await open.readEvents(run_id, after), { after, limit });
    }
    if (format !== 'canonical') return formats[format]!(ctx);
    const seq = lastEventId(ctx) ?? afterOf(ctx);
    sse.assertRoom(ctx.state.caller);
    openRunStream(ctx, services, await openAt(open, run_id, seq), {
      frames: canonicalFrames,
      until: 'finish',
      ...(seq < 0 ? {} : { seen: { seq } }),
    });
  };
}

export type EventPage = { items: CanonicalEvent[]; has_more: boolean; next_after: number | null };
type Cut = { after: number; limit: number };

async function answerPage(ctx: Ctx, reader: EventReader, { after, limit }: Cut): Promise<void> {
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
