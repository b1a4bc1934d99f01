/**
 * The one connection that keeps the picture true: transitions of all actors, and the server's pulse once a second.
 *
 * It goes on by the id of the last frame, whatever cut it: the server, the network, or a screen that wants more to be
 * told (`events`). While the picture is held nothing is read; the server keeps what comes, or sends the whole picture.
 */

import type { ActorFrame, ActorItem, Client, FeedStatus } from '../client/index.js';
import { PAGE } from './screens/paged.js';

export type FeedLoopOptions = {
  client: Client;
  signal: AbortSignal;
  onFrame: (frame: ActorFrame) => void;
  onStatus: (status: FeedStatus) => void;
  /** Active runs that did not fit into a `reset`. */
  onFill: (items: readonly ActorItem[], isLast: boolean) => void;
};

/** Milliseconds for which the server gathers what it tells: pictures are drawn no oftener when there is much of it. */
const EVERY_MS = 250;

/** The server tells its pulse once a second: one that is silent for so many milliseconds is frozen, or out of reach. */
const SILENCE_MS = 10_000;

/** Most runs that are fetched one page after the other when a `reset` names more than it brings. */
const MOST_FILLED = 50_000;

export class FeedLoop {
  #seen: string | null = null;
  #wantsEvents = false;
  #round = new AbortController();
  #held: { promise: Promise<void>; release: () => void } | undefined;

  constructor(private readonly options: FeedLoopOptions) {
    options.signal.addEventListener('abort', () => this.#round.abort(), { once: true });
  }

  /** Whether the events of all runs are told, too. */
  set wantsEvents(wanted: boolean) {
    if (wanted === this.#wantsEvents) return;
    this.#wantsEvents = wanted;
    // The next round begins behind the last frame that was seen: nothing is lost and nothing comes twice.
    this.#round.abort();
  }

  hold(): void {
    let release = (): void => {};
    const promise = new Promise<void>((resolve) => (release = resolve));
    this.#held ??= { promise, release };
  }

  release(): void {
    this.#held?.release();
    this.#held = undefined;
  }

  /** Ends when the signal aborts; throws when the server refuses for good. */
  async run(): Promise<void> {
    const { client, signal, onFrame, onStatus } = this.options;
    while (!signal.aborted) {
      const round = (this.#round = new AbortController());
      const include = ['transitions', 'stats', 'runs', ...(this.#wantsEvents ? ['events'] : [])].join();
      const feed = client.actorFeed({
        query: { include, every: EVERY_MS },
        lastEventId: this.#seen,
        silenceMs: SILENCE_MS,
        signal: round.signal,
        onStatus,
      });
      try {
        for await (const { id, data } of feed) {
          if (id !== null) this.#seen = id;
          onFrame(data);
          if (data.type === 'reset' && data.total > data.items.length) void this.#fill(round.signal);
          if (this.#held) await this.#held.promise;
        }
      } catch (error) {
        if (!round.signal.aborted) throw error;
      }
    }
  }

  async #fill(signal: AbortSignal): Promise<void> {
    const { client, onFill } = this.options;
    try {
      for (let offset = 0; offset < MOST_FILLED && !signal.aborted; offset += PAGE) {
        const page = await client.page<ActorItem>('/v1/actors', { kind: 'run', offset, limit: PAGE });
        onFill(page.items, !page.has_more);
        if (!page.has_more) return;
      }
    } catch {
      // The feed says what is wrong with the server; the next reset asks for the rest again.
    }
  }
}
