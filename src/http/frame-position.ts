/** Where a chat client left a stream: the id of the last frame it has, `<seq>` or `<seq>.<n>` (CONTRACT 1.6). */

import { badRequest } from '../errors.js';
import type { Ctx } from './context.js';
import type { Position } from './frames.js';

const FRAME_ID = /^(\d+)(?:\.(\d+))?$/;

/** From the `Last-Event-ID` header, else from `?after=`; undefined when the client names none. Throws `bad_request`. */
export function framePositionOf(ctx: Ctx): Position | undefined {
  const header = ctx.get('last-event-id').trim();
  if (header !== '') return parse('Last-Event-ID', header);
  const { after } = ctx.query;
  if (after === undefined || after === '-1') return undefined;
  if (Array.isArray(after)) throw badRequest('after: given more than once');
  return parse('after', after);
}

function parse(name: string, text: string): Position {
  const [, seq, sub] = FRAME_ID.exec(text) ?? [];
  if (!Number.isSafeInteger(Number(seq ?? NaN))) throw badRequest(`${name}: expected the id of a frame`);
  return sub === undefined ? { seq: Number(seq) } : { seq: Number(seq), sub: Number(sub) };
}
