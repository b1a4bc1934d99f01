/**
 * Removes the rows of deleted threads, in the background and in small commits (DESIGN "Delete").
 *
 * A thread is deleted by one commit that takes its name away and leaves a row saying so (family G); from then on nobody
 * finds anything of it. What is left are rows, and this job removes them. It may stop anywhere: the G row goes last, and
 * whoever opens the store next begins again. Before the rows go, what the thread owed others is done: messages it had
 * for other threads are delivered, children of its runs are stopped.
 *
 * A run id of a deleted thread may be taken anew at once. So its name row is removed under the same reservation that
 * starts use, and only if it still means the old run.
 */

import { AgentServerError, ErrorCode } from '../../errors.js';
import * as keys from '../../store/keys.js';
import type { Key, Op, Range, Store } from '../../store/port.js';
import { pause, type Clock } from '../time/clock.js';
import type { OutboxCell } from '../thread/cells.js';
import type { Errands } from './errands.js';
import { delLateOutcome } from './late-outcomes.js';
import type { Logger } from '../logger.js';
import { delRow, type RunName, type RunRow } from '../thread/rows.js';

export type RemovalPort = {
  store: Pick<Store, 'get' | 'range'>;
  /** Makes operations durable. */
  commit(ops: readonly Op[]): Promise<void>;
  clock: Clock;
  logger: Logger;
  /** What the thread still had for the world outside. */
  errands: Pick<Errands, 'run'>;
  /** Ends the runs that the run had others do. */
  stopChildren(rno: number): Promise<void>;
  /** Keeps everybody else from using a run id; the answer ends that. */
  reserve(run_id: string): Promise<() => void>;
  /** Nothing of the thread is left. */
  removed(tno: number): void;
};

/** Rows removed by one commit. */
const PIECE = 256;
const RETRY_MS = 1_000;
const FOR_GOOD = new Set<ErrorCode>([ErrorCode.conflict, ErrorCode.agentNotFound, ErrorCode.badRequest]);

export class Removal {
  #waiting: number[] = [];
  #work: Promise<void> | null = null;
  readonly #stop = new AbortController();

  constructor(private readonly port: RemovalPort) {}

  /** The thread's deletion is durable. */
  add(tno: number): void {
    this.#waiting.push(tno);
    this.#work ??= this.#run().finally(() => (this.#work = null));
  }

  /** Resolves when everything that was added has been removed. */
  async idle(): Promise<void> {
    while (this.#work) await this.#work;
  }

  /** Stops behind the commit under way; the rest is removed after the next start. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#work;
  }

  get #closed(): boolean {
    return this.#stop.signal.aborted;
  }

  async #run(): Promise<void> {
    for (let tno = this.#waiting[0]; tno !== undefined && !this.#closed; tno = this.#waiting[0]) {
      try {
        await this.#remove(tno);
        if (this.#closed) return;
        this.#waiting.shift();
        this.port.removed(tno);
      } catch (error) {
        if (this.#closed) return;
        this.#waiting.push(this.#waiting.shift()!);
        this.port.logger.warn({ err: error, tno }, 'the rows of a deleted thread could not be removed yet');
        await pause(this.port.clock, RETRY_MS, this.#stop.signal);
      }
    }
  }

  async #remove(tno: number): Promise<void> {
    const { store } = this.port;
    for await (const [key, value] of store.range(keys.outboxOf(tno))) {
      await this.#send(JSON.parse(value) as OutboxCell);
      await this.port.commit([delRow(key)]);
    }
    for await (const [key] of store.range(keys.runsOfThread(tno))) {
      if (this.#closed) return;
      await this.#removeRun(tno, keys.indexedOf(key));
    }
    for (const range of [keys.historyOf(tno), keys.deadLettersOf(tno), keys.messagesOf(tno), keys.deadPushesOf(tno)])
      await this.#clear(range);
    if (!this.#closed) await this.port.commit([delRow(keys.state(tno)), delRow(keys.grave(tno))]);
  }

  /** What will be refused for good is not worth another attempt, and nobody waits for a remote of a thread that is gone. */
  async #send(cell: OutboxCell): Promise<void> {
    await this.port.errands.run(cell).catch((error: unknown) => {
      if ('start' in cell && !(error instanceof AgentServerError && FOR_GOOD.has(error.code))) throw error;
    });
  }

  async #removeRun(tno: number, rno: number): Promise<void> {
    await this.port.stopChildren(rno);
    await this.#clear(keys.logOf(rno));
    await this.#clear(keys.runsOfParent(rno));
    await this.#clear(keys.lateOutcomesOf(rno), delLateOutcome);
    if (this.#closed) return;
    const stored = await this.port.store.get(keys.run(rno));
    // The log may be folded at this moment, in a commit that was made before the thread was gone.
    const rest = [
      keys.foldedLog(rno),
      keys.overrides(rno),
      keys.push(rno),
      keys.run(rno),
      keys.runOfThread(tno, rno),
    ].map(delRow);
    if (stored === undefined) return this.port.commit(rest);
    const { run_id, parent_run_id, updated_at } = JSON.parse(stored) as RunRow;
    rest.push(delRow(keys.ended(updated_at, rno)));
    const parent = parent_run_id === null ? undefined : await this.#nameOf(parent_run_id);
    if (parent) rest.push(delRow(keys.runOfParent(parent.rno, rno)));
    const free = await this.port.reserve(run_id);
    try {
      if ((await this.#nameOf(run_id))?.rno === rno) rest.push(delRow(keys.runName(run_id)));
      await this.port.commit(rest);
    } finally {
      free();
    }
  }

  async #nameOf(run_id: string): Promise<RunName | undefined> {
    const row = await this.port.store.get(keys.runName(run_id));
    return row === undefined ? undefined : (JSON.parse(row) as RunName);
  }

  async #clear(range: Range, removing: (key: Key) => Op[] = (key) => [delRow(key)]): Promise<void> {
    let piece: Op[] = [];
    for await (const [key] of this.port.store.range(range)) {
      if (this.#closed) return;
      if (piece.push(...removing(key)) < PIECE) continue;
      await this.port.commit(piece);
      piece = [];
    }
    if (piece.length > 0 && !this.#closed) await this.port.commit(piece);
  }
}
