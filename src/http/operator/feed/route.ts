/**
 * `GET /v1/actors/events`: what happens to all actors, as it becomes durable (CONTRACT 9.1).
 *
 * A reader that reconnects with `Last-Event-ID` goes on behind it for as long as the process is the same and its ring
 * reaches back; else, and at first, it gets a `reset`.
 */

import type { Handler } from '../../context.js';
import type { Services } from '../../services.js';
import { parseQuery } from '../../query.js';
import { FeedHub } from './feed-hub.js';
import { FeedStream } from './feed-stream.js';
import { positionOf } from './frames.js';
import { feedQuery, wishOf } from './wish.js';

export function watchActors({ engine, sse }: Services): Handler {
  const hub = new FeedHub(sse);
  return function getActorEvents(ctx) {
    const wish = wishOf(parseQuery(feedQuery, ctx));
    const inspection = engine(ctx.state.principal).inspect();
    sse.assertRoom(ctx.state.caller);
    const position = positionOf(inspection.feed.boot, ctx.get('last-event-id')) ?? null;
    sse.take<FeedStream>(ctx, (parts) => new FeedStream(parts, hub.source(inspection), wish, position));
  };
}
