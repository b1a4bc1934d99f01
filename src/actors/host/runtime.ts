/**
 * What all threads of the process share: the journal, the clock and its deadlines, the slots for running runs, the live
 * ends of logs. Threads are found and read here; what a command means to one stands in `requests/`.
 */

import type { AgentRegistry } from '../../agents/types.js';
import { storageUnavailable } from '../../errors.js';
import type { Journal } from '../../store/journal.js';
import * as keys from '../../store/keys.js';
import type { Ordinals } from '../../store/ordinals.js';
import type { Op, Store } from '../../store/port.js';
import type { Reads } from '../../store/reads.js';
import { LedgerNumbers } from '../audit/ledger.js';
import type { LogChunk } from '../events.js';
import { ColumnBlocks } from '../lists/blocks.js';
import { Lists } from '../lists/lists.js';
import { Live } from '../live/live.js';
import type { Message, RunRecord } from '../records.js';
import { takeTurn } from '../requests/turn.js';
import { runOf } from '../thread/apply.js';
import { pause, type Clock } from '../time/clock.js';
import { Deadlines } from '../time/deadlines.js';
import type { Cells, Fx } from '../thread/cells.js';
import type { Draft } from '../thread/draft.js';
import type { Performers } from '../thread/effects.js';
import { Feeds } from './feeds.js';
import { lateOutcomeRow, putLateOutcome } from './late-outcomes.js';
import type { RuntimeLimits } from './limits.js';
import type { Logger } from '../logger.js';
import { quiesce } from './quiesce.js';
import { findOpenWork, Recovery } from './recovery.js';
import { loadMessages, type RunRow, type ThreadName } from '../thread/rows.js';
import { RunNames } from './run-names.js';
import { Slots } from './slots.js';
import { Departed, type ThreadHost, type ThreadPort } from '../thread/thread-host.js';
import { Threads } from './threads.js';

export type RuntimeParts = {
  store: Store;
  /** The same store for readers: few reads at a time, so that they cannot stop the writer. */
  readStore: Reads;
  journal: Journal;
  /** Fresh ordinals, with the writes that must ride in the commit that uses them first. */
  ordinals: { thread: Ordinals; run: Ordinals };
  agents: AgentRegistry;
  clock: Clock;
  limits: RuntimeLimits;
  logger: Logger;
};

/** What happens around a thread that is not the thread's business. */
export type RuntimeHooks = {
  performers(host: ThreadHost): Performers;
  /** What an open run needs and nobody has any more, as a sentence; undefined when it has everything. */
  goneOf(cells: Cells, rno: number): string | undefined;
  /** A thread was read from the store. */
  loaded(host: ThreadHost): void;
  /** A step of the thread is durable. */
  committed(host: ThreadHost): void;
  /** A thread is deleted: its rows are to be removed. */
  buried(tno: number): void;
  /** A run has ended. */
  ended(rno: number, run: RunRecord): void;
};

export type LocatedRun = { rno: number; tno: number; record: RunRecord };

/** Between two attempts of background work that the store refuses. */
const RETRY_MS = 1_000;
/** How long a store that refuses may hold up the closing. */
const UNDER_WAY_MS = 1_000;

export class Runtime {
  readonly deadlines: Deadlines;
  readonly feeds: Feeds;
  readonly threads: Threads;
  readonly lists: Lists;
  readonly live: Live;
  readonly ledger = new LedgerNumbers();
  readonly #blocks: ColumnBlocks;
  /** Deleted threads whose rows are not all removed: nothing of them is found. */
  readonly graves = new Set<number>();
  readonly #slots: Slots;
  readonly names: RunNames;
  readonly #recovery: Recovery;
  /** The reading of the lists behind the start; ends by itself or when the runtime closes. */
  #listing: Promise<unknown> = Promise.resolve();
  #phase: 'open' | 'closing' = 'open';
  readonly #stop = new AbortController();

  constructor(
    readonly parts: RuntimeParts,
    private readonly hooks: RuntimeHooks,
  ) {
    const { store, clock, limits, journal, logger } = parts;
    this.deadlines = new Deadlines(clock);
    this.lists = new Lists(store);
    this.names = new RunNames(parts.readStore);
    this.feeds = new Feeds(limits.feed_chunks);
    this.#blocks = new ColumnBlocks({ journal, clock, logger, runs: this.lists.runs, threads: this.lists.threads });
    this.#slots = new Slots(parts.agents, limits);
    this.#recovery = new Recovery(this.#slots, (tno) => this.#revive(tno));
    this.live = new Live({ now: () => clock.now(), isHot: (tno) => this.threads.hot(tno) !== undefined });
    this.threads = new Threads({
      store,
      deadlines: this.deadlines,
      nextOrdinal: () => parts.ordinals.thread.next(),
      maxHot: limits.hot_threads,
      threadPort: this.#threadPort(),
      isWatched: (host) => this.feeds.isWatched(host),
      goneOf: (cells, rno) => this.hooks.goneOf(cells, rno),
      loaded: (host) => {
        this.#slots.settle(host);
        this.hooks.loaded(host);
      },
      passivated: (host) => {
        this.feeds.forget(host);
        this.#slots.forget(host);
      },
    });
    journal.onStatus((status) => {
      if (status === 'degraded') for (const host of this.threads.all()) host.refuseRequests();
    });
  }

