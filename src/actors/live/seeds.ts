/**
 * The live actors that the store had when the engine was opened, until they stand in the index.
 *
 * Recovery meets the rows of actors first, and only those; what stands beside them (the thread's and the runs' records)
 * is read in the background, in pieces. A thread on which something is committed meanwhile has told all of itself:
 * its seed is forgotten.
 */

import * as keys from '../../store/keys.js';
import type { Store } from '../../store/port.js';
import type { ActorRow, RunRow, ThreadRow } from '../thread/rows.js';
import type { StateValue } from '../inspection.js';
import { machines, type ActorKind } from '../machines/index.js';
import type { RunRecord } from '../records.js';
import { newFamily } from './actor.js';
import { actorOf, byPlace, type Facts, type Known } from './build.js';
import type { LiveIndex } from './live-index.js';

/** Threads whose records are read at once. */
const PIECE = 256;

export class Seeds {
  readonly #threads = new Map<number, Known[]>();

  /** A stored actor. A row that this build cannot read is none: its run is about to be ended. */
  found(tno: number, path: string, { machine, value, since, context }: ActorRow): void {
    const [kind, version] = machine.split('@') as [ActorKind, string];
    if (!Object.hasOwn(machines, kind) || machines[kind].version !== Number(version)) return;
    this.#of(tno).push({ path, kind, value: value as StateValue, since, context });
  }

  /** Something is queued on the thread. */
  foundQueued(tno: number): void {
    this.#of(tno);
  }

  /** The thread has told of itself, or is gone. */
  forget(tno: number): void {
    this.#threads.delete(tno);
  }

  /** Reads what is missing, unless `isWanted` says no on the way; may be called again when it failed. */
  async read(store: Pick<Store, 'getMany'>, index: LiveIndex, isWanted: () => boolean): Promise<void> {
    while (this.#threads.size > 0 && isWanted()) {
      const piece = [...this.#threads.keys()].slice(0, PIECE);
      const runs = piece.flatMap((tno) =>
        this.#threads
          .get(tno)!
          .filter(isRun)
          .map(({ path }) => Number(path)),
      );
      const [threadRows, runRows] = await Promise.all([
        store.getMany(piece.map(keys.thread)),
        store.getMany(runs.map(keys.run)),
      ]);
      const records = new Map(runs.map((rno, i) => [rno, parsed<RunRow>(runRows[i])]));
      piece.forEach((tno, i) => this.#plant(tno, parsed<ThreadRow>(threadRows[i]), records, index));
    }
  }

  #plant(
    tno: number,
    row: ThreadRow | undefined,
    records: ReadonlyMap<number, RunRecord | undefined>,
    index: LiveIndex,
  ): void {
    const known = this.#threads.get(tno);
    this.#threads.delete(tno);
    if (!known || !row) return;
    const { actor: thread, thread_id, created_at, updated_at, queued_count, since = updated_at } = row;
    const family = newFamily(tno, thread_id);
    family.queued = queued_count;
    index.keep(family);
    const facts: Facts = { created_at, recordOf: (rno) => records.get(rno) };
    const own: Known = { path: '', kind: 'thread', value: thread.value as StateValue, since, context: thread.context };
    for (const one of [own, ...known.sort(byPlace)]) {
      const actor = actorOf(family, one, facts);
      if (actor) index.add(family, actor);
    }
  }

  #of(tno: number): Known[] {
    let known = this.#threads.get(tno);
    if (!known) this.#threads.set(tno, (known = []));
    return known;
  }
}

const isRun = ({ kind }: Known): boolean => kind === 'run';

const parsed = <T>(row: string | undefined): T | undefined => (row === undefined ? undefined : (JSON.parse(row) as T));
