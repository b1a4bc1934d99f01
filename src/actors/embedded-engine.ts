/**
 * The engine of this process: thread hosts over one journal and one store (`engine.ts` is the contract).
 *
 * Here commands find their thread and readers their log, and nothing else: what a command means stands in `requests/`,
 * how a thread steps in `host/`, what an effect does in `effects/`.
 */

import { AgentServerError, ErrorCode, eventsExpired, runNotActive, runNotFound, threadNotFound } from '../errors.js';
import type { JsonObject } from '../json.js';
import * as keys from '../store/keys.js';
import { hasLog } from '../store/log.js';
import { AuditAction } from './audit/action.js';
import { AuditLog } from './audit/audit-log.js';
import { noted, type Note } from './audit/note.js';
import { Backups } from './backup.js';
import { watchPerformer, type DelegationPort } from './effects/delegation.js';
import { askRemote } from './effects/ask-remote.js';
import { executePerformer } from './effects/execute.js';
import { inferPerformer } from './effects/infer.js';
import { threadState } from './effects/thread-state.js';
import { ordinalIn } from './entry-id.js';
import type {
  Answers,
  BackupReport,
  Command,
  EventReader,
  HostedEngine,
  Listed,
  ListQuery,
  MessageRange,
  Page,
  Principal,
  RunClaim,
  StartRequest,
  ThreadView,
} from './engine.js';
import { runOf } from './host/apply.js';
import type { Draft } from './host/draft.js';
import type { Performers } from './host/effects.js';
import { Family } from './host/family.js';
import { MailboxPurge } from './host/mailbox-purge.js';
import { errandsOf } from './host/errands.js';
import { Outbox } from './host/outbox.js';
import { LogReader } from './host/reader.js';
import { Removal } from './host/removal.js';
import { loadMessages, loadThreadView } from './host/rows.js';
import { Runtime, type RuntimeParts } from './host/runtime.js';
import type { ThreadHost } from './host/thread-host.js';
import type { Inspection } from './inspection.js';
import type { EngineMeters } from './meters.js';
import { Pages } from './lists/pages.js';
import { metersOf } from './live/meters.js';
import { inspectorOf } from './live/wiring.js';
import type { Inspector } from './live/inspector.js';
import { Pushes } from './push/push.js';
import type { DeliverPush, PushConfig } from './push/types.js';
import type { Message, RunRecord } from './records.js';
import { decide } from './requests/decide.js';
import { Starter } from './requests/starter.js';
import { cancelRun, interruptThread } from './requests/stop.js';
import { ThreadCommands } from './requests/thread-commands.js';
import { LogKeeper } from './retention/keeper.js';

