/**
 * Drafts over a thread's cells.
 *
 * A step works on a draft: reads fall through to the cells below, writes stay in the draft. A draft that is dropped has
 * changed nothing; a draft that was committed is merged. Drafts nest: each item of a step gets one of its own, so that an
 * item that throws harms no other.
 */

import type { EncoderState, EventType, StoredEvent } from '../events.js';
import type { Message } from '../records.js';
import type { Op } from '../../store/port.js';
import {
  freshHead,
  type ActorCell,
  type CellKey,
  type CellOf,
  type Cells,
  type LogHead,
  type MessageRef,
  type ThreadCell,
} from './cells.js';

/** An actor came into a state, by an event, on the way of a step. `cell`: the actor then; no `from`: it was not there. */
export type TransitionMark = { path: string; event: string; at: number; from: unknown; cell: ActorCell };

export type PendingLog = { n: number; enc: EncoderState; events: { type: EventType; at: number; data: unknown }[] };

export class Draft {
  /** Changed cells; `undefined` = deleted. */
  readonly changed = new Map<string, unknown>();
  /** Events to append, by run ordinal. */
  readonly logs = new Map<number, PendingLog>();
  messages: Message[] = [];
  /** Messages with this cursor and later ones are removed before those of the draft are added. */
  cut: { from: number; to: number } | null = null;
  /** The transitions of its actors, in order: told to operators when the draft is durable. */
  readonly transitions: TransitionMark[] = [];
  /** Rows that are written once and never changed: names, ended entries, indexes. */
  readonly rows: Op[] = [];

  constructor(
    private readonly below: Cells | Draft,
    /** Unix milliseconds of this item. */
    readonly at: number,
  ) {}

  get<K extends CellKey>(key: K): CellOf<K> | undefined {
    return this.changed.has(key) ? (this.changed.get(key) as CellOf<K> | undefined) : this.below.get(key);
  }

  set<K extends CellKey>(key: K, value: CellOf<K> | undefined): void {
    this.changed.set(key, value);
  }

  /** The thread's facts; only before the first start of a new thread there are none. */
  thread(): ThreadCell {
    return this.get('thread')!;
  }

  editThread(change: Partial<ThreadCell>): void {
    this.set('thread', { ...this.thread(), updated_at: this.at, ...change });
  }

  /** Puts one event behind the others of this run. The caller has stamped it. */
  append(rno: number, event: StoredEvent, head: LogHead): void {
    const before = this.get(`l${rno}`) ?? freshHead;
    let log = this.logs.get(rno);
    if (!log) this.logs.set(rno, (log = { n: before.seq, enc: before.enc, events: [] }));
    log.events.push({ type: event[0], at: this.at, data: event[2] });
    this.set(`l${rno}`, head);
  }

  /** The ids of the thread's messages; `before` are those it had before this step. */
  messageIds(before: readonly MessageRef[]): Set<string> {
    return new Set(Array.from(this.#messages(before), ({ id }) => id));
  }

  *#messages(before: readonly MessageRef[]): Generator<MessageRef> {
    const older = this.below instanceof Draft ? this.below.#messages(before) : before;
    const { cut } = this;
    for (const message of older) if (!cut || message.cursor < cut.from || message.cursor >= cut.to) yield message;
    yield* this.messages;
  }

  /** Takes over all of a draft that lies on this one. */
  absorb(top: Draft): void {
    for (const [key, value] of top.changed) this.changed.set(key, value);
    for (const [rno, log] of top.logs) {
      const mine = this.logs.get(rno);
      if (mine) append(mine.events, log.events);
      else this.logs.set(rno, log);
    }
    if (top.cut) this.#cut(top.cut);
    append(this.messages, top.messages);
    append(this.rows, top.rows);
    append(this.transitions, top.transitions);
  }

  /** Removes the messages from cursor `from` on; `keeps` are left. Cursors are never used again (CONTRACT 3.2). */
  cutMessages({ from, keeps }: { from: number; keeps: number }): void {
    const { next_cursor, message_count } = this.thread();
    this.#cut({ from, to: next_cursor });
    this.editThread({ message_count: Math.min(message_count, keeps) });
  }

  #cut({ from, to }: { from: number; to: number }): void {
    this.messages = this.messages.filter((message) => message.cursor < from);
    this.cut = this.cut ? { from: Math.min(from, this.cut.from), to: Math.max(to, this.cut.to) } : { from, to };
  }

  get isEmpty(): boolean {
    return this.changed.size === 0 && this.rows.length === 0 && this.messages.length === 0 && !this.cut;
  }
}

/** One by one: what a client sends may be more than a call takes arguments. */
function append<T>(to: T[], from: readonly T[]): void {
  for (const item of from) to.push(item);
}
