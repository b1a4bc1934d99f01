/**
 * What the stop conditions need to know of a run's earlier steps, small enough to be kept in the run's state: plain JSON
 * of at most `MAX_STEPS` short texts. Pure: the same calls give the same memory for ever.
 */

import { createHash } from 'node:crypto';
import type { JsonValue } from '../../json.js';
import type { StepCall } from './stop-conditions.js';

export type StopMemory = { consecutive_failures: number; signatures: string[] };

/** Steps that are remembered; no window of a loop detection may be longer. */
export const MAX_STEPS = 50;

/** The memory in front of the first step. */
export const noMemory: StopMemory = Object.freeze({ consecutive_failures: 0, signatures: [] });

/** The memory after one more step. `calls` are those of the step, in the model's order, with their outcomes. */
export function remember(memory: StopMemory, calls: readonly StepCall[]): StopMemory {
  return {
    consecutive_failures: calls.reduce(countFailures, memory.consecutive_failures),
    signatures: [...memory.signatures, signatureOf(calls)].slice(-MAX_STEPS),
  };
}

function countFailures(count: number, { outcome }: StepCall): number {
  if (outcome === 'failed') return count + 1;
  return outcome === 'succeeded' ? 0 : count;
}

/** Equal for equal calls in the same order; the order of an object's keys does not count. */
function signatureOf(calls: readonly StepCall[]): string {
  const text = JSON.stringify(calls.map((call) => [call.name, sorted(call.arguments)]));
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}

function sorted(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const keys = Object.keys(value).sort();
  // As pairs: an object would put keys that look like numbers first, and lose `__proto__`.
  return { pairs: keys.map((key) => [key, sorted(value[key]!)]) };
}
