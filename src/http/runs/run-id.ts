/** The run id of a path `/v1/runs/<id>…`, read from the path itself: the router would turn a `+` into a space. */

import type { Ctx } from '../context.js';
import { pathId } from '../validation.js';

/** Throws `bad_request` for an id that no run can have. */
export const runIdOf = (ctx: Ctx): string => pathId('run id', ctx.path.split('/')[3] ?? '');
