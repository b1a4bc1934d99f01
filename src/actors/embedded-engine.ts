/**
 * The engine of this process: thread hosts over one journal and one store (`engine.ts` is the contract).
 *
 * Here the parts are put together and nothing else: requests find their thread, threads find the journal, readers find
 * the log. What a command means stands in `requests/`, how a thread steps in `host/`.
 */

import { v7 as uuidv7 } from 'uuid';
import type { AgentRegistry } from '../agents/types.js';
import {
  agentNotFound,
  AgentServerError,
  badRequest,
  ErrorCode,
  runNotActive,
  runNotFound,
  storageUnavailable,
  threadNotFound,
} from '../errors.js';
import type { JsonObject } from '../json.js';
import type { Journal } from '../store/journal.js';
import * as keys from '../store/keys.js';
import type { Ordinals } from '../store/ordinals.js';
import type { Store } from '../store/port.js';
import type { Reads } from '../store/reads.js';
import { watchPerformer, type DelegationPort } from './effects/delegation.js';
import { executePerformer } from './effects/execute.js';
import { inferPerformer } from './effects/infer.js';
import type {
  Answers,
  Command,
  EventReader,
  HostedEngine,
  LiveActor,
  MessageRange,
  OnBusy,
  Page,
  RunClaim,
  RunFilter,
  StartRequest,
  ThreadView,
} from './engine.js';
import type { LogChunk } from './events.js';
import { Admission } from './host/admission.js';
import { runOf } from './host/apply.js';
import { Claims } from './host/claims.js';
import type { Clock } from './host/clock.js';
import { Deadlines } from './host/deadlines.js';
import type { ActorCell, Draft, QueuedEntry } from './host/draft.js';
import { lineage, MAX_DEPTH, openChildren, stopsChildren } from './host/family.js';
import { Feed } from './host/feed.js';
import { inspectHost } from './host/inspect.js';
import type { RuntimeLimits } from './host/limits.js';
import type { Logger } from './host/logger.js';
import { Outbox } from './host/outbox.js';
import { LogReader } from './host/reader.js';
import { loadMessages, loadThreadView, putRow, type RunName, type RunRow, type ThreadName } from './host/rows.js';
import type { ThreadHost, ThreadPort } from './host/thread-host.js';
import { Threads } from './host/threads.js';
import type { ToolCallContext } from './machines/tool-call.js';
import type { Message, RunRecord } from './records.js';
import { decide } from './requests/decide.js';
import { newsOf } from './requests/messages.js';
import { acceptStart } from './requests/start.js';
import { cancelRun, interruptThread } from './requests/stop.js';
import { takeTurn } from './requests/turn.js';

export type EngineParts = {
  store: Store;
  /** The same store for readers: few reads at a time, so that they cannot stop the writer. */
  readStore: Reads;
  journal: Journal;
  ordinals: { thread: Ordinals; run: Ordinals };
  agents: AgentRegistry;
  clock: Clock;
  limits: RuntimeLimits;
  logger: Logger;
};

/** Threads read at the same time while recovering. */
const RECOVERY_WIDTH = 8;

export class EmbeddedEngine implements HostedEngine {
  #status: HostedEngine['status'] = 'starting';
  readonly #deadlines: Deadlines;
  readonly #admission: Admission<Turn>;
  readonly #threads: Threads;
  readonly #claims: Claims;
  readonly #outbox: Outbox;
  readonly #feeds = new Map<number, Feed>();
  readonly #turns = new WeakMap<ThreadHost, Turn>();
  /** The background part of recovery; ends by itself or when the engine closes. */
  #recovery: Promise<void> = Promise.resolve();

