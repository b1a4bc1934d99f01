/** A thread's mailbox: its entries, and what may be done to one of them (spec; CONTRACT 4.4, 4.5). */

import { z } from 'zod';
import { entryOrigins, entryStatuses } from '../../actors/records.js';
import type { Handler, Services } from '../context.js';
import { pagingOf } from '../paging.js';
import { messageSchema } from '../runs/start-payload.js';
import { parseBody, queryEnum } from '../validation.js';
import { visibilityOf } from '../visibility.js';
import { entryIdOf, threadIdOf } from './path.js';
import { toEntryRecord } from './records.js';

/** Entries that wait and entries that have ended. Those of clients, unless `origin` says otherwise (`none`: all). */
export function listMailbox({ engine }: Services): Handler {
  return async function getMailbox(ctx) {
    const { query } = ctx;
    const thread_id = threadIdOf(ctx);
    const visibility = visibilityOf(query.visibility);
    const status = queryEnum('status', query.status, entryStatuses);
    const origin = queryEnum('origin', query.origin, [...entryOrigins, 'none']) ?? 'external';
    const page = await engine().list<'mailbox'>({
      kind: 'mailbox',
      thread_id,
      status,
      origin: origin === 'none' ? undefined : origin,
      ...pagingOf(ctx),
    });
    ctx.body = { ...page, items: page.items.map((entry) => toEntryRecord(entry, visibility)) };
  };
}

/** 204: the entry was queued and is cancelled, its run has ended. */
export function cancelEntry({ engine }: Services): Handler {
  return async function deleteEntry(ctx) {
    const [thread_id, entry_id] = [threadIdOf(ctx), entryIdOf(ctx)];
    await engine().deliver({ type: 'cancel_entry', thread_id, entry_id }, ctx.state.principal);
    ctx.status = 204;
  };
}

export const entryPatchSchema = z.object({
  priority: z.int().min(0).max(255).nullish(),
  messages: z.array(messageSchema).nullish(),
});

/** 200 with the entry as it is now. */
export function patchEntry({ engine }: Services): Handler {
  return async function patchQueuedEntry(ctx) {
    const [thread_id, entry_id] = [threadIdOf(ctx), entryIdOf(ctx)];
    const { priority, messages } = parseBody(entryPatchSchema, ctx.request.body);
    const { entry } = await engine().deliver(
      { type: 'edit_entry', thread_id, entry_id, priority: priority ?? undefined, messages: messages ?? undefined },
      ctx.state.principal,
    );
    ctx.body = toEntryRecord(entry);
  };
}

/** 202 with the new entry: what the dead letter asked for is tried again. */
export function retryEntry({ engine }: Services): Handler {
  return async function postRetry(ctx) {
    const [thread_id, entry_id] = [threadIdOf(ctx), entryIdOf(ctx)];
    const { entry } = await engine().deliver({ type: 'retry_entry', thread_id, entry_id }, ctx.state.principal);
    ctx.status = 202;
    ctx.body = toEntryRecord(entry);
  };
}
