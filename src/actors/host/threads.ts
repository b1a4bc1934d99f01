/**
 * The threads in memory. Each thread has at most one host in the process, whoever asks for it at the same instant; hosts
 * nothing happens on are put out of memory, oldest first, and read back at the first touch.
 */

import { newId } from '../../new-id.js';
import * as keys from '../../store/keys.js';
import type { Op, Store } from '../../store/port.js';
import type { Deadlines } from '../time/deadlines.js';
import type { ActorCell, Cells } from '../thread/cells.js';
import { bury, forceEnd } from '../thread/force-end.js';
import type { ThreadName } from '../thread/rows.js';
import { loadThread } from '../thread/load-thread.js';
import { Departed, ThreadHost, type ThreadPort } from '../thread/thread-host.js';

export type ThreadsPort = {
  store: Store;
  threadPort: ThreadPort;
  deadlines: Deadlines;
  /** A fresh ordinal and the writes that make it so. */
  nextOrdinal(): { value: number; ops: Op[] };
  maxHot: number;
  /** What an open run needs and nobody has any more, as a sentence; undefined when it has everything. */
  goneOf(cells: Cells, rno: number): string | undefined;
  /** A thread was read: what it left undone is taken up. */
  loaded(host: ThreadHost): void;
  /** A thread has left memory. */
  passivated(host: ThreadHost): void;
  /** Somebody is reading the thread's live events: it stays. */
  isWatched(host: ThreadHost): boolean;
};

/** How many of the oldest hosts one sweep looks at. */
const SWEEP = 32;
/** Between two tries to read a thread whose deadline has come. */
const AGAIN_MS = 1_000;

export class Threads {
  /** In order of last use. */
  #hot = new Map<number, ThreadHost>();
  #ordinals = new Map<string, number>();
  #opening = new Map<string | number, Promise<ThreadHost | undefined>>();
  /** Earliest deadline of threads that are not in memory. */
  #alarms = new Map<number, () => void>();
  /** Writes that belong to the ordinal of a thread that was never committed. */
  readonly ordinalOps = new WeakMap<ThreadHost, Op[]>();

  constructor(private readonly port: ThreadsPort) {}

  get size(): number {
    return this.#hot.size;
  }

  all(): IterableIterator<ThreadHost> {
    return this.#hot.values();
  }

  /** A thread that nobody can know yet. */
  create(thread_id: string = newId()): ThreadHost {
    const { value: tno, ops } = this.port.nextOrdinal();
    const host = new ThreadHost(tno, thread_id, this.port.threadPort);
    this.ordinalOps.set(host, ops);
    return this.#keep(host);
  }

