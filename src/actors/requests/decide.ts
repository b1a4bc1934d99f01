/** Decisions of pending tool calls (CONTRACT 5.2 to 5.4): any order, partial sets; ids that are not pending are ignored. */

import { runNotActive } from '../../errors.js';
import { apply, cellKey, type NextToken } from '../host/apply.js';
import type { Draft } from '../host/draft.js';
import type { RunContext } from '../machines/run.js';
import type { Decision } from '../records.js';
import { activeOf } from './stop.js';

/** Throws `run_not_active` unless `run_id` is the thread's active run. */
export function decide(draft: Draft, run_id: string, decisions: Decision[], { next }: { next: NextToken }): void {
  const active = activeOf(draft);
  if (active?.run_id !== run_id) throw runNotActive();
  const run = draft.get(cellKey(active.key))!.snapshot.context as RunContext;
  const matched = decisions.flatMap((decision) => {
    const key = pendingKey(run, decision.target_id);
    return key === undefined ? [] : [{ key, decision }];
  });
  const once = [...new Map(matched.reverse().map((m) => [m.key, m])).values()].reverse();
  if (once.length === 0) return;
  apply(draft, next, '', { type: 'TELL', run_id, event: { type: 'DECIDE', decisions: once } });
}

/** A decision may name the call or its suspension. */
const pendingKey = ({ calls }: RunContext, target_id: string): string | undefined =>
  Object.entries(calls).find(
    ([, call]) => call.is === 'suspended' && (call.id === target_id || call.suspension?.id === target_id),
  )?.[0];
