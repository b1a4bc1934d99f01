/**
 * A signal that ends with its parent or after a while, and leaves no listener behind on a parent that lives long.
 *
 * The time is over when it is noticed that it is, and that nothing has come: a process that was stopped itself (ctrl-z, a
 * machine asleep) reads what arrived meanwhile before it says that nothing did.
 */

export type Deadline = {
  readonly signal: AbortSignal;
  /** The time begins anew, also behind `hold`. */
  refresh(): void;
  /** No time passes until `refresh`. */
  hold(): void;
  /** The signal will not abort any more. */
  clear(): void;
};

/** @param late made when the time is over, for the signal's reason. Without `ms` there is no limit. */
export function deadline(parent: AbortSignal | undefined, ms: number | undefined, late: () => Error): Deadline {
  const controller = new AbortController();
  const follow = (): void => controller.abort(parent!.reason);
  let timer: NodeJS.Timeout | undefined;
  let verdict: NodeJS.Immediate | undefined;
  const hold = (): void => {
    clearTimeout(timer);
    clearImmediate(verdict);
  };
  const refresh = (): void => {
    hold();
    if (ms === undefined) return;
    // Timers come before what was read, and what was read comes before this.
    timer = setTimeout(() => (verdict = setImmediate(() => controller.abort(late()))), ms);
  };
  refresh();
  if (parent?.aborted) follow();
  else parent?.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    refresh,
    hold,
    clear() {
      hold();
      parent?.removeEventListener('abort', follow);
    },
  };
}
