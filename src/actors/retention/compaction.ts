/**
 * Folds the logs of runs that have ended, in the order of their ends (DESIGN "the log").
 *
 * A run is either folded or not: its chunks go and its folded log comes in one commit. How far the job has come is a row
 * of the same commit, so it goes on where it was, whatever happened. A run is left alone for a while after its end: until
 * then its chunks are what readers have at hand, and every commit that was under way when it ended has landed.
 */

import type { Journal } from '../../store/journal.js';
import * as keys from '../../store/keys.js';
import type { Op, Store } from '../../store/port.js';
import type { Clock } from '../time/clock.js';
import type { Logger } from '../logger.js';
import { putRow } from '../thread/rows.js';
import { foldRun } from './fold.js';

export type CompactionPort = {
  store: Pick<Store, 'get' | 'getMany' | 'range'>;
  journal: Pick<Journal, 'commit' | 'accepting'>;
  clock: Clock;
  logger: Logger;
  /** The thread is deleted: its rows are being removed. */
  isBuried(tno: number): boolean;
};

/** A run is folded no sooner than this after its end. */
export const QUIET_MS = 60_000;
/** Runs folded by one commit, and operations after which it takes no more of them. */
const PIECE = 16;
const MAX_OPS = 256;

type Place = [at: number, rno: number];

const PLACE_ROW = keys.meta('folded');

export class Compaction {
  /** The run to go on with; null until the first piece has read it. */
  #next: Place | null = null;

  constructor(private readonly port: CompactionPort) {}

  /** Folds some runs. Whether there are more to be folded now. */
  async piece(): Promise<boolean> {
    const { store, clock, journal } = this.port;
    if (!journal.accepting()) return false; // Folding needs room before it gives any back.
    const from = (this.#next ??= await this.#stored());
    const folds: { tno: number; ops: Op[] }[] = [];
    let next: Place | null = null;
    let looked = 0;
    let size = 0;
    for await (const [key, value] of store.range({ ...keys.endedBefore(clock.now() - QUIET_MS, from), limit: PIECE })) {
      if (size > MAX_OPS) break;
      const [at, rno] = keys.parsePair(key);
      const ops = await this.#fold(rno);
      folds.push({ tno: Number(value), ops });
      next = [at, rno + 1];
      looked += 1;
      size += ops.length;
    }
    if (!next) return false;
    // Nothing is written behind the back of those who remove the rows of a deleted thread.
    const ops = folds.flatMap((fold) => (this.port.isBuried(fold.tno) ? [] : fold.ops));
    if (ops.length > 0) await journal.commit([...ops, putRow(PLACE_ROW, next)]);
    this.#next = next;
    return looked === PIECE || size > MAX_OPS;
  }

  async #fold(rno: number): Promise<Op[]> {
    const fold = await foldRun(this.port.store, rno);
    if (fold.is === 'inexact') this.port.logger.warn({ rno }, 'a log could not be folded and stays as it is');
    return fold.is === 'folded' ? fold.ops : [];
  }

  /** After the clock was set back, runs end in front of where the job has been: it goes on with those. */
  async #stored(): Promise<Place> {
    const row = await this.port.store.get(PLACE_ROW);
    const [at, rno] = row === undefined ? [0, 0] : (JSON.parse(row) as Place);
    const latest = this.port.clock.now() - QUIET_MS;
    return at <= latest ? [at, rno] : [Math.max(latest, 0), 0];
  }
}
