/**
 * Follows the commits: which actors are live, and the feed of what happens to them.
 *
 * It is told after each commit, so an operator never sees what a crash can take back. A commit without transitions, as
 * that of a delta, costs next to nothing. After a restart the actors come back from their rows (`seeds.ts`); transitions
 * and the feed begin anew.
 */

import { notInitialised } from '../../errors.js';
import type { Store } from '../../store/port.js';
import { canonicalEvents, type LogChunk } from '../events.js';
import type { ActorRow } from '../thread/rows.js';
import type { FeedEntry } from '../inspection.js';
import type { RunRecord } from '../records.js';
import { report, type Family } from './actor.js';
import { follow, type CommittedStep } from './follow.js';
import { LiveIndex } from './live-index.js';
import { Pulse } from './pulse.js';
import { FeedRing } from './ring.js';
import { Seeds } from './seeds.js';
import { Tally } from './tally.js';
import { tell } from './tell.js';

export class Live {
  readonly index: LiveIndex;
  readonly feed: FeedRing;
  readonly pulse = new Pulse();
  readonly tally = new Tally();
  readonly #seeds = new Seeds();
  #whole: () => void = () => {};
  #giveUp: (error: Error) => void = () => {};
  /** Resolves when every actor that was open at start is known. */
  readonly ready = new Promise<void>((resolve, reject) => {
    this.#whole = resolve;
    this.#giveUp = reject;
  });

  constructor(private readonly port: { now(): number; isHot(tno: number): boolean }) {
    this.index = new LiveIndex((tno) => port.isHot(tno));
    this.feed = new FeedRing(() => port.now());
    this.ready.catch(() => {}); // Whoever asks hears of it.
  }

  /** A stored actor, as recovery meets it. */
  found(tno: number, path: string, row: ActorRow): void {
    this.#seeds.found(tno, path, row);
  }

  /** A thread with a queued entry, as recovery meets it. */
  foundQueued(tno: number): void {
    this.#seeds.foundQueued(tno);
  }

  /** Reads what recovery has not met; may be called again when it failed. */
  async read(store: Pick<Store, 'getMany'>, isWanted: () => boolean): Promise<void> {
    await this.#seeds.read(store, this.index, isWanted);
    if (isWanted()) this.#whole();
  }

  /** The server is closing: whoever still waits is refused. */
  abandon(): void {
    this.#giveUp(notInitialised());
  }

  /** A step is durable. */
  committed(step: CommittedStep): void {
    const { tno, cells, changed, transitions, chunks } = step;
    for (const [rno, chunk] of chunks) this.#beat(cells.get(`r${rno}`)!, chunk);
    const family = this.index.family(tno);
    if (family && family.calls.size > 0) this.#progress(family, chunks);
    if (transitions.length === 0 && !changed.has('thread')) return;
    this.#seeds.forget(tno);
    const { isWatched } = this.feed;
    const followed = follow(this.index, step, isWatched);
    if (isWatched) tell(this.#push, followed, step, this.port.now());
  }

  readonly #push = (entry: FeedEntry): void => this.feed.push(entry);

  #beat(record: RunRecord, chunk: LogChunk): void {
    this.pulse.beat(chunk, record, this.port.now());
    this.tally.count(chunk);
    if (!this.feed.isTailed) return;
    for (const event of canonicalEvents(chunk, record)) this.feed.pushEvent(record.agent_id, event);
  }

  /** How far calls say they are; told to those who listen now, and kept with the call. */
  #progress(family: Family, chunks: readonly [number, LogChunk][]): void {
    for (const [, { events, t0 }] of chunks)
      for (const [type, dt, data] of events) {
        if (type !== 'activity_snapshot' || data.activity_type !== 'tool-call-progress') continue;
        const actor = report(family, data.content);
        if (!actor || !this.feed.isFollowed) continue;
        const { id, run_id, agent_id, call } = actor;
        const { progress, message } = call!.tool;
        const { thread_id } = family;
        this.feed.progress({ at: t0 + dt, id, thread_id, run_id: run_id!, agent_id: agent_id!, progress, message });
      }
  }
}
