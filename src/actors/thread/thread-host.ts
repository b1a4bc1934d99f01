/**
 * One thread in memory: its committed cells, its inbox, its running effects. The unit of consistency.
 *
 * A step drains the inbox, applies each item to a draft of its own, and commits the whole as one atomic batch. ONLY THEN
 * the draft becomes the state, events go out, waiters are answered and effects are reconciled. One step is in flight at
 * a time. So: nothing is published that a crash could take back; a failed commit leaves no trace in memory; an item that
 * throws changes nothing and harms no other item.
 */

import { AgentServerError, ErrorCode, notInitialised, storageUnavailable } from '../../errors.js';
import type { Op } from '../../store/port.js';
import type { LogChunk } from '../events.js';
import type { Message } from '../records.js';
import type { ThreadContext } from '../machines/thread.js';
import { apply, cellKey, openThread, runOf } from './apply.js';
import { Cells, type ActorCell, type CellKey, type Fx, type MessageRef } from './cells.js';
import { Draft } from './draft.js';
import { Effects, type Performers } from './effects.js';
import { forceEnd } from './force-end.js';
import { Inbox, type DeltaItem, type EffectAddress, type FactItem, type Item, type RequestItem } from './inbox.js';
import type { Deadlines } from '../time/deadlines.js';
import type { Logger } from '../logger.js';
import { appendEvent } from './recorder.js';
import { chunksOf, opsOf } from './rows.js';
import { comparedUpTo } from './load-thread.js';

/** What a thread needs of the process it lives in. */
export type ThreadPort = {
  now(): number;
  /** Resolves when the operations are durable; rejects when they are known not to be. */
  commit(ops: Op[]): Promise<void>;
  /** The journal takes commits. */
  isWritable(): boolean;
  /** Resolves when the journal takes commits again; rejects when it never will. */
  writable(): Promise<void>;
  deadlines: Deadlines;
  performers: (host: ThreadHost) => Performers;
  inboxBytes: number;
  logger: Logger;
  /** Begins the next queued run if it is its turn and a slot is free. */
  takeTurn(host: ThreadHost, draft: Draft): void;
  /** A step is durable: new chunks are there, cells have changed, the state may have become idle. */
  committed(
    host: ThreadHost,
    chunks: [rno: number, chunk: LogChunk][],
    step: Pick<Draft, 'changed' | 'transitions'>,
  ): void;
  /** The step failed: what it reserved is free again. */
  rolledBack(host: ThreadHost): void;
  late(host: ThreadHost, from: EffectAddress, effect: Pick<Fx, 'src' | 'input'>, outcome: unknown): void;
};

/** The host has left memory, or its thread is deleted: nothing was changed, and the thread must be looked for again. */
export class Departed extends AgentServerError {
  constructor() {
    super(ErrorCode.internal, 'the thread has left memory');
  }
}

const NONE: readonly MessageRef[] = [];

/** Largest history kept in memory, in characters; a longer one is read again at each inference. */
const HISTORY_CHARS = 512 * 1024;

export class ThreadHost {
  readonly cells: Cells;
  readonly effects: Effects;
  readonly inbox: Inbox;
  /** Where the thread stands in the host: nothing to do, a step under way, or closed for good. */
  #phase: 'resting' | 'stepping' | 'closed' = 'resting';
  #inFlight: Item[] = [];
  #awaitingRest: (() => void)[] = [];
  #soon: NodeJS.Immediate | null = null;
  #token: number;
  /** The thread's messages, when all of them are in memory. */
  #history: { messages: Message[]; chars: number } | null;
  /** The messages that what is queued was not compared with, by their ids: however long the history, these are in memory. */
  #recent: readonly MessageRef[];
  /** What requests are refused with once the host is closed. */
  #refusal: () => AgentServerError = notInitialised;
  readonly nextToken = () => ++this.#token;

  constructor(
    readonly tno: number,
    readonly thread_id: string,
    private readonly port: ThreadPort,
    loaded?: { cells: Cells; token: number; recent: readonly MessageRef[] },
  ) {
    this.cells = loaded?.cells ?? new Cells();
    this.#token = loaded?.token ?? 0;
    this.#recent = loaded?.recent ?? NONE;
    this.#history = loaded ? null : { messages: [], chars: 0 };
    this.inbox = new Inbox(port.inboxBytes);
    this.effects = new Effects({
      performers: port.performers(this),
      deadlines: port.deadlines,
      fact: (from, type, payload) => this.push({ kind: 'fact', from, event: { type, ...payload } }),
      append: (from, events, subject) => this.#appendDelta(from, events, subject),
      late: (from, effect, outcome) => this.port.late(this, from, effect, outcome),
    });
  }