  /** The thread of that id, read if need be; with `create` a new one when there is none. */
  async byId(thread_id: string, { create }: { create: boolean }): Promise<ThreadHost | undefined> {
    const hot = this.#ordinals.get(thread_id);
    if (hot !== undefined) return this.#touch(this.#hot.get(hot)!);
    if (create && !this.#opening.has(thread_id)) {
      const seen = this.port.store.getNow(keys.threadName(thread_id));
      if (seen && seen.value === undefined) return this.create(thread_id);
    }
    const found = await this.#once(thread_id, async () => {
      const name = await this.port.store.get(keys.threadName(thread_id));
      return name === undefined ? undefined : this.byOrdinal((JSON.parse(name) as ThreadName).tno);
    });
    if (found) return found;
    const meanwhile = this.#ordinals.get(thread_id);
    if (meanwhile !== undefined) return this.#hot.get(meanwhile)!;
    return create ? this.create(thread_id) : undefined;
  }

  /** The thread of that ordinal, read if need be. */
  async byOrdinal(tno: number): Promise<ThreadHost | undefined> {
    const hot = this.#hot.get(tno);
    return hot ? this.#touch(hot) : this.#once(tno, () => this.#load(tno));
  }

  hot(tno: number): ThreadHost | undefined {
    return this.#hot.get(tno);
  }

  /**
   * Makes a thread whose rows `write` commits under a fresh ordinal; undefined, with nothing written, when there is a
   * thread of that id. Whoever asks for the thread meanwhile waits for it.
   */
  async establish(
    thread_id: string,
    write: (ordinal: { value: number; ops: Op[] }) => Promise<void>,
  ): Promise<ThreadHost | undefined> {
    const tno = this.#ordinals.get(thread_id);
    const hot = tno === undefined ? undefined : this.#hot.get(tno)!;
    if (hot && (hot.cells.get('thread') || !hot.isPassive)) return undefined;
    if (hot) this.drop(hot); // Left behind by a start that was refused.
    let made = false;
    const host = await this.#once(thread_id, async () => {
      const name = await this.port.store.get(keys.threadName(thread_id));
      if (name !== undefined) return this.byOrdinal((JSON.parse(name) as ThreadName).tno);
      const ordinal = this.port.nextOrdinal();
      await write(ordinal);
      made = true;
      return this.byOrdinal(ordinal.value);
    });
    return made ? host : undefined;
  }

  /** Nobody finds this host any more. It is closed when the step under way has been answered. */
  drop(host: ThreadHost): void {
    this.#hot.delete(host.tno);
    this.#ordinals.delete(host.thread_id);
    queueMicrotask(() => host.close(() => new Departed()));
  }

  /** Something was committed on this thread: it is the newest; the oldest may have to go. */
  used(host: ThreadHost): void {
    this.#touch(host);
    if (this.#hot.size > this.port.maxHot) this.#sweep();
  }

  closeAll(): void {
    for (const host of this.#hot.values()) host.close();
    for (const cancel of this.#alarms.values()) cancel();
    this.#hot.clear();
    this.#ordinals.clear();
  }

  /** One reading at a time for each thread, however many ask. */
  #once(key: string | number, open: () => Promise<ThreadHost | undefined>): Promise<ThreadHost | undefined> {
    const running = this.#opening.get(key);
    if (running) return running;
    const opening = open().finally(() => this.#opening.delete(key));
    this.#opening.set(key, opening);
    return opening;
  }

  async #load(tno: number): Promise<ThreadHost | undefined> {
    const loaded = await loadThread(this.port.store, tno);
    if (!loaded) return undefined;
    this.#alarms.get(tno)?.();
    this.#alarms.delete(tno);
    const host = new ThreadHost(tno, loaded.cells.get('thread')!.thread_id, this.port.threadPort, loaded);
    this.#keep(host);
    for (const [rno, { reason, ...remains }] of loaded.unreadable)
      host.chore((draft) => bury(draft, host.nextToken, rno, reason, remains));
    this.#endWithout(host);
    host.recover();
    this.port.loaded(host);
    return host;
  }

  /** Ends the active run when something that it needs is gone. */
  #endWithout(host: ThreadHost): void {
    if (!host.active) return;
    const rno = Number(host.active.key);
    const reason = this.port.goneOf(host.cells, rno);
    if (reason === undefined) return;
    host.chore((draft) => forceEnd(draft, host.nextToken, rno, reason));
  }

  #keep(host: ThreadHost): ThreadHost {
    this.#hot.set(host.tno, host);
    this.#ordinals.set(host.thread_id, host.tno);
    return host;
  }

  #touch(host: ThreadHost): ThreadHost {
    this.#hot.delete(host.tno);
    this.#hot.set(host.tno, host);
    return host;
  }

  #sweep(): void {
    let looked = 0;
    for (const host of this.#hot.values()) {
      if (looked++ >= SWEEP || this.#hot.size <= this.port.maxHot) return;
      if (mayLeave(host) && !this.port.isWatched(host)) this.#passivate(host);
      // One that stays is not looked at again before all others: many of them must not hide what lies behind them.
      else this.#touch(host);
    }
  }

  /** Puts a thread out of memory. A deadline it waits for is kept as an alarm that reads it back. */
  #passivate(host: ThreadHost): void {
    const due = earliestDeadline(host);
    this.#hot.delete(host.tno);
    this.#ordinals.delete(host.thread_id);
    host.close(() => new Departed());
    this.port.passivated(host);
    if (due !== undefined) this.#setAlarm(host.tno, due);
  }

  /** Reads the thread back at its deadline; as often as it takes while the store refuses. */
  #setAlarm(tno: number, due: number): void {
    const cancel = this.port.deadlines.set(due, () => {
      this.#alarms.delete(tno);
      this.byOrdinal(tno).catch(() => this.#setAlarm(tno, due + AGAIN_MS));
    });
    this.#alarms.set(tno, cancel);
  }
}

/**
 * Nothing is going on that memory is needed for. A run that is running, if only towards the next try of its model, holds
 * its slot of the process by its host.
 */
const mayLeave = (host: ThreadHost): boolean => host.isPassive && host.value !== 'running';

function earliestDeadline(host: ThreadHost): number | undefined {
  let earliest: number | undefined;
  for (const [key, cell] of host.cells.values) {
    if (key[0] !== 'a') continue;
    for (const { due } of Object.values((cell as ActorCell).fx))
      if (due !== undefined) earliest = Math.min(earliest ?? due, due);
  }
  return earliest;
}
