/**
 * Notifications that were given up: listed for operators, the oldest first, and sent again when one of them says so.
 */

import { AgentServerError, ErrorCode } from '../../errors.js';
import * as keys from '../../store/keys.js';
import type { Reads } from '../../store/reads.js';
import type { Page } from '../page.js';
import { putErrand } from '../thread/errand-rows.js';
import { delRow } from '../thread/rows.js';
import type { Draft } from '../thread/draft.js';
import type { DeadPush, PushDeadLetter } from './types.js';

/** Where a dead letter is kept, and its id for operators. */
export type Grave = { tno: number; n: number };
const idOf = ({ tno, n }: Grave): string => `${tno}-${n}`;

/** The place that an id names. Throws `entry_not_found` for what is no id. */
export function graveOf(id: string): Grave {
  const [tno, n] = (/^(\d{1,14})-(\d{1,14})$/.exec(id) ?? []).slice(1).map(Number);
  if (tno === undefined || n === undefined) throw deadLetterNotFound(id);
  return { tno, n };
}

export const deadLetterNotFound = (id: string): AgentServerError =>
  new AgentServerError(ErrorCode.entryNotFound, `dead letter not found: ${id}`);

/** Puts a dead letter back on its way, with a new day to get there. */
export function revive(draft: Draft, grave: Grave, { died_at: _, origin: __, ...errand }: DeadPush): void {
  draft.rows.push(delRow(keys.deadPush(grave.tno, grave.n)));
  putErrand(draft, { push: { ...errand, attempts: 0, last_error: null, since: draft.at, due: draft.at } });
}

/** One page, the oldest first; of one resource, if given. */
export async function listDeadLetters(
  store: Reads,
  { resource_id, offset, limit }: { resource_id?: string; offset: number; limit: number },
): Promise<Page<PushDeadLetter>> {
  const all: PushDeadLetter[] = [];
  for await (const [key, value] of store.range(keys.allDeadPushes())) {
    const [tno, n] = keys.parsePair(key);
    const letter = viewOf({ tno, n }, JSON.parse(value) as DeadPush);
    if (resource_id === undefined || letter.resource_id === resource_id) all.push(letter);
  }
  all.sort((a, b) => a.died_at - b.died_at);
  const items = all.slice(offset, offset + limit);
  return { items, total: all.length, has_more: offset + items.length < all.length };
}

function viewOf(grave: Grave, { news, config_id, origin, attempts, last_error, died_at }: DeadPush): PushDeadLetter {
  const { run_id, thread_id, agent_id, resource_id, status } = news.run;
  return {
    id: idOf(grave),
    run_id,
    thread_id,
    agent_id,
    resource_id,
    config_id,
    receiver: origin,
    status,
    seq: news.seq,
    attempts,
    last_error,
    created_at: news.at,
    died_at,
  };
}
