/**
 * The tool at work: frames and answers go into the model, keys go through the reducer, and at most ten times a second a
 * picture comes out, when something has changed; at once behind a key. No terminal here.
 */

import { CliError, type ActorFrame, type Client, type FeedStatus } from '../client/index.js';
import { toAnsi, toMono } from '../rail/index.js';
import type { Picture } from './app.js';
import { drawScreen } from './draw/screen.js';
import { FeedLoop } from './feed-loop.js';
import { outcomeText, perform, type Deed } from './model/deed.js';
import { isOn, newModel, type Model, type Setup, type View } from './model/model.js';
import { onKey, type Effect } from './model/update.js';
import { agentsWant } from './screens/agents.js';
import { approvalsWant } from './screens/approvals.js';
import { screenOf } from './screens/index.js';
import { ServerClock } from './server-clock.js';
import type { Want } from './store/resources.js';
import { tabOf } from './tabs/index.js';

/** Between two pictures, at least. */
const FRAME_MS = 100;
/**
 * A picture is followed by a rest of so many times what it took to make, though not of more than half a second: the more
 * runs there are, the slower pictures and requests follow, and the processor is left to others. Keys do not wait.
 */
const REST = 100;
const LONGEST_REST_MS = 500;

/** Deeds under way at once. */
const AT_ONCE = 8;

export type TopHooks = {
  onQuit: (by: 'key' | 'ctrl-c') => void;
  onRedraw: () => void;
  onCopy: (text: string) => void;
  /** The server refuses for good: there is nothing to show. */
  onFatal: (error: unknown) => void;
};

export class Top implements Picture {
  readonly model: Model;
  rows: readonly string[] = [];
  readonly #feed: FeedLoop;
  readonly #stop = new AbortController();
  readonly #listeners = new Set<() => void>();
  readonly #palette: 'color' | 'mono';
  #timer: NodeJS.Timeout | undefined;
  #isDirty = true;
  #drawnAt = 0;
  #restsUntil = 0;
  /** When the server was heard last. */
  #heardAt = Date.now();
  /** What the picture tells of time is the server's. */
  readonly #clock = new ServerClock();