  get phase(): 'resting' | 'stepping' | 'closed' {
    return this.#phase;
  }

  /** Nothing is going on that memory is needed for; a timer can be kept elsewhere, a turn that waits for a slot cannot. */
  get isPassive(): boolean {
    const waitsForSlot = this.value === 'idle' && (this.cells.get('queue')?.length ?? 0) > 0;
    return this.#phase === 'resting' && this.inbox.length === 0 && this.effects.running === 0 && !waitsForSlot;
  }

  /** Resolves when no step is under way: what was asked for by now is durable, or was refused. */
  rest(): Promise<void> {
    return this.#phase === 'stepping' ? new Promise((resolve) => this.#awaitingRest.push(resolve)) : Promise.resolve();
  }

  get active(): ThreadContext['active'] {
    return (this.cells.get('a')?.snapshot.context as ThreadContext | undefined)?.active ?? null;
  }

  /** `idle`, `running` or `waiting`; a thread that was never committed is idle. */
  get value(): string {
    return (this.cells.get('a')?.snapshot.value as string | undefined) ?? 'idle';
  }

  /** All messages, if they are in memory. */
  get history(): readonly Message[] | null {
    return this.#history?.messages ?? null;
  }

  /** Messages from the lowest cursor on up to which queued entries were compared with the thread. */
  get recent(): readonly MessageRef[] {
    return this.#recent;
  }

  /** Keeps what was read from the store; ignored when a commit came in between or it is too long. */
  keepHistory(messages: Message[]): void {
    const chars = messages.reduce((n, m) => n + m.content.length, 0);
    const complete = (messages.at(-1)?.cursor ?? -1) + 1 === (this.cells.get('thread')?.next_cursor ?? 0);
    if (complete && chars <= HISTORY_CHARS) this.#history = { messages, chars };
  }