export class EmbeddedEngine implements HostedEngine {
  #status: HostedEngine['status'] = 'starting';
  readonly #runtime: Runtime;
  readonly #starter: Starter;
  readonly #outbox: Outbox;
  readonly #pushes: Pushes;
  readonly #family: Family;
  readonly #threads: ThreadCommands;
  readonly #pages: Pages;
  readonly #inspector: Inspector;
  readonly #meters: () => EngineMeters;
  readonly #removal: Removal;
  readonly #purge: MailboxPurge;
  readonly #keeper: LogKeeper;
  readonly #backups: Backups;
  readonly #audit: AuditLog;
  /** Calls from outside that have not been answered. */
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(
    private readonly parts: RuntimeParts & {
      events_ms: number | null;
      backup_dir: string | null;
      deliverPush: DeliverPush | null;
    },
  ) {
    const { clock, journal, logger, readStore: store } = parts;
    this.#runtime = new Runtime(parts, {
      performers: (host) => this.#performers(host),
      loaded: (host) => this.#loaded(host),
      committed: (host) => this.#outbox.dispatch(host),
      buried: (tno) => this.#removal.add(tno),
      ended: (rno, run) => this.#family.ended(rno, run),
    });
    this.#starter = new Starter(this.#runtime);
    const start = (start: Parameters<Starter['startElsewhere']>[0]) => this.#starter.startElsewhere(start);
    const errands = errandsOf({ start, agents: parts.agents, store, deliverPush: parts.deliverPush });
    this.#outbox = new Outbox({ errands, clock, logger, change: (tno, change) => this.#change(tno, change) });
    this.#pushes = new Pushes(this.#runtime, parts.deliverPush !== null);
    const cancel = (run_id: string) => this.#cancel(run_id, 'the parent run has ended');
    this.#family = new Family({ store, logger, cancel, readRun: (run_id) => this.#readRun(run_id) });
    this.#threads = new ThreadCommands(this.#runtime, this.#starter);
    this.#pages = new Pages({
      lists: this.#runtime.lists,
      store,
      threadOrdinal: (thread_id) => this.#runtime.threadOrdinal(thread_id),
    });
    this.#audit = new AuditLog({ store, commit: (ops) => journal.commit(ops), numbers: this.#runtime.ledger });
    this.#inspector = inspectorOf(this.#runtime, this.#audit);
    this.#meters = metersOf(this.#runtime, () => this.#inspector.stats().db_bytes);
    this.#removal = new Removal({
      store,
      commit: (ops) => this.#runtime.commit(ops),
      clock,
      logger,
      errands,
      stopChildren: (rno) => this.#family.stopChildren(rno),
      reserve: (run_id) => this.#starter.reserve(run_id),
      removed: (tno) => this.#runtime.graves.delete(tno),
    });
    this.#purge = new MailboxPurge({ store, journal, clock, logger });
    this.#backups = new Backups({ store, journal, clock, root: parts.backup_dir });
    this.#keeper = new LogKeeper({
      store,
      journal,
      clock,
      logger,
      events_ms: parts.events_ms,
      isBuried: (tno) => this.#runtime.graves.has(tno),
      expired: (rno) => this.#runtime.feeds.forgetEnded(rno),
    });
  }

  get status(): HostedEngine['status'] {
    return this.#status;
  }

  /** Figures for operators and tests. */
  get gauges(): Runtime['gauges'] {
    return this.#runtime.gauges;
  }

  /** Ids of the threads in memory, idle ones too; for tests of what leaves it. */
  get threadsInMemory(): string[] {
    return Array.from(this.#runtime.threads.all(), ({ thread_id }) => thread_id);
  }

  /** Reads what is open and lets requests in; recovery goes on in the background. */
  async start(): Promise<void> {
    await this.#runtime.open();
    this.#purge.start();
    this.#keeper.start();
    this.#status = 'ready';
  }

  async close(grace_ms = 5_000): Promise<void> {
    if (this.#status === 'stopping' || this.#status === 'stopped') return;
    this.#status = 'stopping';
    this.#outbox.close();
    await Promise.all([this.#removal.close(), this.#purge.close(), this.#keeper.close(), this.#backups.close()]);
    await this.#runtime.close(grace_ms, () => Promise.allSettled(this.#underWay));
    this.#status = 'stopped';
  }

  deliver<T extends Command['type']>(
    command: Extract<Command, { type: T }>,
    principal?: Principal,
  ): Promise<Answers[T]> {
    return this.#whenReady(() => this.#dispatch(command, this.#audit.note(command, principal))) as Promise<Answers[T]>;
  }

  claimRun(run_id: string, body_hash: string): Promise<RunClaim> {
    return this.#whenReady(() => this.#starter.claim(run_id, body_hash));
  }

  read(ref: { kind: 'run'; run_id: string }): Promise<RunRecord | undefined>;
  read(ref: { kind: 'entry_run'; entry_id: string }): Promise<RunRecord | undefined>;
  read(ref: { kind: 'thread'; thread_id: string }): Promise<ThreadView | undefined>;
  read(ref: { kind: 'messages'; thread_id: string } & MessageRange): Promise<Message[] | undefined>;
  read(ref: { kind: 'push'; run_id: string }): Promise<PushConfig[] | undefined>;
  read(ref: { kind: 'state'; thread_id: string }): Promise<JsonObject | undefined>;
  read(ref: ReadRef): Promise<unknown> {
    return this.#whenReady(() => this.#read(ref));
  }

  async #readRun(run_id: string): Promise<RunRecord | undefined> {
    return (await this.#runtime.locate(run_id))?.record;
  }

  async #readEntryRun(entry_id: string): Promise<RunRecord | undefined> {
    const rno = ordinalIn(entry_id);
    const row = rno === undefined ? undefined : await this.parts.readStore.get(keys.run(rno));
    const { run_id, source_mailbox_entry_id } = (row === undefined ? {} : JSON.parse(row)) as Partial<RunRecord>;
    return source_mailbox_entry_id === entry_id ? this.#readRun(run_id!) : undefined;
  }

  async #read(ref: ReadRef): Promise<unknown> {
    const { readStore } = this.parts;
    if (ref.kind === 'run') return this.#readRun(ref.run_id);
    if (ref.kind === 'push') return this.#pushes.read(ref.run_id);
    if (ref.kind === 'entry_run') return this.#readEntryRun(ref.entry_id);
    const tno = await this.#runtime.threadOrdinal(ref.thread_id);
    if (tno === undefined) return undefined;
    if (ref.kind === 'messages') return loadMessages(readStore, tno, ref);
    if (ref.kind === 'thread') return loadThreadView(readStore, tno);
    const state = await readStore.get(keys.state(tno));
    return state === undefined ? {} : (JSON.parse(state) as JsonObject);
  }

  readEvents(run_id: string, after: number): Promise<EventReader> {
    return this.#whenReady(() => this.#readEvents(run_id, after));
  }

  async #readEvents(run_id: string, after: number): Promise<EventReader> {
    const found = await this.#runtime.locate(run_id);
    if (!found) throw runNotFound(run_id);
    const { record, rno, tno } = found;
    const { feeds, threads } = this.#runtime;
    const host = record.status === 'done' ? undefined : await threads.byOrdinal(tno);
    const feed = (host && feeds.of(rno, host)) ?? feeds.recent(rno)?.feed;
    if (!feed && record.status === 'done' && !(await hasLog(this.parts.readStore, rno))) throw eventsExpired();
    return new LogReader(record, rno, after, this.parts.readStore, feed);
  }

  list<K extends ListQuery['kind']>(
    query: Extract<ListQuery, { kind: K }> & { offset: number; limit: number },
  ): Promise<Page<Listed[K]>> {
    return this.#whenReady(() => this.#pages.page(query)) as Promise<Page<Listed[K]>>;
  }

  meters(): EngineMeters {
    return this.#meters();
  }

  inspect(): Inspection {
    if (this.#status !== 'ready') throw notReady();
    return this.#inspector;
  }

  backup(dir: string, principal?: Principal): Promise<BackupReport> {
    return this.#whenReady(async () => {
      await this.#audit.intend(AuditAction.backup, this.parts.clock.now(), principal);
      return this.#backups.make(dir);
    });
  }

  /** Before it is ready and from its closing on, the engine does nothing for anybody outside (CONTRACT 0.8). */
  #whenReady<T>(operation: () => Promise<T>): Promise<T> {
    if (this.#status === 'ready') return this.#track(operation());
    return Promise.reject(notReady());
  }

  /** The store stays open for what was begun before the closing: it ends as it would have, or is refused in a word. */
  #track<T>(answer: Promise<T>): Promise<T> {
    this.#underWay.add(answer);
    const settle = (): void => void this.#underWay.delete(answer);
    answer.then(settle, settle);
    return answer;
  }

  #dispatch(command: Command, note?: Note): Promise<unknown> {
    switch (command.type) {
      case 'start':
        return this.#start(command.start, note);
      case 'cancel':
        return this.#cancel(command.run_id, command.detail ?? null, note);
      case 'decide':
        return this.#withRun(
          command.run_id,
          (draft, host) => decide(draft, command.run_id, command.decisions, { next: host.nextToken }),
          // Decisions that were applied before are acknowledged also when the run has ended (CONTRACT 11).
          { mayBeDone: true, note },
        );
      case 'interrupt':
        return this.#interrupt(command.thread_id, note);
      case 'set_push':
      case 'delete_push':
      case 'retry_push':
        return this.#pushes.dispatch(command, note);
      default:
        return this.#threads.dispatch(command, note);
    }
  }

  #start(start: StartRequest, note: Note | undefined): Promise<Answers['start']> {
    const { run_id } = start;
    if (run_id === undefined || this.#starter.takesClaim(run_id)) return this.#starter.start(start, note);
    return this.#starter.startNamed({ ...start, run_id }, note);
  }

  #cancel(run_id: string, detail: string | null, note?: Note): Promise<{ run: RunRecord }> {
    const cancel = (draft: Draft, { tno, nextToken: next }: ThreadHost): void =>
      cancelRun(draft, run_id, detail, { tno, next });
    return this.#withRun(run_id, cancel, { note });
  }

  async #withRun(
    run_id: string,
    handle: (draft: Draft, host: ThreadHost) => void,
    { mayBeDone = false, note }: { mayBeDone?: boolean; note: Note | undefined },
  ): Promise<{ run: RunRecord }> {
    const found = await this.#runtime.locate(run_id);
    if (!found) throw runNotFound(run_id);
    if (found.record.status === 'done' && !mayBeDone) throw runNotActive();
    const answer = await this.#runtime.withThread(
      ({ threads }) => threads.byOrdinal(found.tno),
      (host) =>
        host.request(
          noted(note, host, (draft) => {
            handle(draft, host);
            return () => ({ run: host.cells.get(`r${found.rno}`) ?? found.record });
          }),
        ),
    );
    if (!answer) throw runNotFound(run_id);
    return answer;
  }

  /** A change of a thread that no caller waits for. */
  #change(tno: number, change: (draft: Draft) => void): Promise<ThreadHost | undefined> {
    return this.#runtime.withThread(
      ({ threads }) => threads.byOrdinal(tno),
      (host) =>
        host.request((draft) => {
          change(draft);
          return () => host;
        }),
    );
  }

  async #interrupt(thread_id: string, note: Note | undefined): Promise<Answers['interrupt']> {
    const answer = await this.#runtime.withThread(
      ({ threads }) => threads.byId(thread_id, { create: false }),
      (host) =>
        host.request(
          noted(note, host, (draft) => {
            if (!draft.get('thread')) throw threadNotFound(thread_id);
            const result = interruptThread(draft, { tno: host.tno, next: host.nextToken });
            return () => result;
          }),
        ),
    );
    if (!answer) throw threadNotFound(thread_id);
    return answer;
  }

  #loaded(host: ThreadHost): void {
    this.#outbox.dispatch(host);
    for (const [key, value] of host.cells.values) if (key[0] === 'r') this.#family.loaded(value as RunRecord);
  }

  #performers(host: ThreadHost): Performers {
    const { agents, limits } = this.parts;
    const recordOf = (path: string) => host.cells.get(`r${runOf(path)}`)!;
    return {
      infer: inferPerformer({
        agents,
        runOf: (path) => ({ agent_id: recordOf(path).agent_id, overrides: host.cells.get(`x${runOf(path)}`) }),
        history: () => this.#runtime.history(host),
        idle_timeout_ms: limits.model_idle_ms,
        tool_timeout_ms: limits.tool_timeout_ms,
        askRemote: (question, context) =>
          askRemote(question, context, { host, idle_timeout_ms: limits.model_idle_ms, logger: this.parts.logger }),
      }),
      execute: executePerformer({
        agents,
        runOf: recordOf,
        delegation: this.#delegation,
        stateFor: (address) => threadState(host, address),
      }),
      watch: watchPerformer(this.#delegation),
    };
  }

  /** The doors that delegating agents use are those of everybody else. */
  readonly #delegation: DelegationPort = {
    start: (start) => this.#starter.startNamed(start),
    decide: (run_id, decisions) => this.#dispatch({ type: 'decide', run_id, decisions }),
    cancel: (run_id, detail) => this.#cancel(run_id, detail),
    readRun: (run_id) => this.#readRun(run_id),
    readEvents: (run_id, after) => this.#readEvents(run_id, after),
    responseOf: async ({ thread_id, run_id }) => {
      const messages = ((await this.#read({ kind: 'messages', thread_id })) ?? []) as Message[];
      const said = messages.findLast((m) => m.run_id === run_id && m.role === 'assistant' && m.content !== '');
      return said?.content ?? null;
    },
  };
}

const notReady = (): AgentServerError =>
  new AgentServerError(ErrorCode.notInitialised, 'run service is not initialised');

type ReadRef =
  | { kind: 'run'; run_id: string }
  | { kind: 'push'; run_id: string }
  | { kind: 'entry_run'; entry_id: string }
  | { kind: 'thread' | 'state'; thread_id: string }
  | ({ kind: 'messages'; thread_id: string } & MessageRange);
