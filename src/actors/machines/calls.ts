/**
 * How the calls of one step go together: which may start now, and whether the run has to wait. Pure.
 *
 * `parallel_streaming` lets every call go as soon as it may. `parallel_batch_approval` lets the approved ones go when no
 * question is left open. `sequential` lets a call go when all before it have ended (CONTRACT 5.3).
 */

import type { StepCall } from '../../agents/rules/stop-conditions.js';
import type { ExecutionMode } from '../../agents/types.js';
import type { Suspension } from '../events.js';

/**
 * queued: has not been let go · open: runs, or is being told a decision · suspended: waits for a decision ·
 * decided: approved, waits to be let go · settled: has its result.
 */
export type Call = {
  id: string;
  is: 'queued' | 'open' | 'decided' | 'settled' | 'suspended';
  suspension?: Suspension | undefined;
  /** Of a settled call. */
  outcome?: StepCall['outcome'];
};

export type Calls = { [key: string]: Call };

export const allSettled = (calls: Calls): boolean => Object.values(calls).every((call) => call.is === 'settled');

/** Keys of the calls that may be let go now. */
export function ready(calls: Calls, mode: ExecutionMode): string[] {
  const entries = Object.entries(calls);
  if (mode === 'sequential') {
    const [key, first] = entries.find(([, call]) => call.is !== 'settled') ?? [];
    return key !== undefined && (first!.is === 'queued' || first!.is === 'decided') ? [key] : [];
  }
  const askOpen = mode === 'parallel_batch_approval' && entries.some(([, call]) => call.is === 'suspended');
  return entries.filter(([, { is }]) => is === 'queued' || (is === 'decided' && !askOpen)).map(([key]) => key);
}

/** Nothing runs and nothing may be let go: only decisions can move the run. */
export const mustWait = (calls: Calls, mode: ExecutionMode): boolean =>
  Object.values(calls).some((call) => call.is === 'suspended') &&
  !Object.values(calls).some((call) => call.is === 'open') &&
  ready(calls, mode).length === 0;

/** What the run waits for, in the model's order. */
export const pending = (calls: Calls): Suspension[] =>
  Object.values(calls).flatMap((call) => (call.is === 'suspended' && call.suspension ? [call.suspension] : []));
