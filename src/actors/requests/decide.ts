/** Decisions of pending tool calls (CONTRACT 5.2 to 5.4): any order, partial sets; ids that are not pending are ignored. */

import { createPatch } from 'rfc6902';
import { runNotActive } from '../../errors.js';
import type { JsonObject } from '../../json.js';
import { apply, cellKey, type NextToken } from '../thread/apply.js';
import type { Draft } from '../thread/draft.js';
import type { RunContext } from '../machines/run.js';
import { mergePatch } from '../merge-patch.js';
import type { Decision } from '../records.js';
import { activeOf } from './supersede.js';

/** `state`: merged into the thread's when any of the decisions takes effect (RFC 7396). */
export type Decided = { decisions: Decision[]; state?: JsonObject };

/** How many decisions a thread remembers of each kind; of those that took effect all that came last, if they were more. */
const REMEMBERED = 64;

/**
 * Applies the decisions that match pending calls of the active run; says whether any did. A decision that has been
 * applied before changes nothing. `state`: merged into the thread's before the calls go on (RFC 7396).
 */
export function applyDecisions(
  draft: Draft,
  decisions: Decision[],
  { next }: { next: NextToken },
  state: JsonObject = {},
): boolean {
  const active = activeOf(draft);
  if (!active) return false;
  const run = draft.get(cellKey(active.key))!.snapshot.context as RunContext;
  const pending = pendingKeys(run);
  const byCall = new Map<string, Decision>();
  for (const decision of decisions) {
    const key = pending.get(decision.target_id);
    if (key !== undefined && !byCall.has(key) && appliedTo(draft, [decision]).length === 0) byCall.set(key, decision);
  }
  if (byCall.size === 0) return false;
  const matched = [...byCall].map(([key, decision]) => ({ key, decision }));
  const state_changed = mergeState(draft, state);
  const event = { type: 'DECIDE' as const, decisions: matched, state_changed };
  apply(draft, next, '', { type: 'TELL', run_id: active.run_id, event });
  remember(draft, active.run_id, { applied: matched.map(({ decision }) => decision), of: decisions });
  return true;
}

/** Says whether it was a change. */
function mergeState(draft: Draft, patch: JsonObject): boolean {
  const before = draft.get('state') ?? {};
  const after = mergePatch(before, patch) as JsonObject;
  if (createPatch(before, after).length === 0) return false;
  draft.set('state', after);
  return true;
}

/** Those that took effect, and those that came with them and were ignored: when all of it comes again, it is a repetition. */
function remember(draft: Draft, run_id: string, { applied, of }: { applied: Decision[]; of: Decision[] }): void {
  const took = new Set(applied);
  const known = knownTo(draft, run_id);
  const beside = of.filter((decision) => !took.has(decision) && !known.has(decision.decision_id));
  const { decided } = draft.thread();
  const ignored = [
    ...decided.filter((earlier) => earlier.ignored),
    ...beside.map(({ decision_id }) => ({ decision_id, run_id, ignored: true as const })),
  ];
  const effective = [
    ...decided.filter((earlier) => !earlier.ignored),
    ...applied.map(({ decision_id }) => ({ decision_id, run_id })),
  ];
  draft.editThread({
    decided: [...ignored.slice(-REMEMBERED), ...effective.slice(-Math.max(REMEMBERED, applied.length))],
  });
}

const knownTo = (draft: Draft, run_id: string): Set<string> =>
  new Set(draft.thread().decided.flatMap((known) => (known.run_id === run_id ? known.decision_id : [])));

/** The runs that any of these decisions was applied to before, the newest first (CONTRACT 1.10). */
export function appliedTo(draft: Draft, decisions: Decision[]): string[] {
  const ids = new Set(decisions.map(({ decision_id }) => decision_id));
  const applied = draft.thread().decided.filter(({ decision_id, ignored }) => !ignored && ids.has(decision_id));
  return applied.map(({ run_id }) => run_id).reverse();
}

/**
 * Forwards decisions to a run. A run whose turn has not come has nothing pending, so they are ignored (CONTRACT 5.4).
 * Throws `run_not_active` when the run is done and any of them is news to it: that one could never act (CONTRACT 1.10).
 */
export function decide(draft: Draft, run_id: string, { decisions, state }: Decided, deps: { next: NextToken }): void {
  if (activeOf(draft)?.run_id === run_id) applyDecisions(draft, decisions, deps, state);
  else if (!isRepetition(draft, run_id, decisions) && !isQueued(draft, run_id)) throw runNotActive();
}

function isRepetition(draft: Draft, run_id: string, decisions: Decision[]): boolean {
  const known = knownTo(draft, run_id);
  return decisions.every(({ decision_id }) => known.has(decision_id));
}

const isQueued = (draft: Draft, run_id: string): boolean =>
  (draft.get('queue') ?? []).some(({ n }) => draft.get(`q${n}`)!.run_id === run_id);

/** The calls that wait, by what a decision may name: the call or its suspension. */
function pendingKeys({ calls }: RunContext): Map<string, string> {
  const keys = new Map<string, string>();
  for (const [key, call] of Object.entries(calls).reverse()) {
    if (call.is !== 'suspended') continue;
    keys.set(call.id, key);
    if (call.suspension) keys.set(call.suspension.id, key);
  }
  return keys;
}
