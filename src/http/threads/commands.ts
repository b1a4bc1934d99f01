/** What clients do to a thread as a whole: interrupt, metadata, fork, delete (spec; CONTRACT 2.4 to 2.6). */

import { z } from 'zod';
import type { JsonObject } from '../../json.js';
import type { Handler } from '../context.js';
import type { Services } from '../services.js';
import { jsonObject, optionalId, parseBody } from '../validation.js';
import { threadIdOf } from './path.js';
import { toProjection } from './records.js';

/** 202: the active run is being cancelled, what was queued is superseded. */
export function interruptThread({ engine }: Services): Handler {
  return async function postInterrupt(ctx) {
    const thread_id = threadIdOf(ctx);
    const result = await engine(ctx.state.principal).deliver({ type: 'interrupt', thread_id }, ctx.state.principal);
    ctx.status = 202;
    ctx.body = { status: 'interrupt_requested', ...result };
  };
}

/** 200 with the whole metadata after the merge (RFC 7396). */
export function patchMetadata({ engine }: Services): Handler {
  return async function patchThreadMetadata(ctx) {
    const thread_id = threadIdOf(ctx);
    const patch = parseBody(jsonObject, ctx.request.body) as JsonObject;
    const { metadata } = await engine(ctx.state.principal).deliver(
      { type: 'edit_metadata', thread_id, patch },
      ctx.state.principal,
    );
    ctx.body = metadata;
  };
}

export const forkSchema = z.object({
  after_message_id: optionalId,
  afterMessageId: optionalId,
  thread_id: optionalId,
  threadId: optionalId,
});

/** 201 with the new thread. */
export function forkThread({ engine }: Services): Handler {
  return async function postFork(ctx) {
    const thread_id = threadIdOf(ctx);
    const body = parseBody(forkSchema, ctx.request.body);
    const { thread } = await engine(ctx.state.principal).deliver(
      {
        type: 'fork_thread',
        thread_id,
        after_message_id: body.after_message_id ?? body.afterMessageId,
        new_thread_id: body.thread_id ?? body.threadId,
      },
      ctx.state.principal,
    );
    ctx.status = 201;
    ctx.set('location', `/v1/threads/${encodeURIComponent(thread.thread_id)}`);
    ctx.body = toProjection(thread);
  };
}

/** 204, also when there is no such thread. */
export function deleteThread({ engine }: Services): Handler {
  return async function deleteOneThread(ctx) {
    await engine(ctx.state.principal).deliver(
      { type: 'delete_thread', thread_id: threadIdOf(ctx) },
      ctx.state.principal,
    );
    ctx.status = 204;
  };
}
