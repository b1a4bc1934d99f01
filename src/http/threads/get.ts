/** `GET /v1/threads/:id`: the projection with the newest messages and the state (CONTRACT 2.3). */

import { threadNotFound } from '../../errors.js';
import type { Handler } from '../context.js';
import type { Services } from '../services.js';
import { threadIdOf } from './path.js';
import { toMessageRecord, toProjection } from './records.js';

const MESSAGES = 200;

export function getThread({ engine: open }: Services): Handler {
  return async function getOneThread(ctx) {
    const engine = open(ctx.state.principal);
    const thread_id = threadIdOf(ctx);
    const [thread, newest, state] = await Promise.all([
      engine.read({ kind: 'thread', thread_id }),
      engine.read({ kind: 'messages', thread_id, order: 'desc', limit: MESSAGES, visibility: 'public' }),
      engine.read({ kind: 'state', thread_id }),
    ]);
    if (!thread || !newest || !state) throw threadNotFound(thread_id);
    ctx.body = { ...toProjection(thread), messages: newest.reverse().map(toMessageRecord), state };
  };
}
