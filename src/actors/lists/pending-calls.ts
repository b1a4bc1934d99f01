/** The tool calls that wait for a decision, of all threads, in memory or not: what `GET /v1/approvals` pages through. */

/** Where a pending call's actor stands, and since when it waits. */
export type PendingCall = { tno: number; path: string; since: number };

export class PendingCalls {
  readonly #calls = new Map<string, PendingCall>();

  get size(): number {
    return this.#calls.size;
  }

  /** A tool call's actor is new, has changed or was met in the store; `value` is undefined when it is gone. */
  put(tno: number, path: string, value: unknown, since: number): void {
    const key = `${tno}/${path}`;
    if (isPending(value)) this.#calls.set(key, { tno, path, since });
    else this.#calls.delete(key);
  }

  /** The thread is deleted. */
  removeThread(tno: number): void {
    for (const [key, call] of this.#calls) if (call.tno === tno) this.#calls.delete(key);
  }

  /** The longest waiting first; among those of the same millisecond by place. */
  oldestFirst(): PendingCall[] {
    return [...this.#calls.values()].sort(
      (a, b) => a.since - b.since || a.tno - b.tno || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0),
    );
  }
}

/** The states of the tool-call machine in which it waits for a person or a client (CONTRACT 5.2). */
export const isPending = (value: unknown): boolean =>
  value === 'in_doubt' || (typeof value === 'object' && value !== null && 'suspended' in value);
