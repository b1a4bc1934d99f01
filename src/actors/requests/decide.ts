/** Decisions of pending tool calls (CONTRACT 5.2 to 5.4): any order, partial sets; ids that are not pending are ignored. */

import { runNotActive } from '../../errors.js';
import { apply, cellKey, type NextToken } from '../host/apply.js';
import type { Draft } from '../host/draft.js';
import type { RunContext } from '../machines/run.js';
import type { Decision } from '../records.js';
import { activeOf } from './supersede.js';

/** How many applied decisions a thread remembers. */
const REMEMBERED = 64;

/**
 * Applies the decisions that match pending calls of the active run; says whether any did. A decision that has been
 * applied before changes nothing.
 */
export function applyDecisions(draft: Draft, decisions: Decision[], { next }: { next: NextToken }): boolean {
  const active = activeOf(draft);
  if (!active) return false;
  const run = draft.get(cellKey(active.key))!.snapshot.context as RunContext;
  const byCall = new Map<string, Decision>();
  for (const decision of decisions) {
    const key = pendingKey(run, decision.target_id);
    if (key !== undefined && !byCall.has(key) && !appliedTo(draft, [decision])) byCall.set(key, decision);
  }
  if (byCall.size === 0) return false;
  const matched = [...byCall].map(([key, decision]) => ({ key, decision }));
  apply(draft, next, '', { type: 'TELL', run_id: active.run_id, event: { type: 'DECIDE', decisions: matched } });
  const fresh = matched.map(({ decision: { decision_id } }) => ({ decision_id, run_id: active.run_id }));
  draft.editThread({ decided: [...draft.thread().decided, ...fresh].slice(-REMEMBERED) });
  return true;
}

/** The run that all these decisions were applied to before, if they were (CONTRACT 1.10). */
export function appliedTo(draft: Draft, decisions: Decision[]): string | undefined {
  const { decided } = draft.thread();
  const runs = decisions.map((d) => decided.find(({ decision_id }) => decision_id === d.decision_id)?.run_id);
  return runs.length > 0 && runs.every((run) => run === runs[0]) ? runs[0] : undefined;
}

/**
 * Forwards decisions to a run. A run whose turn has not come has nothing pending, so they are ignored (CONTRACT 5.4).
 * Throws `run_not_active` when the run is done and has not taken them before.
 */
export function decide(draft: Draft, run_id: string, decisions: Decision[], deps: { next: NextToken }): void {
  if (activeOf(draft)?.run_id === run_id) applyDecisions(draft, decisions, deps);
  else if (appliedTo(draft, decisions) !== run_id && !isQueued(draft, run_id)) throw runNotActive();
}

const isQueued = (draft: Draft, run_id: string): boolean =>
  (draft.get('queue') ?? []).some(({ n }) => draft.get(`q${n}`)!.run_id === run_id);

/** A decision may name the call or its suspension. */
const pendingKey = ({ calls }: RunContext, target_id: string): string | undefined =>
  Object.entries(calls).find(
    ([, call]) => call.is === 'suspended' && (call.id === target_id || call.suspension?.id === target_id),
  )?.[0];
