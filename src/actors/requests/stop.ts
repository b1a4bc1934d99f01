/** Cancel of a run and interrupt of a thread (CONTRACT 1.13, 2.5). */

import { runNotActive, threadNotFound } from '../../errors.js';
import type { InterruptResult } from '../engine.js';
import { apply, type NextToken } from '../thread/apply.js';
import type { Draft } from '../thread/draft.js';
import type { ThreadContext } from '../machines/thread.js';
import { activeOf } from './supersede.js';
import { endEntry, endUnstarted } from './turn.js';

export type StopDeps = { tno: number; next: NextToken };

/** Cancels an active or queued run; throws `run_not_active` when it has ended. */
export function cancelRun(draft: Draft, run_id: string, detail: string | null, deps: StopDeps): void {
  const queued = (draft.get('queue') ?? []).find(({ n }) => draft.get(`q${n}`)!.run_id === run_id);
  if (queued) {
    const { rno } = endEntry(draft, deps, queued.n, 'CANCEL');
    return endUnstarted(draft, rno, 'cancelled', detail);
  }
  const active = activeOf(draft);
  if (active?.run_id !== run_id) throw runNotActive();
  apply(draft, deps.next, '', { type: 'TELL', run_id, event: { type: 'CANCEL', code: 'cancelled', detail } });
}

/** Ends the active run and everything that waits for its turn. */
export function interruptThread(draft: Draft, deps: StopDeps): InterruptResult {
  if (!draft.get('thread')) throw threadNotFound('');
  const active = activeOf(draft);
  const superseded = (draft.get('queue') ?? []).map(({ n }) => {
    const entry = endEntry(draft, deps, n, 'SUPERSEDE');
    endUnstarted(draft, entry.rno, 'superseded', 'interrupted');
    return entry.entry_id;
  });
  apply(draft, deps.next, '', { type: 'INTERRUPT' });
  return {
    thread_id: draft.thread().thread_id,
    generation: (draft.get('a')!.snapshot.context as ThreadContext).generation,
    cancelled_run_id: active?.run_id ?? null,
    superseded_pending_count: superseded.length,
    superseded_pending_entry_ids: superseded,
  };
}
