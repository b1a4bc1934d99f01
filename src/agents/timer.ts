/**
 * Waiting, in the two ways this folder needs.
 */

/** The longest delay a timer takes, in milliseconds (24.8 days): anything longer would fire at once. */
export const MAX_DELAY = 2 ** 31 - 1;

/** Resolves after `ms`. Rejects with the signal's reason as soon as it fires, and leaves no timer. */
export function delay(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal!.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
