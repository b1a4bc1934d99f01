/**
 * What all threads of the process share: the journal, the clock and its deadlines, the slots for running runs, the live
 * ends of logs. Threads are found and read here; what a command means to one stands in `requests/`.
 */

import { providerOf } from '../../agents/providers/resolver.js';
import type { Agent, AgentRegistry } from '../../agents/types.js';
import { storageUnavailable } from '../../errors.js';
import type { Journal } from '../../store/journal.js';
import * as keys from '../../store/keys.js';
import type { Ordinals } from '../../store/ordinals.js';
import type { Store } from '../../store/port.js';
import type { Reads } from '../../store/reads.js';
import type { LogChunk } from '../events.js';
import type { ToolCallContext } from '../machines/tool-call.js';
import type { Message, RunRecord } from '../records.js';
import { takeTurn } from '../requests/turn.js';
import type { RunOverrides } from '../engine.js';
import { Admission, type Slot } from './admission.js';
import type { Clock } from './clock.js';
import { Deadlines } from './deadlines.js';
import type { ActorCell } from './draft.js';
import type { Performers } from './effects.js';
import { Feeds } from './feeds.js';
import type { RuntimeLimits } from './limits.js';
import type { Logger } from './logger.js';
import { loadMessages, putRow, type RunName, type RunRow } from './rows.js';
import type { ThreadHost, ThreadPort } from './thread-host.js';
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
  /** A thread was read from the store. */
  loaded(host: ThreadHost): void;
  /** A step of the thread is durable. */
  committed(host: ThreadHost): void;
  /** A run has ended. */
  ended(rno: number, run: RunRecord): void;
};

export type LocatedRun = { rno: number; tno: number; record: RunRecord };

/** Threads read at the same time while recovering. */
const RECOVERY_WIDTH = 8;
/** Run ids kept in memory. */
const KNOWN_NAMES = 4096;

export class Runtime {
  readonly deadlines: Deadlines;
  readonly feeds: Feeds;
  readonly threads: Threads;
  readonly #admission: Admission<Turn>;
  /** The newest run ids; what an id names never changes. */
  readonly #names = new Map<string, { rno: number; tno: number }>();
  readonly #turns = new WeakMap<ThreadHost, Turn>();
  /** The background part of recovery; ends by itself or when the runtime closes. */
  #recovery: Promise<void> = Promise.resolve();
  #phase: 'open' | 'closing' = 'open';

  constructor(
    readonly parts: RuntimeParts,
    private readonly hooks: RuntimeHooks,
  ) {
    const { store, clock, limits, journal } = parts;
    this.deadlines = new Deadlines(clock);
    this.feeds = new Feeds(limits.feed_chunks);
    this.#admission = new Admission(limits.max_running);
    this.threads = new Threads({
      store,
      deadlines: this.deadlines,
      nextOrdinal: () => parts.ordinals.thread.next(),
      maxHot: limits.hot_threads,
      threadPort: this.#threadPort(),
      isWatched: (host) => this.feeds.isWatched(host),
      loaded: (host) => this.hooks.loaded(host),
      passivated: (host) => this.feeds.forget(host),
    });
    journal.onStatus((status) => {
      if (status === 'degraded') for (const host of this.threads.all()) host.refuseInFlight();
    });
  }

  /** Figures for operators and tests. */
  get gauges(): { hot_threads: number; running: number; queued_threads: number; feeds: number } {
    return {
      hot_threads: this.threads.size,
      running: this.#admission.running,
      queued_threads: this.#admission.queued,
      feeds: this.feeds.size,
    };
  }

  /** Reads which threads have open work; bringing them to life goes on in the background, within the limits. */
  async open(): Promise<void> {
    const open = new Set<number>();
    for (const range of [keys.allActors(), keys.allQueued(), keys.allOutboxes()])
      for await (const [key] of this.parts.store.range(range)) open.add(keys.ordinalOf(key));
    this.#recovery = this.#recover([...open]);
  }

  /** Lets running `once` tools end for up to `grace_ms`, then stops everything; what was accepted goes on at next start. */
  async close(grace_ms: number): Promise<void> {
    await this.#onceToolsSettled(grace_ms);
    this.#phase = 'closing';
    this.feeds.endAll();
    this.threads.closeAll();
    this.deadlines.clear();
    await this.#recovery;
    await this.parts.journal.close();
    await this.parts.store.close();
  }

  /** A run by its id: where it is, and its record as of the last commit. */
  async locate(run_id: string): Promise<LocatedRun | undefined> {
    const name = this.#names.get(run_id) ?? (await this.#readName(run_id));
    if (!name) return undefined;
    const { rno, tno } = name;
    const record = this.threads.hot(tno)?.cells.get(`r${rno}`) ?? this.feeds.recent(rno)?.record;
    if (record) return { rno, tno, record };
    const row = await this.parts.readStore.get(keys.run(rno));
    if (row === undefined) return undefined;
    const { tno: _, ...stored } = JSON.parse(row) as RunRow;
    return { rno, tno, record: stored };
  }

