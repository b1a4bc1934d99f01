/**
 * Keep-alives for all event streams of the process on one timer (CONTRACT 0.7).
 *
 * Time is counted in ticks, a fifteenth of the silence allowed: a stream notes the tick of its last write, and one whose
 * silence is full gets a comment frame. The timer runs only while there are streams and never keeps the process alive.
 */

const TICKS = 15;

export interface KeptAlive {
  /** Tick of the last write. */
  quietSince: number;
  /** Writes a comment frame, unless the stream has something better to do. */
  ping(): void;
}

export type Timers = {
  setInterval(fire: () => void, ms: number): { unref?(): unknown };
  clearInterval(timer: unknown): void;
};

const systemTimers: Timers = {
  setInterval: (fire, ms) => setInterval(fire, ms),
  clearInterval: (timer) => clearInterval(timer as NodeJS.Timeout),
};

export class KeepAlive {
  /** The present tick. */
  now = 0;
  #streams = new Set<KeptAlive>();
  #timer: { unref?(): unknown } | null = null;

  /** @param silence milliseconds without a byte after which a comment is sent. */
  constructor(
    private readonly silence: number,
    private readonly timers: Timers = systemTimers,
  ) {}

  add(stream: KeptAlive): void {
    stream.quietSince = this.now;
    this.#streams.add(stream);
    if (this.#timer) return;
    this.#timer = this.timers.setInterval(() => this.tick(), Math.max(1, this.silence / TICKS));
    this.#timer.unref?.();
  }

  remove(stream: KeptAlive): void {
    this.#streams.delete(stream);
    if (this.#streams.size > 0 || !this.#timer) return;
    this.timers.clearInterval(this.#timer);
    this.#timer = null;
  }

  tick(): void {
    this.now++;
    for (const stream of this.#streams) {
      if (this.now - stream.quietSince < TICKS) continue;
      stream.quietSince = this.now;
      stream.ping();
    }
  }
}
