/**
 * Starts that replace what came before them on a busy thread (CONTRACT 1.9, `interrupt` and `rollback`).
 *
 * A replaced run may take a while to stop, and meanwhile a still newer start may come. What it replaces does not hang on
 * how quick that was: the start in between gets its turn, so that what its user said stands in the history, and ends at
 * once. Those that came to wait (`enqueue`) are replaced by nobody before they run.
 */

import { apply, cellKey, type NextToken } from '../thread/apply.js';
import type { QueuedEntry } from '../thread/cells.js';
import type { Draft } from '../thread/draft.js';
import type { RunContext } from '../machines/run.js';
import type { ThreadContext } from '../machines/thread.js';

export const activeOf = (draft: Draft): ThreadContext['active'] =>
  (draft.get('a')!.snapshot.context as ThreadContext).active;

/** Ends the active run, if there is one, for a newer one. `rollback`: the thread becomes what that run found. */
export function supersede(draft: Draft, next: NextToken, by: { run_id: string; replaces: Replaces }): void {
  const active = activeOf(draft);
  if (!active || isReplaced(draft, active.key)) return;
  const { undo } = draft.thread();
  if (by.replaces === 'rollback' && undo) draft.editThread({ undo: { ...undo, due: true } });
  apply(draft, next, '', {
    type: 'TELL',
    run_id: active.run_id,
    event: { type: 'CANCEL', code: 'superseded', detail: by.run_id },
  });
}

/** Another start has replaced the run, and is itself what a newer one replaces. */
const isReplaced = (draft: Draft, key: string): boolean =>
  (draft.get(cellKey(key))?.snapshot.context as RunContext | undefined)?.ending?.code === 'superseded';

/** The first queued start that came after this one to replace it. */
export function replacerOf(
  draft: Draft,
  n: number,
  { replaces }: QueuedEntry,
): { run_id: string; replaces: Replaces } | undefined {
  if (!replaces) return undefined;
  const newer = (draft.get('queue') ?? []).filter((slot) => slot.n > n).sort((a, b) => a.n - b.n);
  for (const slot of newer) {
    const { run_id, replaces } = draft.get(`q${slot.n}`)!;
    if (replaces) return { run_id, replaces };
  }
  return undefined;
}

export type Replaces = NonNullable<QueuedEntry['replaces']>;