  /** Hands a request to the thread; resolves with its answer when its effect is durable. */
  request<T>(handle: (draft: Draft) => () => T): Promise<T> {
    if (this.#phase === 'closed') return Promise.reject(this.#refusal());
    if (!this.port.isWritable()) return Promise.reject(storageUnavailable());
    return new Promise<T>((resolve, reject) =>
      this.push({ kind: 'request', handle, resolve: resolve as (answer: unknown) => void, reject }),
    );
  }

  /** Hands over something the host itself must do: a store that refuses keeps it waiting. Throws when the host is closed. */
  chore(run: (draft: Draft) => void): void {
    if (this.#phase === 'closed') throw this.#refusal();
    this.push({ kind: 'chore', run });
  }

  push(item: Item): void {
    if (this.#phase === 'closed') {
      if (item.kind === 'request') item.reject(this.#refusal());
      return;
    }
    this.inbox.push(item);
    this.#wake();
  }

  /** Deltas wait for the end of the turn: often the outcome they belong to is there by then, and it is one commit. */
  #wakeSoon(): void {
    if (this.#phase !== 'resting' || this.#soon) return;
    this.#soon = setImmediate(() => {
      this.#soon = null;
      this.#wake();
    });
  }

  #wake(): void {
    if (this.#phase !== 'resting') return;
    this.#phase = 'stepping';
    queueMicrotask(() => void this.#loop());
  }

  /** After loading: effects that ran are gone, timers go on, and a turn may be due. */
  recover(): void {
    for (const [key, value] of this.cells.values) {
      if (key[0] !== 'a') continue;
      for (const [id, fx] of Object.entries((value as ActorCell).fx)) {
        const from = { path: key.slice(1), fx: id, token: fx.token };
        if (fx.src === 'timer') this.effects.start(from.path, id, fx);
        else if (fx.src !== 'abort') this.push({ kind: 'fact', from, event: { type: 'fx.lost' } });
      }
    }
    this.push({ kind: 'turn' });
  }

  /** The store cannot say whether the step in flight landed, and it may take long: nobody is made to wait for it. */
  refuseRequests(): void {
    for (const item of [...this.#inFlight, ...this.inbox.takeRequests()])
      if (item.kind === 'request') item.reject(storageUnavailable());
  }

  /**
   * Takes the thread out of memory; only what is not durable is lost. Requests still waiting are refused; those of the
   * step under way are answered when its commit is.
   */
  close(refusal: () => AgentServerError = notInitialised): void {
    this.#phase = 'closed';
    this.#refusal = refusal;
    this.effects.stopAll();
    for (const item of this.inbox.clear()) if (item.kind === 'request') item.reject(refusal());
  }

  async #loop(): Promise<void> {
    while (this.inbox.length > 0 && this.#phase === 'stepping') {
      const items = this.inbox.drain();
      this.#inFlight = items;
      try {
        await this.#step(items);
      } catch (error) {
        this.port.logger.error({ err: error, thread_id: this.thread_id }, 'a step failed in the host itself');
        for (const item of items) if (item.kind === 'request') item.reject(error);
      }
      this.#inFlight = [];
      this.inbox.settled(items);
    }
    if (this.#phase === 'stepping') this.#phase = 'resting';
    for (const resolve of this.#awaitingRest.splice(0)) resolve();
  }

  async #step(items: Item[]): Promise<void> {
    const draft = new Draft(this.cells, this.port.now());
    const answers: [RequestItem, () => unknown][] = [];
    for (const item of items) this.#applyItem(draft, item, answers);
    if (draft.isEmpty) return this.#answer(answers);
    const chunks = chunksOf(draft);
    const ops = opsOf(this.tno, draft, this.cells, chunks);
    try {
      await this.port.commit(ops);
    } catch (error) {
      return this.#rollBack(items, error);
    }
    const changed = this.#merge(draft);
    // Durable before the thread left memory: whoever asked is told so, and nothing else goes on here.
    if (this.phase === 'closed') return this.#answer(answers);
    this.port.committed(this, chunks, draft);
    this.#answer(answers);
    this.#forgetEnded(draft);
    this.#reconcile(changed);
  }

  /** One item on a draft of its own; then, in the same draft, the thread's turn. */
  #applyItem(base: Draft, item: Item, answers: [RequestItem, () => unknown][]): void {
    if (base.get('gone')) {
      if (item.kind === 'request') item.reject(new Departed());
      return;
    }
    const draft = new Draft(base, Math.max(this.port.now(), base.at));
    try {
      switch (item.kind) {
        case 'request':
          if (!draft.get('a')) openThread(draft, this.nextToken);
          answers.push([item, item.handle(draft)]);
          break;
        case 'fact':
          this.#applyFact(draft, item);
          break;
        case 'delta':
          this.#applyDelta(draft, item);
          break;
        case 'chore':
          item.run(draft);
          break;
        case 'turn':
          break;
      }
      if (item.kind !== 'delta' && draft.get('thread')) this.port.takeTurn(this, draft);
      base.absorb(draft);
    } catch (error) {
      this.#poison(base, item, error, answers);
    }
  }

  #applyFact(draft: Draft, { from, event }: FactItem): void {
    const cell = draft.get(cellKey(from.path));
    if (cell?.fx[from.fx]?.token !== from.token) return;
    if (event.type !== 'fx.lost') {
      const { [from.fx]: _, ...fx } = cell.fx;
      draft.set(cellKey(from.path), { ...cell, fx });
    }
    apply(draft, this.nextToken, from.path, event);
  }

  #applyDelta(draft: Draft, { from, events }: DeltaItem): void {
    if (draft.get(cellKey(from.path))?.fx[from.fx]?.token !== from.token) return;
    for (const [type, data] of events) appendEvent(draft, runOf(from.path), type, data as never);
  }

  /** An item threw: a request is refused; a fact that cannot be taken in ends its run, never the thread. */
  #poison(base: Draft, item: Item, error: unknown, answers: [RequestItem, () => unknown][]): void {
    if (item.kind === 'request') {
      const at = answers.findIndex(([request]) => request === item);
      if (at >= 0) answers.splice(at, 1);
      if (!(error instanceof AgentServerError)) this.#logPoison(item, error);
      item.reject(error);
      return;
    }
    this.#logPoison(item, error);
    if (item.kind !== 'fact' && item.kind !== 'delta') return;
    const draft = new Draft(base, base.at);
    forceEnd(draft, this.nextToken, runOf(item.from.path), 'an internal error ended the run');
    this.port.takeTurn(this, draft);
    base.absorb(draft);
  }

