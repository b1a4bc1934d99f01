/** Ids out of the paths of this surface, read from the path itself: the router would turn a `+` into a space. */

import type { Ctx } from '../context.js';
import { pathId } from '../validation.js';

/** Of `/v1/ai-sdk/agents/<id>/…`. Throws `bad_request` for an id that no agent can have. */
export const agentIdOf = (ctx: Ctx): string => pathId('agent id', ctx.path.split('/')[4] ?? '');

/** Of `/v1/ai-sdk/agents/<agent id>/chats/<id>/…` and its alias with `runs`. */
export const chatIdOf = (ctx: Ctx): string => pathId('chat id', ctx.path.split('/')[6] ?? '');

/** Of `/v1/ai-sdk/threads/<id>/…`. */
export const threadIdOf = (ctx: Ctx): string => pathId('thread id', ctx.path.split('/')[4] ?? '');
