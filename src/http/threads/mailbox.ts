/** A thread's mailbox: its entries, and what may be done to one of them (spec; CONTRACT 4.4, 4.5). */

import { z } from 'zod';
import { entryOrigins, entryStatuses } from '../../actors/records.js';
import type { Handler } from '../context.js';
import type { Services } from '../services.js';
import { paging } from '../paging.js';
import { parseQuery, query } from '../query.js';
import { messageSchema } from '../runs/start-payload.js';
import { parseBody } from '../validation.js';
import { visibility } from '../visibility.js';
import { entryIdOf, threadIdOf } from './path.js';
import { toEntryRecord } from './records.js';

export const mailboxQuery = z.object({
  status: query.word(entryStatuses),
  origin: query.word([...entryOrigins, 'none'], '`external` when absent; `none`: no filter.'),
  visibility: visibility(),
  ...paging,
});

/** Entries that wait and entries that have ended. Those of clients, unless `origin` says otherwise (`none`: all). */
export function listMailbox({ engine }: Services): Handler {
  return async function getMailbox(ctx) {
    const thread_id = threadIdOf(ctx);
    const { origin = 'external', visibility, ...asked } = parseQuery(mailboxQuery, ctx);
    const page = await engine(ctx.state.principal).list<'mailbox'>({
      kind: 'mailbox',
      thread_id,
      ...asked,
      origin: origin === 'none' ? undefined : origin,
    });
    ctx.body = { ...page, items: page.items.map((entry) => toEntryRecord(entry, visibility)) };
  };
}

/** 204: the entry was queued and is cancelled, its run has ended. */
export function cancelEntry({ engine }: Services): Handler {
  return async function deleteEntry(ctx) {
    const [thread_id, entry_id] = [threadIdOf(ctx), entryIdOf(ctx)];
    await engine(ctx.state.principal).deliver({ type: 'cancel_entry', thread_id, entry_id }, ctx.state.principal);
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
    const { entry } = await engine(ctx.state.principal).deliver(
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
    const { entry } = await engine(ctx.state.principal).deliver(
      { type: 'retry_entry', thread_id, entry_id },
      ctx.state.principal,
    );
    ctx.status = 202;
    ctx.body = toEntryRecord(entry);
  };
}