  #logPoison(item: Item, error: unknown): void {
    this.port.logger.error(
      { err: error, thread_id: this.thread_id, item: item.kind },
      'an item was refused by a machine',
    );
  }

  async #rollBack(items: Item[], error: unknown): Promise<void> {
    this.port.rolledBack(this);
    for (const item of items) if (item.kind === 'request') item.reject(error);
    this.inbox.putBack(items.filter((item) => item.kind !== 'request'));
    await this.port.writable().catch(() => this.close());
  }

  /** The draft becomes the state. Returns what changed in the wanted effects. */
  #merge(draft: Draft): { started: [string, string, Fx][]; stopped: number[] } {
    const started: [string, string, Fx][] = [];
    const stopped: number[] = [];
    for (const [key, value] of draft.changed) {
      if (key[0] === 'a') {
        const before = this.cells.get(key as CellKey & `a${string}`)?.fx ?? {};
        const after = (value as ActorCell | undefined)?.fx ?? {};
        for (const id in before) if (after[id]?.token !== before[id]!.token) stopped.push(before[id]!.token);
        for (const id in after)
          if (before[id]?.token !== after[id]!.token) started.push([key.slice(1), id, after[id]!]);
      }
      if (value === undefined) this.cells.values.delete(key);
      else this.cells.values.set(key, value);
    }
    const { cut } = draft;
    if (this.#history && cut) this.#history.messages = this.#history.messages.filter(({ cursor }) => cursor < cut.from);
    if (this.#history) this.#extendHistory(this.#history, draft.messages);
    this.#recent = this.#stillRecent(draft);
    return { started, stopped };
  }

  #stillRecent({ cut, messages, changed }: Draft): readonly MessageRef[] {
    const isQueued = (this.cells.get('queue')?.length ?? 0) > 0;
    if (!isQueued) return NONE;
    if (!cut && messages.length === 0 && !changed.has('queue')) return this.#recent;
    const floor = comparedUpTo(this.cells);
    const kept = cut ? this.#recent.filter(({ cursor }) => cursor < cut.from) : this.#recent;
    return [...kept, ...messages.map(({ id, cursor }) => ({ id, cursor }))].filter(({ cursor }) => cursor >= floor);
  }

  #extendHistory(history: { messages: Message[]; chars: number }, added: Message[]): void {
    for (const message of added) {
      history.messages.push(message);
      history.chars += message.content.length;
    }
    if (history.chars > HISTORY_CHARS) this.#history = null;
  }

  #reconcile({ started, stopped }: { started: [string, string, Fx][]; stopped: number[] }): void {
    for (const token of stopped) this.effects.stop(token);
    for (const [path, id, fx] of started) this.effects.start(path, id, fx);
  }

  #answer(answers: [RequestItem, () => unknown][]): void {
    for (const [item, answer] of answers) item.resolve(answer());
  }

  /** Runs that are over are history: the store has them. */
  #forgetEnded(draft: Draft): void {
    for (const rno of draft.logs.keys())
      if (this.cells.get(`r${rno}`)?.status === 'done') {
        this.cells.values.delete(`r${rno}`);
        this.cells.values.delete(`l${rno}`);
        this.cells.values.delete(`x${rno}`);
        this.cells.values.delete(`p${rno}`);
      }
  }

  async #appendDelta(from: EffectAddress, events: DeltaItem['events'], subject?: string): Promise<void> {
    if (!this.effects.isLive(from.token)) return;
    let bytes = 0;
    for (const [, data] of events) bytes += 64 + textLength(data);
    const item: DeltaItem = { kind: 'delta', from, events, bytes };
    if (subject === undefined) this.inbox.push(item);
    else this.inbox.pushLatest(item, subject);
    this.#wakeSoon();
    const room = this.inbox.room();
    if (room) await room;
  }
}

/** A cheap upper estimate of an event's size: its longest parts are strings at the top. */
function textLength(data: object): number {
  let n = 0;
  for (const key in data) {
    const value = (data as Record<string, unknown>)[key];
    n +=
      typeof value === 'string'
        ? value.length
        : value !== null && typeof value === 'object'
          ? JSON.stringify(value).length
          : 8;
  }
  return n;
}
