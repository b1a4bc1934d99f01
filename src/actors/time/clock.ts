/**
 * Time as the host sees it: unix milliseconds that never run backwards while the process is up (monotonic), taken from
 * the wall clock only at start. Deadlines are absolute, so they hold across restarts (DESIGN "Time").
 */

export interface Clock {
  /** Unix milliseconds, never less than before. */
  now(): number;
  /** Calls `fire` once at or after `at`; the answer cancels it. */
  at(at: number, fire: () => void): () => void;
}

/** Node refuses longer timers: a far deadline is looked at again once a day. */
const LONGEST_MS = 86_400_000;

/** The wall clock as of now, moved on by the monotonic one. */
export function systemClock(): Clock {
  const origin = Date.now() - performance.now();
  const now = () => Math.floor(origin + performance.now());
  return {
    now,
    at(at, fire) {
      let timer: NodeJS.Timeout;
      const arm = () => {
        const left = at - now();
        // A timer may fire a fraction early; a deadline never does.
        timer = setTimeout(() => (now() >= at ? fire() : arm()), Math.min(Math.max(left, 0), LONGEST_MS));
        timer.unref();
      };
      arm();
      return () => clearTimeout(timer);
    },
  };
}

/** Resolves after `ms`, or at once when the signal says that nobody waits any more. */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const cancel = clock.at(clock.now() + ms, over);
    signal.addEventListener('abort', over, { once: true });
    function over(): void {
      cancel();
      signal.removeEventListener('abort', over);
      resolve();
    }
  });
}
