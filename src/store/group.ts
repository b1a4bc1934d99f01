/**
 * Which commits go into the next batch.
 *
 * The oldest first, never reordered and never split, until the next one would pass the cap; a commit that passes it by
 * itself goes alone. The cap keeps the latency of small commits apart from large ones; LevelDB groups no more than 1 MB
 * anyway.
 */

export interface Sized {
  readonly ops: readonly unknown[];
  readonly bytes: number;
}

export interface Cap {
  ops: number;
  bytes: number;
}

/** How many commits from the head of the queue make the next group; at least one when there is one. */
export function groupSize(queue: readonly Sized[], cap: Cap): number {
  let ops = 0;
  let bytes = 0;
  for (let n = 0; n < queue.length; n++) {
    ops += queue[n]!.ops.length;
    bytes += queue[n]!.bytes;
    if (n > 0 && (ops > cap.ops || bytes > cap.bytes)) return n;
  }
  return queue.length;
}