  constructor(
    setup: Setup,
    size: View['size'],
    private readonly client: Client,
    private readonly hooks: TopHooks,
    palette: 'color' | 'mono' = 'color',
  ) {
    this.model = newModel(setup, size, Date.now());
    this.#palette = palette;
    this.#feed = new FeedLoop({
      client,
      signal: this.#stop.signal,
      onFrame: (frame) => this.#onFrame(frame),
      onStatus: (status) => this.#onStatus(status),
      onFill: (items, isLast) => {
        this.model.fleet.fill(items);
        if (isLast) this.model.fleet.missing = 0;
        this.#isDirty = true;
      },
    });
  }

  start(): void {
    // Before anything is asked: what asks has to be loaded first.
    this.#draw();
    this.#timer = setInterval(() => this.#tick(), FRAME_MS);
    this.#feed.run().catch((error: unknown) => this.hooks.onFatal(error));
    this.#load(Date.now());
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#stop.abort();
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  resize(size: View['size']): void {
    this.#view({ ...this.model.view, size });
    this.#draw();
  }

  onKey(name: string): void {
    const { view, effects } = onKey(this.model, name);
    this.#view(view);
    for (const effect of effects) this.#do(effect);
    // What a key does is seen at once; what the server does can wait for the next picture.
    if (!isOn(this.model, 'pause')) this.#load(Date.now());
    this.#draw();
  }

  #now(): number {
    return this.#clock.at(Date.now());
  }

  #view(view: View): void {
    const wasHeld = isOn(this.model, 'pause');
    this.model.view = view;
    this.#isDirty = true;
    const isHeld = isOn(this.model, 'pause');
    if (isHeld && !wasHeld) this.#feed.hold();
    if (!isHeld && wasHeld) this.#feed.release();
    this.#feed.wantsEvents = view.screen === 'events';
  }

  #tick(): void {
    const now = Date.now();
    if (now < this.#restsUntil) return;
    if (!isOn(this.model, 'pause')) {
      this.model.now = this.#now();
      this.#load(now);
    }
    // Ages and countdowns go by the second.
    if (this.#isDirty || Math.floor(now / 1_000) !== Math.floor(this.#drawnAt / 1_000)) this.#draw();
  }

  #draw(): void {
    this.#isDirty = false;
    this.#drawnAt = Date.now();
    const began = performance.now();
    this.rows = drawScreen(this.model).map(this.#palette === 'mono' ? toMono : toAnsi);
    this.#restsUntil = this.#drawnAt + Math.min(REST * (performance.now() - began), LONGEST_REST_MS);
    for (const listener of this.#listeners) listener();
  }

  #onFrame(frame: ActorFrame): void {
    this.#isDirty = true;
    this.#clock.heard(frame.at, Date.now());
    this.#heardAt = this.#now();
    const { model } = this;
    switch (frame.type) {
      case 'batch':
        return frame.entries.forEach((entry) => this.#onFrame(entry));
      case 'stats':
        model.stats = frame;
        return model.pulse.push(frame);
      case 'event':
        return model.tail.push(frame.event);
      case 'reset':
        model.stats = frame.stats;
        // The first pictures are slow, as all code is at first: the one that is waited for is not kept back by theirs.
        this.#restsUntil = 0;
    }
    model.fleet.apply(frame);
  }

  #onStatus(status: FeedStatus): void {
    const { model } = this;
    if (status.is === 'connected') {
      this.#clock.doubt();
      model.connection = { is: 'live' };
    }
    if (status.is === 'retrying') {
      const since = model.connection.is === 'lost' ? model.connection.since : this.#heardAt;
      const { attempt, delayMs, error } = status;
      const reason = error.message.replace(/^cannot reach \S+: /, '');
      model.connection = { is: 'lost', reason, attempt, since, next: this.#now() + delayMs };
    }
    this.#isDirty = true;
  }

  /** What the screen wants and does not have, or has had for too long. */
  #load(now: number): void {
    const { resources } = this.model;
    for (const want of resources.due(wantsOf(this.model), now)) {
      resources.begin(want.key);
      want.load(this.client).then(
        (value) => this.#loaded(want, { value }),
        (error: unknown) => this.#loaded(want, { error: messageOf(error) }),
      );
    }
  }

  #loaded(want: Want, result: { value: unknown } | { error: string }): void {
    this.model.resources.end(want.key, want.stamp, Date.now(), result);
    this.#isDirty = true;
  }

  #do(effect: Effect): void {
    switch (effect.effect) {
      case 'quit':
        return this.hooks.onQuit(effect.by);
      case 'redraw':
        return this.hooks.onRedraw();
      case 'copy':
        return this.hooks.onCopy(effect.text);
      case 'perform':
        return void this.#perform(effect.deeds, effect.reason);
    }
  }

  async #perform(deeds: readonly Deed[], reason: string | null): Promise<void> {
    const errors: string[] = [];
    const queue = [...deeds];
    const work = async (): Promise<void> => {
      for (let deed = queue.shift(); deed; deed = queue.shift())
        await perform(this.client, deed, reason === null ? {} : { reason }).catch((error: unknown) => {
          errors.push(messageOf(error));
        });
    };
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, deeds.length) }, work));
    this.model.resources.expire();
    this.#notice(deeds, errors);
  }

  #notice(deeds: readonly Deed[], errors: readonly string[]): void {
    const tone = errors.length === 0 ? 'good' : 'fault';
    const text = outcomeText(deeds, errors);
    this.#view({ ...this.model.view, notice: { text, tone, until: this.#now() + 5_000 } });
    this.#draw();
  }
}

/** What the picture is made of beside the feed. Agents say which tools cannot be repeated; approvals what is asked. */
function wantsOf(model: Model): Want[] {
  const { open } = model.view;
  const all = [
    agentsWant,
    approvalsWant(model),
    ...(screenOf(model)?.wants(model) ?? []),
    ...(open ? tabOf(open).wants(model, open) : []),
  ];
  return [...new Map(all.map((want) => [want.key, want])).values()];
}

const messageOf = (error: unknown): string =>
  error instanceof CliError || error instanceof Error ? error.message : String(error);
