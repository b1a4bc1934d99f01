/**
 * The one writer of a store: gathers the commits of all threads into batches, and knows what to do when one fails.
 *
 * What callers may rely on:
 * - A commit is atomic, is never split over batches, and is durable when its promise resolves. Commits resolve in the
 *   order they were made.
 * - While a batch is being written the commits that arrive form the next one. There is no timer: a commit made while
 *   nothing is written goes out at the end of the turn, with all others of that turn.
 * - `storage_unavailable` from `commit`: made while the journal was degraded or closed, nothing was written. The same for
 *   a commit that waited behind a failed batch; it is told when the store is open again.
 * - A failed batch is UNKNOWN until the store has been opened anew; its commits wait. Each batch writes its number into
 *   one row, so the reopened store tells exactly whether it landed (they resolve) or not (they reject).
 *   They reject without that knowledge only when the journal is closed while it is degraded.
 * - `status` is `open`, `degraded` (from a failed batch until the reopened store has answered) or `closed`.
 *
 * Why no retry on the same handle: LevelDB acknowledges writes behind a torn record and loses them at the next start.
 */

import { storageUnavailable } from '../errors.js';
import { type Clock, systemClock } from './clock.js';
import { boundlessDisk, type DiskGuard } from './disk.js';
import { AcknowledgedWritesLost } from './errors.js';
import { type Cap, groupSize } from './group.js';
import { meta } from './keys.js';
import { type JournalStats, Meter } from './meter.js';
import type { Op, Store } from './port.js';
import { reopenWhenPossible } from './reopen.js';

/** Whether commits are written. */
export const JournalStatus = {
  /** Commits are written. */
  open: 'open',
  /** A batch failed and its outcome is unknown; commits are refused until the store has been opened anew. */
  degraded: 'degraded',
  /** For good. */
  closed: 'closed',
} as const;
export type JournalStatus = (typeof JournalStatus)[keyof typeof JournalStatus];

/**
 * `cause`: the error of the failed batch (degraded); `AcknowledgedWritesLost` (closed) when the journal has closed itself
 * because the disk has taken back what was acknowledged. Must not throw.
 */
export type StatusListener = (status: JournalStatus, cause?: unknown) => void;

export interface JournalOptions {
  disk?: DiskGuard;
  clock?: Clock;
  /** Largest group; a commit beyond it goes alone. */
  cap?: Cap;
  /** Bytes that may wait to be written before `accepting` says no. */
  maxWaiting?: number;
}

type Commit = {
  ops: readonly Op[];
  bytes: number;
  at: number;
  resolve: () => void;
  reject: (error: unknown) => void;
};

type Turn = 'idle' | 'scheduled' | 'writing';
type Degraded = { is: 'degraded'; group: Commit[]; cause: unknown; stop: AbortController };
type State =
  | { is: 'open'; turn: Turn }
  /** `close` was called: what is queued is still written. */
  | { is: 'closing'; turn: Turn }
  | Degraded
  | { is: 'closed'; cause?: unknown };

const BATCH_ROW = meta('batch');

export class Journal {
  #state: State = { is: 'open', turn: 'idle' };
  #queue: Commit[] = [];
  readonly #meter = new Meter();
  readonly #listeners = new Set<StatusListener>();
  readonly #closed: Promise<void>;
  #tellClosed: () => void = () => {};