  constructor(private readonly parts: EngineParts) {
    const { store, clock, limits, journal } = parts;
    this.#deadlines = new Deadlines(clock);
    this.#admission = new Admission(limits.max_running);
    this.#claims = new Claims(store);
    this.#threads = new Threads({
      store,
      deadlines: this.#deadlines,
      nextOrdinal: () => parts.ordinals.thread.next(),
      maxHot: limits.hot_threads,
      threadPort: this.#threadPort(),
      isWatched: (host) => this.#isWatched(host),
      loaded: (host) => this.#loaded(host),
    });
    this.#outbox = new Outbox({ start: (start) => this.#startElsewhere(start), clock, logger: parts.logger });
    journal.onStatus((status) => {
      if (status === 'degraded') for (const host of this.#threads.all()) host.refuseInFlight();
    });
  }

  get status(): HostedEngine['status'] {
    return this.#status;
  }

  /** Figures for operators and tests. */
  get gauges(): { hot_threads: number; running: number; queued_threads: number; feeds: number } {
    return {
      hot_threads: this.#threads.size,
      running: this.#admission.running,
      queued_threads: this.#admission.queued,
      feeds: this.#feeds.size,
    };
  }

  /** Reads which threads have open work, opens for requests, then brings those threads to life within the limits. */
  async start(): Promise<void> {
    const open = new Set<number>();
    for (const range of [keys.allActors(), keys.allQueued(), keys.allOutboxes()])
      for await (const [key] of this.parts.store.range(range)) open.add(keys.ordinalOf(key));
    this.#status = 'ready';
    this.#recovery = this.#recover([...open]);
  }

  deliver<T extends Command['type']>(command: Extract<Command, { type: T }>): Promise<Answers[T]> {
    if (this.#status !== 'ready') return Promise.reject(notInitialised());
    return this.#dispatch(command) as Promise<Answers[T]>;
  }

  async claimRun(run_id: string, body_hash: string): Promise<RunClaim> {
    const held = await this.#claims.claim(run_id, body_hash);
    if (!held) return { claimed: true };
    const run = await this.read({ kind: 'run', run_id });
    return { claimed: false, run_id, thread_id: run!.thread_id, same_body: held.hash === body_hash };
  }

  read(ref: { kind: 'run'; run_id: string }): Promise<RunRecord | undefined>;
  read(ref: { kind: 'thread'; thread_id: string }): Promise<ThreadView | undefined>;
  read(ref: { kind: 'messages'; thread_id: string } & MessageRange): Promise<Message[] | undefined>;
  read(ref: { kind: 'state'; thread_id: string }): Promise<JsonObject | undefined>;
  async read(ref: ReadRef): Promise<unknown> {
    if (ref.kind === 'run') return (await this.#locate(ref.run_id))?.record;
    const name = await this.parts.readStore.get(keys.threadName(ref.thread_id));
    if (name === undefined) return undefined;
    const { tno } = JSON.parse(name) as ThreadName;
    if (ref.kind === 'messages') return loadMessages(this.parts.readStore, tno, ref);
    if (ref.kind === 'thread') return loadThreadView(this.parts.readStore, tno);
    const state = await this.parts.readStore.get(keys.state(tno));
    return state === undefined ? {} : (JSON.parse(state) as JsonObject);
  }

  async readEvents(run_id: string, after: number): Promise<EventReader> {
    const found = await this.#locate(run_id);
    if (!found) throw runNotFound(run_id);
    const { record, rno, tno } = found;
    const feed = record.status === 'done' ? undefined : this.#feedOf(rno, await this.#threads.byOrdinal(tno));
    return new LogReader(record, rno, after, this.parts.readStore, feed);
  }

  async list(filter: RunFilter & { offset: number; limit: number }): Promise<Page<RunRecord>> {
    const matches: RunRecord[] = [];
    for await (const [, value] of this.parts.readStore.range(keys.allRuns())) {
      const { tno: _, ...record } = JSON.parse(value) as RunRow;
      if (filter.thread_id !== undefined && record.thread_id !== filter.thread_id) continue;
      if (filter.status !== undefined && record.status !== filter.status) continue;
      matches.push(record);
    }
    const end = filter.offset + filter.limit;
    return { items: matches.slice(filter.offset, end), total: matches.length, has_more: matches.length > end };
  }

  inspect(filter: { thread_id?: string } = {}): LiveActor[] {
    const actors: LiveActor[] = [];
    for (const host of this.#threads.all())
      if (filter.thread_id === undefined || filter.thread_id === host.thread_id) actors.push(...inspectHost(host));
    return actors;
  }

  async close(grace_ms = 5_000): Promise<void> {
    if (this.#status === 'stopping' || this.#status === 'stopped') return;
    this.#status = 'stopping';
    await this.#onceToolsSettled(grace_ms);
    this.#outbox.close();
    for (const feed of this.#feeds.values()) feed.end();
    this.#threads.closeAll();
    this.#deadlines.clear();
    await this.#recovery;
    await this.parts.journal.close();
    await this.parts.store.close();
    this.#status = 'stopped';
  }

  #dispatch(command: Command): Promise<unknown> {
    switch (command.type) {
      case 'start':
        return this.#start(command.start);
      case 'cancel':
        return this.#withRun(command.run_id, (draft, host) =>
          cancelRun(draft, command.run_id, command.detail ?? null, { tno: host.tno, next: host.nextToken }),
        );
      case 'decide':
        return this.#withRun(
          command.run_id,
          (draft, host) => decide(draft, command.run_id, command.decisions, { next: host.nextToken }),
          { mayBeDone: true },
        );
      case 'interrupt':
        return this.#interrupt(command.thread_id);
    }
  }

  async #start(start: StartRequest): Promise<Answers['start']> {
    const run_id = start.run_id ?? uuidv7();
    try {
      if (!this.parts.agents.get(start.agent_id)) throw agentNotFound(start.agent_id);
      if (!this.parts.journal.accepting()) throw storageUnavailable();
      if (start.run_id !== undefined && !this.#claims.isHeld(run_id)) {
        const claim = await this.claimRun(run_id, '');
        if (!claim.claimed) throw new AgentServerError(ErrorCode.conflict, `run already exists: ${run_id}`);
      }
      const host =
        start.thread_id === undefined
          ? this.#threads.create()
          : (await this.#threads.byId(start.thread_id, { create: true }))!;
      const parent = start.parent_run_id === undefined ? undefined : await this.#parentOf(start);
      const { start: news, cut } = await this.#news(host, start);
      return await this.#accept(host, run_id, news, {
        ...(cut ? { cut } : {}),
        ...(parent ? { parent_rno: parent.rno } : {}),
      });
    } finally {
      this.#claims.release(run_id);
    }
  }

  /** What of a start is new to the thread: known messages left out, the place of its cut looked up. */
  async #news(host: ThreadHost, start: StartRequest): Promise<{ start: StartRequest; cut?: QueuedEntry['cut'] }> {
    const { rewind, messages } = start;
    if (!rewind && messages.every((message) => message.id === undefined)) return { start };
    return newsOf(start, await this.#history(host));
  }

  async #parentOf({ parent_run_id, origin }: StartRequest): Promise<{ rno: number } | undefined> {
    const found = await lineage(this.parts.readStore, parent_run_id!);
    if (origin === 'subagent' && found && found.depth > MAX_DEPTH)
      throw badRequest('the chain of delegations is too long');
    return found;
  }

  /** A start that another thread asked for; false when its thread is gone. */
  async #startElsewhere(start: StartRequest): Promise<boolean> {
    if (!(await this.#threads.byId(start.thread_id!, { create: false }))) return false;
    await this.#start(start);
    return true;
  }

  #loaded(host: ThreadHost): void {
    this.#outbox.dispatch(host);
    for (const [key, value] of host.cells.values) if (key[0] === 'r') void this.#stopOrphan(value as RunRecord);
  }

  /** The parent was stopped and the process died before its child was. */
  async #stopOrphan({ run_id, origin, parent_run_id }: RunRecord): Promise<void> {
    if (origin !== 'subagent' || parent_run_id === null) return;
    const parent = await this.read({ kind: 'run', run_id: parent_run_id });
    if (parent && stopsChildren(parent)) await this.#stopChild(run_id);
  }

  async #stopChildren(rno: number): Promise<void> {
    for (const { run_id } of await openChildren(this.parts.readStore, rno)) await this.#stopChild(run_id);
  }

  async #stopChild(run_id: string): Promise<void> {
    await this.#dispatch({ type: 'cancel', run_id, detail: 'the parent run has ended' }).catch((error: unknown) => {
      if (error instanceof AgentServerError && error.code === ErrorCode.runNotActive) return;
      this.parts.logger.warn({ err: error, run_id }, 'a child of a stopped run could not be stopped');
    });
  }

  /** The thread's messages, all of them, in order. */
  async #history(host: ThreadHost): Promise<readonly Message[]> {
    if (host.history) return host.history;
    const messages = await loadMessages(this.parts.readStore, host.tno);
    host.keepHistory(messages);
    return messages;
  }

  async #accept(
    host: ThreadHost,
    run_id: string,
    start: StartRequest,
    found: { cut?: QueuedEntry['cut']; parent_rno?: number },
  ): Promise<Answers['start']> {
    const { value: rno, ops } = this.parts.ordinals.run.next();
    const answer = await host.request((draft) => {
      const accepted = acceptStart(draft, start, {
        tno: host.tno,
        thread_id: host.thread_id,
        rno,
        run_id,
        on_busy: this.#onBusy(start),
        hash: this.#claims.hashOf(run_id),
        next: host.nextToken,
        max_entries: this.parts.limits.mailbox_entries,
        ...found,
        ordinalOps: [...(this.#threads.ordinalOps.get(host) ?? []), ...ops],
      });
      return () => {
        if (accepted.is !== 'new') return accepted;
        this.parts.ordinals.run.landed(rno);
        if (this.#threads.ordinalOps.delete(host)) this.parts.ordinals.thread.landed(host.tno);
        return { is: accepted.is, run: host.cells.get(`r${rno}`)! };
      };
    });
    if (answer.is === 'new') return { run: answer.run, attached: false };
    const run = (await this.read({ kind: 'run', run_id: answer.run_id }))!;
    return answer.is === 'resumed' ? { run, attached: false, resumed_after: answer.after } : { run, attached: true };
  }

  #onBusy({ on_busy, agent_id }: StartRequest): OnBusy {
    return typeof on_busy === 'string' ? on_busy : (this.parts.agents.get(agent_id)?.on_busy ?? on_busy.default);
  }

  async #withRun(
    run_id: string,
    handle: (draft: Draft, host: ThreadHost) => void,
    { mayBeDone = false } = {},
  ): Promise<{ run: RunRecord }> {
    const found = await this.#locate(run_id);
    if (!found) throw runNotFound(run_id);
    if (found.record.status === 'done' && !mayBeDone) throw runNotActive();
    const host = await this.#threads.byOrdinal(found.tno);
    if (!host) throw runNotActive();
    return host.request((draft) => {
      handle(draft, host);
      return () => ({ run: host.cells.get(`r${found.rno}`) ?? found.record });
    });
  }

  async #interrupt(thread_id: string): Promise<Answers['interrupt']> {
    const host = await this.#threads.byId(thread_id, { create: false });
    if (!host) throw threadNotFound(thread_id);
    return host.request((draft) => {
      if (!draft.get('thread')) throw threadNotFound(thread_id);
      const result = interruptThread(draft, { tno: host.tno, next: host.nextToken });
      return () => result;
    });
  }

  async #locate(run_id: string): Promise<{ rno: number; tno: number; record: RunRecord } | undefined> {
    const name = await this.parts.readStore.get(keys.runName(run_id));
    if (name === undefined) return undefined;
    const { rno, tno } = JSON.parse(name) as RunName;
    const live = this.#threads.hot(tno)?.cells.get(`r${rno}`);
    if (live) return { rno, tno, record: live };
    const row = await this.parts.readStore.get(keys.run(rno));
    if (row === undefined) return undefined;
    const { tno: _, ...record } = JSON.parse(row) as RunRow;
    return { rno, tno, record };
  }

  #threadPort(): ThreadPort {
    const { clock, journal, limits, logger } = this.parts;
    return {
      now: () => clock.now(),
      commit: (ops) => journal.commit(ops),
      writable: () => writable(journal),
      deadlines: this.#deadlines,
      inboxBytes: limits.inbox_bytes,
      logger,
      performers: (host) => this.#performers(host),
      takeTurn: (host, draft) =>
        takeTurn(draft, {
          tno: host.tno,
          next: host.nextToken,
          agents: this.parts.agents,
          limits,
          history: host.history,
          reserve: () => this.#admission.reserve(this.#turnOf(host)),
        }),
      committed: (host, chunks) => this.#committed(host, chunks),
      rolledBack: (host) => this.#admission.settle(this.#turnOf(host), host.value === 'running'),
      late: (host, from, src, outcome) => this.#late(host, from.path, src, outcome),
    };
  }

  #performers(host: ThreadHost): ReturnType<ThreadPort['performers']> {
    const { agents, limits } = this.parts;
    const recordOf = (path: string) => host.cells.get(`r${runOf(path)}`)!;
    return {
      infer: inferPerformer({
        agents,
        runOf: (path) => ({ agent_id: recordOf(path).agent_id, overrides: host.cells.get(`x${runOf(path)}`) }),
        history: () => this.#history(host),
        idle_timeout_ms: limits.model_idle_ms,
        tool_timeout_ms: limits.tool_timeout_ms,
      }),
      execute: executePerformer({ agents, runOf: recordOf, delegation: this.#delegation }),
      watch: watchPerformer(this.#delegation),
    };
  }

  readonly #delegation: DelegationPort = {
    start: (start) => this.#start(start),
    decide: (run_id, decisions) => this.#dispatch({ type: 'decide', run_id, decisions }),
    cancel: (run_id, detail) => this.#dispatch({ type: 'cancel', run_id, detail }),
    readRun: (run_id) => this.read({ kind: 'run', run_id }),
    readEvents: (run_id, after) => this.readEvents(run_id, after),
    responseOf: async ({ thread_id, run_id }) => {
      const messages = (await this.read({ kind: 'messages', thread_id })) ?? [];
      return (
        messages.findLast((m) => m.run_id === run_id && m.role === 'assistant' && m.content !== '')?.content ?? null
      );
    },
  };

  #committed(host: ThreadHost, chunks: [number, LogChunk][]): void {
    this.#threads.used(host);
    this.#outbox.dispatch(host);
    this.#admission.settle(this.#turnOf(host), host.value === 'running');
    for (const [rno, chunk] of chunks) {
      const feed = this.#feedOf(rno, host, chunk.n);
      feed?.push(chunk);
      if (chunk.events.at(-1)![0] === 'run_finish') {
        feed?.end();
        this.#feeds.delete(rno);
        if (stopsChildren(host.cells.get(`r${rno}`)!)) void this.#stopChildren(rno);
      }
    }
  }

  /** The live end of an open run's log; a run that is over has none. */
  #feedOf(rno: number, host: ThreadHost | undefined, next?: number): Feed | undefined {
    const known = this.#feeds.get(rno);
    if (known) return known;
    const record = host?.cells.get(`r${rno}`);
    if (!host || !record || (record.status === 'done' && next === undefined)) return undefined;
    const feed = new Feed(next ?? host.cells.get(`l${rno}`)?.seq ?? 0, this.parts.limits.feed_chunks);
    this.#feeds.set(rno, feed);
    return feed;
  }

  #isWatched(host: ThreadHost): boolean {
    for (const key of host.cells.values.keys())
      if (key[0] === 'r' && (this.#feeds.get(Number(key.slice(1)))?.readers ?? 0) > 0) return true;
    return false;
  }

  #turnOf(host: ThreadHost): Turn {
    let turn = this.#turns.get(host);
    if (!turn) this.#turns.set(host, (turn = { turn: () => host.push({ kind: 'turn' }) }));
    return turn;
  }

  /** The outcome of a call that was closed before it came: it may have taken effect, so it is kept for the operator. */
  #late(host: ThreadHost, path: string, src: string, outcome: unknown): void {
    if (src !== 'execute') return;
    const at = this.parts.clock.now();
    const row = { kind: 'late_outcome', at, thread_id: host.thread_id, path, outcome };
    this.parts.logger.warn(row, 'a tool call ended after it was closed');
    if (this.parts.journal.status !== 'open') return;
    this.parts.journal.commit([putRow(keys.ledger(ledgerOrdinal(at)), row)]).catch((error: unknown) => {
      this.parts.logger.error({ err: error, ...row }, 'a late outcome could not be kept');
    });
  }

  async #recover(open: number[]): Promise<void> {
    const next = async (): Promise<void> => {
      for (let tno = open.shift(); tno !== undefined && this.#status === 'ready'; tno = open.shift()) {
        await this.#threads.byOrdinal(tno).catch((error: unknown) => {
          this.parts.logger.error({ err: error, tno }, 'a thread could not be read');
        });
      }
    };
    await Promise.all(Array.from({ length: RECOVERY_WIDTH }, next));
  }

  async #onceToolsSettled(grace_ms: number): Promise<void> {
    const running: Promise<void>[] = [];
    for (const host of this.#threads.all())
      running.push(...host.effects.settled((address) => isOnce(host.cells.get(`a${address.path}`))));
    if (running.length === 0) return;
    let cancel = () => {};
    const grace = new Promise<void>((resolve) => {
      cancel = this.parts.clock.at(this.parts.clock.now() + grace_ms, resolve);
    });
    await Promise.race([Promise.all(running), grace]);
    cancel();
  }
}

type ReadRef =
  | { kind: 'run'; run_id: string }
  | { kind: 'thread' | 'state'; thread_id: string }
  | ({ kind: 'messages'; thread_id: string } & MessageRange);

type Turn = { turn(): void };

const isOnce = (cell: ActorCell | undefined): boolean =>
  cell?.kind === 'tool_call' && (cell.snapshot.context as ToolCallContext).plan.effect === 'once';

const notInitialised = () => new AgentServerError(ErrorCode.notInitialised, 'run service is not initialised');

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
