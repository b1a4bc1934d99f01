/** A signal that ends with its parent or after a while, and leaves no listener behind on a parent that lives long. */

export type Deadline = {
  readonly signal: AbortSignal;
  /** The time begins anew. */
  refresh(): void;
  /** The signal will not abort any more. */
  clear(): void;
};

/** @param late made when the time is over, for the signal's reason. Without `ms` there is no limit. */
export function deadline(parent: AbortSignal | undefined, ms: number | undefined, late: () => Error): Deadline {
  const controller = new AbortController();
  const follow = (): void => controller.abort(parent!.reason);
  const timer = ms === undefined ? undefined : setTimeout(() => controller.abort(late()), ms);
  if (parent?.aborted) follow();
  else parent?.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    refresh: () => void timer?.refresh(),
    clear() {
      clearTimeout(timer);
      parent?.removeEventListener('abort', follow);
    },
  };
}
