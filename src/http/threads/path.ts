/** Ids out of the paths of this surface, read from the path itself: the router would turn a `+` into a space. */

import type { Ctx } from '../context.js';
import { pathId } from '../validation.js';

/** Of `/v1/threads/<id>…`. Throws `bad_request` for an id that no thread can have. */
export const threadIdOf = (ctx: Ctx): string => pathId('thread id', ctx.path.split('/')[3] ?? '');

/** Of `/v1/threads/<id>/mailbox/<entry id>…`. */
export const entryIdOf = (ctx: Ctx): string => pathId('entry id', ctx.path.split('/')[5] ?? '');
