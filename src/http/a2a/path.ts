/** Ids out of the paths of this surface, read from the path itself: the router would turn a `+` into a space. */

import { badRequest } from '../../errors.js';
import type { Ctx } from '../context.js';
import { pathId } from '../validation.js';

/** The whole path of an action that a task can be asked for ends so. */
const CANCEL = ':cancel';

const segment = (ctx: Ctx, index: number): string => ctx.path.split('/')[index] ?? '';

/** Of `/v1/a2a/agents/<id>/…`, `/v1/a2a/rpc/<id>` and `/v1/a2a/rest/<id>/…`. Throws `bad_request`. */
export const agentIdOf = (ctx: Ctx): string => pathId('agent id', segment(ctx, 4));

/** Of `/v1/a2a/agents/<agent id>/<action>`. Throws `bad_request`. */
export const actionOf = (ctx: Ctx): string => pathId('action', segment(ctx, 5));

/** Of `/v1/a2a/agents/<agent id>/tasks/<id>` and `/v1/a2a/rest/<agent id>/tasks/<id>…`. Throws `bad_request`. */
export const taskIdOf = (ctx: Ctx): string => pathId('task id', segment(ctx, 6));

/** The task of a path that ends with an action. Throws `bad_request`. */
export const taskIdBefore = (ctx: Ctx, action: string): string =>
  pathId('task id', segment(ctx, 6).slice(0, -action.length));

/** Of `/v1/a2a/rest/<agent id>/tasks/<id>/pushNotificationConfigs/<config id>`. Throws `bad_request`. */
export const configIdOf = (ctx: Ctx): string => pathId('config id', segment(ctx, 8));

/** The task that a path asks to cancel. Throws `bad_request` for a path without the suffix. */
export function taskIdToCancel(ctx: Ctx): string {
  mustCancel(endsWithCancel(ctx));
  return taskIdBefore(ctx, CANCEL);
}

/** The task that a path asks for. Throws `bad_request` for the path of a cancel. */
export function taskIdToRead(ctx: Ctx): string {
  mustCancel(!endsWithCancel(ctx));
  return taskIdOf(ctx);
}

const endsWithCancel = (ctx: Ctx): boolean => segment(ctx, 6).endsWith(CANCEL);

function mustCancel(asked: boolean): void {
  if (!asked) throw badRequest(`task cancel path must end with '${CANCEL}'`);
}
