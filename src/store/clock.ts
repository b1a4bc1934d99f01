/** Time as the store needs it; tests put their own in. */

import { setTimeout as wait } from 'node:timers/promises';

export interface Clock {
  /** Milliseconds that only ever grow; fractions allowed. */
  now(): number;
  /** Resolves after `ms`; rejects at once when the signal aborts. */
  pause(ms: number, signal: AbortSignal): Promise<void>;
}

/** The monotonic clock of the process. */
export const systemClock: Clock = {
  now: () => performance.now(),
  pause: (ms, signal) => wait(ms, undefined, { signal }),
};
