/** `GET /v1/mailbox`: what waits in the mailboxes of all threads, and what can never start (CONTRACT 4.5). */

import { z } from 'zod';
import { openStatuses } from '../../actors/inspection.js';
import { redact } from '../../redact.js';
import type { Handler } from '../context.js';
import type { Services } from '../services.js';
import { paging } from '../paging.js';
import { parseQuery, query } from '../query.js';
import { toEntryRecord, type EntryRecord } from '../threads/records.js';

export const mailboxesQuery = z.object({ status: query.words(openStatuses), ...paging });

export function listMailboxes({ engine }: Services): Handler {
  return async function getMailboxes(ctx) {
    const { status = openStatuses, offset, limit } = parseQuery(mailboxesQuery, ctx);
    const page = await engine(ctx.state.principal).inspect().entries(status, { offset, limit });
    ctx.body = { ...page, items: page.items.map((entry) => withoutSecrets(toEntryRecord(entry))) };
  };
}

const withoutSecrets = (entry: EntryRecord): EntryRecord => ({
  ...entry,
  payload: redact(entry.payload) as EntryRecord['payload'],
});