  /** A run that was just accepted: whoever asks for it next need not read the store. */
  named(run_id: string, name: { rno: number; tno: number }): void {
    this.#names.set(run_id, name);
    if (this.#names.size > KNOWN_NAMES) this.#names.delete(this.#names.keys().next().value!);
  }

  async #readName(run_id: string): Promise<{ rno: number; tno: number } | undefined> {
    const row = await this.parts.readStore.get(keys.runName(run_id));
    return row === undefined ? undefined : (JSON.parse(row) as RunName);
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
      commit: (ops) => journal.commit(ops),
      writable: () => writable(journal),
      deadlines: this.deadlines,
      inboxBytes: limits.inbox_bytes,
      logger,
      performers: (host) => this.hooks.performers(host),
      takeTurn: (host, draft) => {
        takeTurn(draft, {
          tno: host.tno,
          next: host.nextToken,
          agents,
          limits,
          history: host.history,
          reserve: (agent, overrides) => this.#admission.reserve(this.#turnOf(host), this.#slotsOf(agent, overrides)),
        });
        this.#admission.answered(this.#turnOf(host));
      },
      committed: (host, chunks) => this.#committed(host, chunks),
      rolledBack: (host) => this.#settleSlot(host),
      late: (host, from, src, outcome) => this.#late(host, from.path, src, outcome),
    };
  }

  #committed(host: ThreadHost, chunks: [rno: number, chunk: LogChunk][]): void {
    this.threads.used(host);
    this.#settleSlot(host);
    for (const [rno, chunk] of chunks) {
      const record = host.cells.get(`r${rno}`)!;
      if (this.feeds.publish(rno, chunk, record)) this.hooks.ended(rno, record);
    }
    this.hooks.committed(host);
  }

  #settleSlot(host: ThreadHost): void {
    this.#admission.settle(this.#turnOf(host), host.value === 'running', () => this.#slotsOfActive(host));
  }

  #slotsOfActive({ active, cells }: ThreadHost): Slot[] {
    const rno = Number(active?.key);
    const agent = this.parts.agents.get(cells.get(`r${rno}`)?.agent_id ?? '');
    return agent ? this.#slotsOf(agent, cells.get(`x${rno}`)) : [];
  }

  /** What a run of this agent counts against, beside the process. */
  #slotsOf({ id, model, max_concurrent }: Agent, overrides: RunOverrides | undefined): Slot[] {
    const provider = providerOf(overrides?.model ?? model);
    const limit = this.parts.limits.provider_limits[provider];
    return [
      ...(max_concurrent === undefined ? [] : [{ key: `agent ${id}`, max: max_concurrent }]),
      ...(limit === undefined ? [] : [{ key: `provider ${provider}`, max: limit }]),
    ];
  }

  #turnOf(host: ThreadHost): Turn {
    let turn = this.#turns.get(host);
    if (!turn) this.#turns.set(host, (turn = { turn: () => host.push({ kind: 'turn' }) }));
    return turn;
  }

  /** The outcome of a call that was closed before it came: it may have taken effect, so it is kept for the operator. */
  #late(host: ThreadHost, path: string, src: string, outcome: unknown): void {
    if (src !== 'execute' || this.#phase === 'closing') return;
    const { clock, journal, logger } = this.parts;
    const at = clock.now();
    const row = { kind: 'late_outcome', at, thread_id: host.thread_id, path, outcome };
    logger.warn(row, 'a tool call ended after it was closed');
    if (journal.status !== 'open') return;
    journal.commit([putRow(keys.ledger(ledgerOrdinal(at)), row)]).catch((error: unknown) => {
      logger.error({ err: error, ...row }, 'a late outcome could not be kept');
    });
  }

  async #recover(open: number[]): Promise<void> {
    const next = async (): Promise<void> => {
      for (let tno = open.shift(); tno !== undefined && this.#phase === 'open'; tno = open.shift()) {
        await this.#admission.room();
        await this.threads.byOrdinal(tno).catch((error: unknown) => {
          this.parts.logger.error({ err: error, tno }, 'a thread could not be read');
        });
      }
    };
    await Promise.all(Array.from({ length: RECOVERY_WIDTH }, next));
  }

  async #onceToolsSettled(grace_ms: number): Promise<void> {
    const running: Promise<void>[] = [];
    for (const host of this.threads.all())
      running.push(...host.effects.settled((address) => isOnce(host.cells.get(`a${address.path}`))));
    if (running.length === 0) return;
    const { clock } = this.parts;
    let cancel = () => {};
    const grace = new Promise<void>((resolve) => {
      cancel = clock.at(clock.now() + grace_ms, resolve);
    });
    await Promise.race([Promise.all(running), grace]);
    cancel();
  }
}

type Turn = { turn(): void };

const isOnce = (cell: ActorCell | undefined): boolean =>
  cell?.kind === 'tool_call' && (cell.snapshot.context as ToolCallContext).plan.effect === 'once';

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

let ledgerTick = 0;
/** Time-ordered: the millisecond, then a turn within it. */
const ledgerOrdinal = (at: number): number => at * 64 + (ledgerTick++ % 64);
