/**
 * A thread's inbox: everything that may change the thread, in order of arrival.
 *
 * - Requests may be refused when their commit fails.
 * - Facts happened: an effect's outcome, a deadline, a delta. They are put back at the head and committed later.
 *
 * Bounded by what a producer may have uncommitted: `room` resolves when a producer may go on (back-pressure reaches the
 * provider's socket).
 */

import type { EventData, EventType } from '../events.js';
import type { Draft } from './draft.js';
import type { MachineEvent } from './xstate.js';

/** Which running effect speaks: an outcome whose token is no longer in the actor's row is stale and is dropped. */
export type EffectAddress = { path: string; fx: string; token: number };

/** An event without number and time, as effects produce it. */
export type Delta = { [T in EventType]: [type: T, data: EventData[T]] }[EventType];

export type RequestItem = {
  kind: 'request';
  /** Changes the draft; throws an `AgentServerError` to refuse. The answer is asked for when the draft is durable. */
  handle: (draft: Draft) => () => unknown;
  resolve: (answer: unknown) => void;
  reject: (error: unknown) => void;
};
export type FactItem = { kind: 'fact'; from: EffectAddress; event: MachineEvent };
export type DeltaItem = { kind: 'delta'; from: EffectAddress; events: Delta[]; bytes: number };
/** Takes the thread's turn again: a slot is free, or the thread was just loaded. */
export type TurnItem = { kind: 'turn' };
/** Something the host itself must do, which cannot be refused. */
export type ChoreItem = { kind: 'chore'; run: (draft: Draft) => void };

export type Item = RequestItem | FactItem | DeltaItem | TurnItem | ChoreItem;

const DRAIN_ITEMS = 256;
const DRAIN_BYTES = 64 * 1024;

export class Inbox {
  #items: Item[] = [];
  #bytes = 0;
  #waiting: (() => void)[] = [];
  #latest = new Map<string, DeltaItem>();

  constructor(private readonly maxBytes: number) {}

  get length(): number {
    return this.#items.length;
  }

  /** Of deltas that are not committed. */
  get bytes(): number {
    return this.#bytes;
  }

  push(item: Item): void {
    this.#items.push(item);
    if (item.kind === 'delta') this.#bytes += item.bytes;
  }

  /**
   * For reports of which only the newest counts: takes the place of this effect's report of the same subject that no step
   * has taken yet. So a tool that reports in a tight loop costs one event a step, not one a report.
   */
  pushLatest(item: DeltaItem, subject: string): void {
    const key = `${item.from.token} ${subject}`;
    const waiting = this.#latest.get(key);
    if (!waiting) {
      this.#latest.set(key, item);
      return this.push(item);
    }
    this.#bytes += item.bytes - waiting.bytes;
    waiting.events = item.events;
    waiting.bytes = item.bytes;
  }

  /** Resolves when a producer of deltas may produce more. */
  room(): Promise<void> | undefined {
    if (this.#bytes < this.maxBytes) return undefined;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Takes the next items for one step: a bounded number, so that a flood costs its own thread latency only. */
  drain(): Item[] {
    this.#latest.clear();
    let bytes = 0;
    let n = 0;
    while (n < this.#items.length && n < DRAIN_ITEMS && bytes < DRAIN_BYTES) {
      const item = this.#items[n++]!;
      if (item.kind === 'delta') bytes += item.bytes;
    }
    return n === this.#items.length ? this.#items.splice(0) : this.#items.splice(0, n);
  }

  /** The items of a failed step that happened all the same go back to the head. */
  putBack(items: Item[]): void {
    this.#items.unshift(...items);
    for (const item of items) if (item.kind === 'delta') this.#bytes += item.bytes;
  }

  /** A step's items are durable (or dropped): their bytes are free again. */
  settled(items: Item[]): void {
    for (const item of items) if (item.kind === 'delta') this.#bytes -= item.bytes;
    if (this.#bytes < this.maxBytes && this.#waiting.length > 0)
      for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Takes out the requests: nobody is to wait for a store that refuses. */
  takeRequests(): RequestItem[] {
    const requests = this.#items.filter((item) => item.kind === 'request');
    if (requests.length > 0) this.#items = this.#items.filter((item) => item.kind !== 'request');
    return requests;
  }

  /** Takes out everything; used when the engine closes. */
  clear(): Item[] {
    for (const resolve of this.#waiting.splice(0)) resolve();
    return this.#items.splice(0);
  }
}
