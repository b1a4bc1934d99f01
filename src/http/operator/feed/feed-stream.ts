/**
 * One operator watching: pulls the feed by number and writes to the raw response.
 *
 * Callers may rely on: what is numbered comes in order, nothing twice and nothing missing, up to a `reset`, which is the
 * whole picture as of its number; nothing is kept for a client that does not read, who gets a `reset` when it reads again
 * and the ring has moved on; the response ends behind a whole frame. Who asked for a pace gets batches (`batches.ts`).
 */

import type { ServerResponse } from 'node:http';
import type { LiveFeed, Picture, Progress } from '../../../actors/inspection.js';
import type { KeptAlive } from '../../keep-alive.js';
import type { OpenStream, StreamParts } from '../../sse.js';
import { Batches } from './batches.js';
import { entryFrame, progressFrame, resetFrame, statsFrame } from './frames.js';
import { wants, wantsProgress, type Wish } from './wish.js';
import type { Stats } from '../stats.js';

export type FeedSource = {
  feed: LiveFeed;
  picture(wish: Wish): Promise<Picture>;
  stats(): Stats;
  /** There is more to write than one turn may take: `wake` is wanted soon. */
  again(): void;
  /** The stream begins and ends to be woken. */
  join(stream: FeedStream): void;
  leave(stream: FeedStream): void;
};

type State =
  /** The picture is being put together. */
  | { is: 'resetting' }
  | { is: 'flowing' }
  /** The client does not take what was written. */
  | { is: 'blocked' }
  | { is: 'over' };

/** Characters written in one turn. */
const PIECE = 64 * 1024;

export class FeedStream implements KeptAlive, OpenStream {
  quietSince = 0;
  #state: State = { is: 'flowing' };
  readonly #res: ServerResponse;
  /** Of a reader who asked for a pace. */
  readonly #batches: Batches | null;

  /** @param position the number of the last entry the client has; null: it has none that counts. */
  constructor(
    private readonly parts: StreamParts<FeedStream>,
    private readonly source: FeedSource,
    readonly wish: Wish,
    private position: number | null,
  ) {
    this.#res = parts.res;
    this.#batches = wish.every === null ? null : new Batches(source.feed, wish, wish.every, () => this.wake());
  }

  start(): void {
    const res = this.#res;
    if (res.destroyed) return this.#gone();
    res.on('close', () => this.#gone());
    res.on('drain', () => this.#drained());
    res.flushHeaders();
    this.parts.keepAlive.add(this);
    this.source.join(this);
    this.wake();
  }

  /** Ends the response now: the server is stopping. */
  stop(): void {
    if (this.#state.is === 'over') return;
    this.#state = { is: 'over' };
    this.#batches?.stop();
    this.#res.end();
  }

  ping(): void {
    if (this.#state.is === 'flowing') this.#res.write(': keep-alive\n\n');
  }

  /** Writes what is new, as much as one turn may take. */
  wake(): void {
    if (this.#state.is !== 'flowing') return;
    const { feed } = this.source;
    if (this.position === null || !feed.reaches(this.position, this.wish.parts.has('events')))
      return void this.#reset();
    const next = this.#batches ? this.#batches.next(this.position) : this.#piece(this.position);
    if (!next) return;
    this.position = next.position;
    if (next.text !== '') this.#write(next.text);
    if (this.position < feed.last) this.source.again();
  }

  /** Each entry as a frame of its own. */
  #piece(position: number): { position: number; text: string } {
    const { feed } = this.source;
    let text = '';
    while (position < feed.last && text.length < PIECE) {
      const entry = feed.at(++position)!;
      if (wants(this.wish, entry)) text += entryFrame(feed.boot, position, entry);
    }
    return { position, text };
  }

  tellStats(stats: Stats, at: number): void {
    if (this.#state.is === 'flowing' && this.wish.parts.has('stats')) this.#write(statsFrame(at, stats));
  }

  tellProgress(reports: Iterable<Progress>): void {
    if (this.#state.is !== 'flowing') return;
    const wanted = [...reports].filter((report) => wantsProgress(this.wish, report));
    if (this.#batches) {
      for (const report of wanted) this.#batches.report(report);
      this.wake();
    } else if (wanted.length > 0) this.#write(wanted.map(progressFrame).join(''));
  }

  async #reset(): Promise<void> {
    this.#state = { is: 'resetting' };
    try {
      const picture = await this.source.picture(this.wish);
      if (this.#isOver()) return;
      this.#state = { is: 'flowing' };
      this.position = picture.position;
      this.#write(resetFrame(this.source.feed.boot, picture, this.source.stats()));
      this.wake();
    } catch {
      // The engine is closing: there is no picture any more.
      this.stop();
    }
  }

  #isOver(): boolean {
    return this.#state.is === 'over';
  }

  #write(text: string): void {
    this.quietSince = this.parts.keepAlive.now;
    if (!this.#res.write(text)) this.#state = { is: 'blocked' };
  }

  #drained(): void {
    if (this.#state.is !== 'blocked') return;
    this.#state = { is: 'flowing' };
    this.wake();
  }

  #gone(): void {
    this.#state = { is: 'over' };
    this.#batches?.stop();
    this.parts.keepAlive.remove(this);
    this.source.leave(this);
    this.parts.gone(this);
  }
}
