/**
 * The engine of this process: thread hosts over one journal and one store (`engine.ts` is the contract).
 *
 * Here the parts are put together and opened and closed, and each call goes to the one that answers it: what a command
 * means stands in `requests/`, what is read in `reading.ts` and `lists/`, how a thread steps in `host/`, what an effect
 * does in `effects/`.
 */

import { notInitialised } from '../errors.js';
import type { JsonObject } from '../json.js';
import { AuditAction } from './audit/action.js';
import { AuditLog } from './audit/audit-log.js';
import type { Note } from './audit/note.js';
import { Backups } from './backup.js';
import type { DelegationPort } from './effects/delegation.js';
import { goneOf } from './effects/gone.js';
import { performersOf } from './effects/performers.js';
import type {
  Answers,
  BackupReport,
  Command,
  EventReader,
  HostedEngine,
  Listed,
  ListQuery,
  MessageRange,
  Principal,
  RunClaim,
  StartRequest,
  ThreadView,
} from './engine.js';
import type { Cut, Page } from './page.js';
import type { Draft } from './thread/draft.js';
import { Family } from './host/family.js';
import { MailboxPurge } from './host/mailbox-purge.js';
import { errandsOf } from './host/errands.js';
import { Outbox } from './host/outbox.js';
import { Removal } from './host/removal.js';
import { Runtime, type RuntimeParts } from './host/runtime.js';
import type { ThreadHost } from './thread/thread-host.js';
import type { Inspection } from './inspection.js';
import type { EngineMeters } from './meters.js';
import { Pages } from './lists/pages.js';
import { metersOf } from './live/meters.js';
import { inspectorOf } from './live/wiring.js';
import type { Inspector } from './live/inspector.js';
import { Pushes } from './push/push.js';
import type { DeliverPush, PushConfig } from './push/types.js';
import { Reading, type ReadRef } from './reading.js';
import type { Message, RunRecord } from './records.js';
import { RunCommands } from './requests/run-commands.js';
import { Starter } from './requests/starter.js';
import { ThreadCommands } from './requests/thread-commands.js';
import { LogKeeper } from './retention/keeper.js';

export class EmbeddedEngine implements HostedEngine {
  #status: HostedEngine['status'] = 'starting';
  readonly #runtime: Runtime;
  readonly #starter: Starter;
  readonly #outbox: Outbox;
  readonly #pushes: Pushes;
  readonly #family: Family;
  readonly #runs: RunCommands;
  readonly #threads: ThreadCommands;
  readonly #reading: Reading;
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
      performers: (host) =>
        performersOf(host, {
          ...parts,
          delegation: this.#delegation,
          history: (host) => this.#runtime.history(host),
        }),
      goneOf: (cells, rno) => goneOf(cells, rno, parts.agents),
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
    this.#runs = new RunCommands(this.#runtime);
    this.#reading = new Reading(this.#runtime);
    this.#family = new Family({
      store,
      logger,
      cancel: (run_id) => this.#runs.cancel(run_id, 'the parent run has ended'),
      readRun: (run_id) => this.#reading.run(run_id),
    });
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
    if (this.#status !== 'ready') this.#forgo(command);
    return this.#whenReady(() => this.#noted(command, this.#audit.note(command, principal))) as Promise<Answers[T]>;
  }

  claimRun(run_id: string, body_hash: string): Promise<RunClaim> {
    return this.#whenReady(() => this.#starter.claim(run_id, body_hash));
  }

  read(ref: { kind: 'run'; run_id: string; body_hash?: string }): Promise<RunRecord | undefined>;
  read(ref: { kind: 'entry_run'; entry_id: string }): Promise<RunRecord | undefined>;
  read(ref: { kind: 'thread'; thread_id: string }): Promise<ThreadView | undefined>;
  read(ref: { kind: 'messages'; thread_id: string } & MessageRange): Promise<Message[] | undefined>;
  read(ref: { kind: 'push'; run_id: string }): Promise<PushConfig[] | undefined>;
  read(ref: { kind: 'state'; thread_id: string }): Promise<JsonObject | undefined>;
  read(ref: ReadRef): Promise<unknown> {
    return this.#whenReady(() => this.#reading.read(ref));
  }

  readEvents(run_id: string, after: number): Promise<EventReader> {
    return this.#whenReady(() => this.#reading.events(run_id, after));
  }

  list<K extends ListQuery['kind']>(query: Extract<ListQuery, { kind: K }> & Cut): Promise<Page<Listed[K]>> {
    return this.#whenReady(() => this.#pages.page(query)) as Promise<Page<Listed[K]>>;
  }

  meters(): EngineMeters {
    return this.#meters();
  }

  inspect(): Inspection {
    if (this.#status !== 'ready') throw notInitialised();
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
    return Promise.reject(notInitialised());
  }

  /** The store stays open for what was begun before the closing: it ends as it would have, or is refused in a word. */
  #track<T>(answer: Promise<T>): Promise<T> {
    this.#underWay.add(answer);
    const settle = (): void => void this.#underWay.delete(answer);
    answer.then(settle, settle);
    return answer;
  }

  #noted(command: Command, note: Note | undefined): Promise<unknown> {
    const answer = this.#dispatch(command, note);
    if (note) answer.catch((error: unknown) => note.refused(error));
    return answer;
  }

  #dispatch(command: Command, note?: Note): Promise<unknown> {
    switch (command.type) {
      case 'start':
        return this.#start(command.start, note);
      case 'cancel':
        return this.#runs.cancel(command.run_id, command.detail ?? null, note);
      case 'decide':
        return this.#runs.decide(command.run_id, command, note);
      case 'set_push':
      case 'delete_push':
      case 'retry_push':
        return this.#pushes.dispatch(command, note);
      default:
        return this.#threads.dispatch(command, note);
    }
  }

  /** The command will not be carried out: what was claimed for it is free. */
  #forgo(command: Command): void {
    if (command.type === 'start' && command.start.run_id !== undefined) this.#starter.forgo(command.start.run_id);
  }

  #start(start: StartRequest, note: Note | undefined): Promise<Answers['start']> {
    const { run_id } = start;
    if (run_id === undefined || this.#starter.takesClaim(run_id)) return this.#starter.start(start, note);
    return this.#starter.startNamed({ ...start, run_id }, note);
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

  #loaded(host: ThreadHost): void {
    this.#outbox.dispatch(host);
    for (const [key, value] of host.cells.values) if (key[0] === 'r') this.#family.loaded(value as RunRecord);
  }

  /** The doors that delegating agents use are those of everybody else. */
  readonly #delegation: DelegationPort = {
    start: (start) => this.#starter.startNamed(start),
    decide: (run_id, decisions) => this.#runs.decide(run_id, { decisions }),
    cancel: (run_id, detail) => this.#runs.cancel(run_id, detail),
    readRun: (run_id) => this.#reading.run(run_id),
    readEvents: (run_id, after) => this.#reading.events(run_id, after),
    responseOf: async ({ thread_id, run_id }) => {
      const messages = (await this.#reading.messages(thread_id)) ?? [];
      const said = messages.findLast((m) => m.run_id === run_id && m.role === 'assistant' && m.content !== '');
      return said?.content ?? null;
    },
  };
}
