/**
 * Where a client wants to go on: `Last-Event-ID`, or `?after=` when that header is absent. An EventSource repeats its URL,
 * and with it an old `after`, but sends the header of the last frame it saw: so the header wins.
 */

import { z } from 'zod';
import { badRequest } from '../../errors.js';
import type { Engine, EventReader } from '../../actors/engine.js';
import type { Ctx } from '../context.js';
import { parseQuery, query } from '../query.js';

export const positionQuery = z.object({
  after: query.integer('Id of the last event the client has; `Last-Event-ID` goes before it.'),
});

/** `?after=`: the sequence number of the last event the client has, -1 for none. Throws `bad_request`. */
export const afterOf = (ctx: Ctx): number => Math.max(parseQuery(positionQuery, ctx).after ?? -1, -1);

/** The `Last-Event-ID` of the request, if any: an id of a canonical event. Throws `bad_request` for anything else. */
export function lastEventId(ctx: Ctx): number | undefined {
  const text = ctx.get('last-event-id').trim();
  if (text === '') return undefined;
  const seq = /^\d+$/.test(text) ? Number(text) : NaN;
  if (!Number.isSafeInteger(seq)) throw badRequest('Last-Event-ID: expected the id of an event');
  return seq;
}

/**
 * Opens the run's log so that event `seq` is the first one handed out, which proves that a client that names it has seen
 * this log. Throws `bad_request` when the log of an active run has no such event, `run_not_found`.
 */
export async function openAt(engine: Engine, run_id: string, seq: number): Promise<EventReader> {
  const reader = await engine.readEvents(run_id, Math.max(seq - 1, -1));
  if (seq < 0 || !reader.caughtUp) return reader;
  reader.close();
  throw badRequest(`Last-Event-ID: the run has no event ${seq}`);
}