  private constructor(
    private readonly store: Store,
    /** The number in the batch row: that of the last batch known to be durable. */
    private written: number,
    private readonly options: Required<JournalOptions>,
  ) {
    this.#closed = new Promise((resolve) => {
      this.#tellClosed = resolve;
    });
  }

  /** Opens the journal of a store of which nobody else is a writer. It does not own the store: close that afterwards. */
  static async open(store: Store, options: JournalOptions = {}): Promise<Journal> {
    return new Journal(store, numberOf(await store.get(BATCH_ROW)), {
      disk: boundlessDisk,
      clock: systemClock,
      cap: { ops: 1000, bytes: 1024 * 1024 },
      maxWaiting: 64 * 1024 * 1024,
      ...options,
    });
  }

  get status(): JournalStatus {
    return this.#state.is === 'closing' ? JournalStatus.closed : this.#state.is;
  }

  /** Whether new work may begin: the journal is open, the disk has room and not too much waits to be written. */
  accepting(): boolean {
    return (
      this.#state.is === 'open' && this.#meter.waitingBytes < this.options.maxWaiting && this.options.disk.hasRoom()
    );
  }

  /** Calls the listener at each change of `status`, after the commits it settles. Returns how to stop that. */
  onStatus(listener: StatusListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Makes the operations durable, all or none. Without operations it resolves when all earlier commits are durable.
   * Rejects with `storage_unavailable` (see above) or, for an operation that is none, with a TypeError.
   */
  commit(ops: readonly Op[]): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#state.is !== 'open') throw storageUnavailable('cause' in this.#state ? this.#state.cause : undefined);
      const commit: Commit = { ops, bytes: bytesOf(ops), at: this.options.clock.now(), resolve, reject };
      this.#meter.made(commit);
      this.#queue.push(commit);
      this.#wake();
    });
  }

  /** Refuses new commits and resolves when those made before have been settled. */
  close(): Promise<void> {
    const state = this.#state;
    if (state.is === 'open') {
      this.#state = { is: 'closing', turn: state.turn };
      this.#wake();
    } else if (state.is === 'degraded') {
      state.stop.abort();
      this.#end(state.group, state.cause);
    }
    return this.#closed;
  }

  stats(): JournalStats {
    return this.#meter.stats();
  }

  /** Sees to it that what is queued will be written: at the end of this turn, or behind the batch under way. */
  #wake(): void {
    const state = this.#state;
    if ((state.is !== 'open' && state.is !== 'closing') || state.turn !== 'idle') return;
    if (this.#queue.length > 0) {
      state.turn = 'scheduled';
      setImmediate(() => void this.#flush());
    } else if (state.is === 'closing') this.#end([]);
  }

  async #flush(): Promise<void> {
    this.#turn('writing');
    const group = this.#queue.splice(0, groupSize(this.#queue, this.options.cap));
    const ops: Op[] = [];
    for (const commit of group) for (const op of commit.ops) ops.push(op);
    ops.push({ type: 'put', key: BATCH_ROW, value: String(this.written + 1) });
    try {
      await this.store.batch(ops);
    } catch (cause) {
      this.#failed(group, cause);
      return;
    }
    this.written += 1;
    this.#landed(group);
    this.#turn('idle');
    this.#wake();
  }

  #turn(turn: Turn): void {
    if (this.#state.is === 'open' || this.#state.is === 'closing') this.#state.turn = turn;
  }

  #landed(group: Commit[]): void {
    this.#meter.landed(group, this.options.clock.now());
    for (const commit of group) {
      this.#meter.settled(commit);
      commit.resolve();
    }
  }

  #refused(commits: Commit[], cause: unknown): void {
    for (const commit of commits) {
      this.#meter.settled(commit);
      commit.reject(storageUnavailable(cause));
    }
  }

  #failed(group: Commit[], cause: unknown): void {
    this.#meter.failed();
    if (this.#state.is === 'closing') return this.#end(group, cause);
    const degraded: Degraded = { is: 'degraded', group, cause, stop: new AbortController() };
    this.#state = degraded;
    void this.#recover(degraded);
    this.#tell(cause);
  }

  async #recover({ group, cause, stop }: Degraded): Promise<void> {
    const { disk, clock } = this.options;
    const row = await reopenWhenPossible(this.store, disk, clock, stop.signal, () => this.store.get(BATCH_ROW));
    if (stop.signal.aborted) return; // `close` has settled everything.
    const found = numberOf(row);
    if (found !== this.written && found !== this.written + 1) {
      const message = `the store holds batch ${found}, batch ${this.written} was acknowledged`;
      const lost = new AcknowledgedWritesLost(message, { cause });
      return this.#end(group, lost, lost);
    }
    if (found === this.written) this.#refused(group, cause);
    else this.#landed(group);
    this.written = found;
    this.#refused(this.#queue.splice(0), cause);
    this.#state = { is: 'open', turn: 'idle' };
    void disk.restore();
    this.#tell();
  }

  /** `fatal`: why nobody asked for this end. */
  #end(group: Commit[], cause?: unknown, fatal?: AcknowledgedWritesLost): void {
    this.#refused(group, cause);
    this.#refused(this.#queue.splice(0), cause);
    this.#state = { is: 'closed', cause };
    this.#tellClosed();
    this.#tell(fatal);
  }

  #tell(cause?: unknown): void {
    for (const listener of this.#listeners) listener(this.status, cause);
  }
}

const numberOf = (row: string | undefined): number => (row === undefined ? 0 : Number(row));

/** About what the operations weigh in the log. Refuses what LevelDB would refuse: it would fail the whole group. */
function bytesOf(ops: readonly Op[]): number {
  let bytes = 0;
  for (const op of ops) {
    if (!Buffer.isBuffer(op.key) || op.key.length === 0) throw new TypeError('a key is a buffer that is not empty');
    bytes += op.key.length;
    if (op.type === 'del') continue;
    if (typeof op.value !== 'string') throw new TypeError('a value is JSON text');
    bytes += op.value.length;
  }
  return bytes;
}
