/**
 * How often a notification is tried. Pure.
 *
 * Pauses double from a second to an hour; after a day, or forty attempts, or a refusal that no repetition would mend, it
 * is a dead letter. What was tried is kept, so a restart neither forgets nor repeats a pause.
 */

import { PushRefused, type PushErrand } from './types.js';

const FIRST_MS = 1_000;
const LONGEST_MS = 60 * 60 * 1_000;
const MAX_AGE_MS = 24 * 60 * 60 * 1_000;
const MAX_ATTEMPTS = 40;
const MAX_ERROR = 300;

export type Fate = { is: 'again' | 'dead'; errand: PushErrand };

/** What becomes of a notification after an attempt that failed at `now`. */
export function afterFailure(errand: PushErrand, error: unknown, now: number): Fate {
  const attempts = errand.attempts + 1;
  const last_error = (error instanceof Error ? error.message : String(error)).slice(0, MAX_ERROR);
  const due = now + Math.min(LONGEST_MS, FIRST_MS * 2 ** (attempts - 1));
  const isHopeless = error instanceof PushRefused || attempts >= MAX_ATTEMPTS || due - errand.since > MAX_AGE_MS;
  return { is: isHopeless ? 'dead' : 'again', errand: { ...errand, attempts, last_error, due } };
}