  /** Figures for operators and tests. */
  get gauges(): {
    hot_threads: number;
    running: number;
    queued_threads: number;
    feeds: number;
    /** Deleted threads whose rows are not all removed. */
    graves: number;
  } {
    return {
      hot_threads: this.threads.size,
      running: this.#slots.running,
      queued_threads: this.#slots.queued,
      feeds: this.feeds.size,
      graves: this.graves.size,
    };
  }

  /** Reads which threads have open work; bringing them to life goes on in the background, within the limits. */
  async open(): Promise<void> {
    const { store } = this.parts;
    for await (const [key] of store.range(keys.allGraves())) this.graves.add(keys.ordinalOf(key));
    for (const tno of this.graves) this.lists.deleted(tno);
    for await (const [key] of store.range({ ...keys.allLedger(), reverse: true, limit: 1 }))
      this.ledger.taken(keys.ordinalOf(key));
    this.#recovery.begin(await findOpenWork(store, { calls: this.lists.calls, live: this.live }));
    this.#listing = this.#readLists();
    for (const tno of this.graves) this.hooks.buried(tno);
  }

  /** Lets running `once` tools end for up to `grace_ms`, then stops everything; what was accepted goes on at next start. */
  async close(grace_ms: number, whatIsUnderWay: () => Promise<unknown>): Promise<void> {
    this.#phase = 'closing';
    this.#slots.close();
    await quiesce(this.threads.all(), this.parts.clock, grace_ms);
    this.#stop.abort();
    this.lists.abandon();
    this.live.abandon();
    this.feeds.endAll();
    this.threads.closeAll();
    this.deadlines.clear();
    await Promise.all([this.#listing, this.#recovery.rest()]);
    await this.#giveTime(whatIsUnderWay());
    await this.parts.journal.close();
    await this.parts.store.close();
  }

  /** Waits for it, though not for a store that refuses. */
  async #giveTime(work: Promise<unknown>): Promise<void> {
    const done = new AbortController();
    await Promise.race([work, pause(this.parts.clock, UNDER_WAY_MS, done.signal)]);
    done.abort();
  }

  /** Makes operations durable. Whoever changes records of runs or threads comes through here. */
  commit(ops: readonly Op[]): Promise<void> {
    return this.#blocks.commit(ops);
  }

  /** The ordinal of a thread that is there. */
  async threadOrdinal(thread_id: string): Promise<number | undefined> {
    const row = await this.parts.readStore.get(keys.threadName(thread_id));
    return row === undefined ? undefined : (JSON.parse(row) as ThreadName).tno;
  }

  /** A run by its id: where it is, and its record as of the last commit. */
  async locate(run_id: string): Promise<LocatedRun | undefined> {
    const name = await this.names.find(run_id);
    if (!name) return undefined;
    const { rno, tno } = name;
    if (this.graves.has(tno)) return undefined;
    const record = this.threads.hot(tno)?.cells.get(`r${rno}`) ?? this.feeds.recent(rno)?.record;
    if (record) return { rno, tno, record };
    const row = await this.parts.readStore.get(keys.run(rno));
    if (row === undefined) return undefined;
    const { tno: _, ...stored } = JSON.parse(row) as RunRow;
    return { rno, tno, record: stored };
  }

  /**
   * Does something with a thread, wherever it is by now: one that has left memory meanwhile is looked for again.
   * Undefined when there is no such thread.
   */
  async withThread<T>(
    find: (runtime: Runtime) => Promise<ThreadHost | undefined>,
    work: (host: ThreadHost) => T | Promise<T>,
  ): Promise<T | undefined> {
    for (;;) {
      const host = await find(this);
      if (!host) return undefined;
      try {
        return await work(host);
      } catch (error) {
        if (!(error instanceof Departed)) throw error;
      }
    }
  }

  /** Rows were written under an ordinal that no thread has now: they are to be removed. */
  abandon(tno: number): void {
    this.hooks.buried(tno);
  }

  /** A thread's messages, all of them, in order. */
  async history(host: ThreadHost): Promise<readonly Message[]> {
    if (host.history) return host.history;
    const messages = await loadMessages(this.parts.readStore, host.tno);
    host.keepHistory(messages);
    return messages;
  }

  #threadPort(): ThreadPort {
    const { clock, journal, limits, logger, agents } = this.parts;
    return {
      now: () => clock.now(),
      commit: (ops) => this.commit(ops),
      isWritable: () => journal.status === 'open',
      writable: () => writable(journal),
      deadlines: this.deadlines,
      inboxBytes: limits.inbox_bytes,
      logger,
      performers: (host) => this.hooks.performers(host),
      takeTurn: (host, draft) => {
        try {
          takeTurn(draft, {
            tno: host.tno,
            next: host.nextToken,
            agents,
            limits,
            recent: host.recent,
            reserve: (agent, overrides) => this.#slots.reserve(host, agent, overrides),
          });
        } finally {
          this.#slots.answered(host);
        }
      },
      committed: (host, chunks, step) => this.#committed(host, chunks, step),
      rolledBack: (host) => this.#slots.settle(host),
      late: (host, { path }, effect, outcome) => this.#late(host, path, effect, outcome),
    };
  }

