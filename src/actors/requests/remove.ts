/**
 * The end of a thread (CONTRACT 2.4), in one commit: its runs end, so that whoever watches them sees it, its name is free
 * for another thread, and a row tells that what is left of it is to be removed (`host/removal.ts`).
 */

import * as keys from '../../store/keys.js';
import { apply, type NextToken } from '../thread/apply.js';
import type { Draft } from '../thread/draft.js';
import { bury } from '../thread/force-end.js';
import { delRow, putRow } from '../thread/rows.js';
import { activeOf } from './supersede.js';
import { endEntry, endUnstarted } from './turn.js';

const DELETED = 'the thread was deleted';

/** Ends everything of the thread in this draft; its rows are removed in the background (`host/removal.ts`). */
export function removeThread(draft: Draft, { tno, next }: { tno: number; next: NextToken }): void {
  const { thread_id } = draft.thread();
  for (const { n } of draft.get('queue') ?? []) {
    const { rno } = endEntry(draft, { tno }, n, 'CANCEL');
    endUnstarted(draft, rno, 'cancelled', DELETED);
  }
  endActive(draft, next);
  draft.set('thread', undefined);
  draft.set('a', undefined);
  draft.set('queue', undefined);
  draft.set('gone', true);
  draft.rows.push(delRow(keys.threadName(thread_id)), putRow(keys.grave(tno), { at: draft.at }));
}

/** Ends the active run now: nobody is left to wait for its tools. */
function endActive(draft: Draft, next: NextToken): void {
  for (const event of [
    { type: 'CANCEL', code: 'cancelled', detail: DELETED },
    // A run that is being cancelled takes this as the end of its patience.
    { type: 'FAULT', message: DELETED },
  ]) {
    const active = activeOf(draft);
    if (active) apply(draft, next, '', { type: 'TELL', run_id: active.run_id, event });
  }
  const active = activeOf(draft);
  if (active) bury(draft, next, Number(active.key), DELETED);
}
