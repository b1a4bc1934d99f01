/** Where a chat client left a stream: the id of the last frame it has, `<seq>` or `<seq>.<n>` (CONTRACT 1.6). */

import { z } from 'zod';
import { badRequest } from '../errors.js';
import type { Ctx } from './context.js';
import type { Position } from './frames.js';
import { parseQuery, query } from './query.js';

export const frameQuery = z.object({
  after: query.text('Id of the last frame the client has; `Last-Event-ID` goes before it.'),
});

const FRAME_ID = /^(\d+)(?:\.(\d+))?$/;

/** From the `Last-Event-ID` header, else from `?after=`; undefined when the client names none. Throws `bad_request`. */
export function framePositionOf(ctx: Ctx): Position | undefined {
  const header = ctx.get('last-event-id').trim();
  if (header !== '') return parse('Last-Event-ID', header);
  const { after } = parseQuery(frameQuery, ctx);
  if (after === undefined || after === '-1') return undefined;
  return parse('after', after);
}

function parse(name: string, text: string): Position {
  const [, seq, sub] = FRAME_ID.exec(text) ?? [];
  if (!Number.isSafeInteger(Number(seq ?? NaN))) throw badRequest(`${name}: expected the id of a frame`);
  return sub === undefined ? { seq: Number(seq) } : { seq: Number(seq), sub: Number(sub) };
}