  #committed(
    host: ThreadHost,
    chunks: [rno: number, chunk: LogChunk][],
    { changed, transitions }: Pick<Draft, 'changed' | 'transitions'>,
  ): void {
    const { tno, thread_id, cells } = host;
    this.threads.used(host);
    this.#slots.settle(host);
    for (const [rno, chunk] of chunks) {
      const record = host.cells.get(`r${rno}`)!;
      if (this.feeds.publish(rno, chunk, record)) this.hooks.ended(rno, record);
    }
    this.live.committed({ tno, thread_id, cells, changed, transitions, chunks });
    if (changed.has('gone')) return this.#bury(host);
    this.lists.committed(tno, changed, cells);
    this.hooks.committed(host);
  }

  /** The thread is deleted: from now on nobody finds it, nor anything of it. */
  #bury(host: ThreadHost): void {
    const { tno, thread_id } = host;
    this.graves.add(tno);
    this.lists.deleted(tno);
    this.feeds.forgetRecent(thread_id);
    this.names.forgetThread(tno);
    this.threads.drop(host);
    this.#slots.forget(host);
    this.hooks.buried(tno);
  }

  /**
   * The outcome of a call that was closed before it came: it may have taken effect, so it is kept for the operator. A fact
   * of its thread: a store that refuses keeps it waiting, and of a thread that is deleted nothing is left.
   */
  #late(
    { tno, thread_id }: ThreadHost,
    path: string,
    { src, input }: Pick<Fx, 'src' | 'input'>,
    outcome: unknown,
  ): void {
    if (src !== 'execute' || this.#phase === 'closing') return;
    const { clock, logger } = this.parts;
    const row = lateOutcomeRow({ at: clock.now(), thread_id, rno: runOf(path) }, input, outcome);
    logger.warn(row, 'a tool call ended after it was closed');
    const keep = (draft: Draft): void => void draft.rows.push(...putLateOutcome(this.ledger.next(row.at), row));
    this.withThread(
      ({ threads }) => threads.byOrdinal(tno),
      (host) => host.chore(keep),
    ).catch((error: unknown) => logger.error({ err: error, ...row }, 'a late outcome could not be kept'));
  }

  async #revive(tno: number): Promise<void> {
    if (this.#phase !== 'open') return;
    await this.threads.byOrdinal(tno).catch((error: unknown) => {
      this.parts.logger.error({ err: error, tno }, 'a thread could not be read');
    });
  }

  /** The columns of the lists; tried again for as long as the store refuses. */
  async #readLists(): Promise<void> {
    const { store, logger, clock } = this.parts;
    const isWanted = (): boolean => !this.#stop.signal.aborted;
    while (isWanted()) {
      try {
        await this.live.read(store, isWanted);
        await this.lists.read(store, await this.#blocks.load(store, isWanted), isWanted);
        return await this.#blocks.run(this.#stop.signal);
      } catch (error) {
        logger.warn({ err: error }, 'the lists could not be read yet');
        await pause(clock, RETRY_MS, this.#stop.signal);
      }
    }
  }
}

/** Resolves when the journal takes commits; rejects when it never will again. */
function writable(journal: Journal): Promise<void> {
  if (journal.status === 'open') return Promise.resolve();
  if (journal.status === 'closed') return Promise.reject(storageUnavailable());
  return new Promise((resolve, reject) => {
    const off = journal.onStatus((status) => {
      off();
      if (status === 'open') resolve();
      else reject(storageUnavailable());
    });
  });
}
