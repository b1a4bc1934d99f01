/**
 * The running effects of one thread, reconciled with its committed state: what the state wants and does not run is
 * started, what runs and is not wanted is aborted. Called only after a commit, so starts and stops alike are durable
 * before they happen, and recovery is the same call.
 *
 * An effect's outcome is a fact with the effect's address. The outcome of an effect that is no longer wanted is handed to
 * `late`: it must not reach the log, but an operator may need it (CONTRACT 1.13).
 */

import type { AbortInput } from '../machines/logics.js';
import type { Deadlines } from '../time/deadlines.js';
import type { Fx } from './cells.js';
import type { Delta, EffectAddress } from './inbox.js';

/** What a performer may use while it performs. */
export type EffectContext = {
  address: EffectAddress;
  signal: AbortSignal;
  /**
   * Appends events to the run's log, in order; resolves when more may be produced. With a `subject` only the newest
   * events of that subject are kept while none has been taken into a step.
   */
  append: (events: Delta[], subject?: string) => Promise<void>;
};

/** Performs one effect to its outcome. Rejections become `xstate.error.actor.<id>` with `toFault`'s data. */
export type Performer = {
  perform(input: unknown, context: EffectContext): Promise<unknown>;
  toFault(error: unknown): object;
};

export type Performers = { [src: string]: Performer };

/** How an effect reaches its thread. */
export type EffectPort = {
  performers: Performers;
  deadlines: Deadlines;
  fact(from: EffectAddress, type: string, payload: object): void;
  append(from: EffectAddress, events: Delta[], subject?: string): Promise<void>;
  /** An outcome came after the state had left the effect. */
  late(from: EffectAddress, effect: Pick<Fx, 'src' | 'input'>, outcome: unknown): void;
};

type Live = {
  address: EffectAddress;
  src: string;
  stop: (reason: Error) => void;
  controller: AbortController | null;
  done?: Promise<void>;
};

/** The state left the effect: its work is no longer wanted. */
export class NotWanted extends Error {
  override readonly name = 'AbortError';
}

/** The thread leaves memory or the server stops: the work is still wanted, and will be begun again. */
class Halted extends Error {
  override readonly name = 'AbortError';
}

export class Effects {
  #live = new Map<number, Live>();

  constructor(private readonly port: EffectPort) {}

  /** Effects that are running, timers left out: while there are any the thread cannot be passivated. */
  get running(): number {
    let n = 0;
    for (const live of this.#live.values()) if (live.src !== 'timer') n++;
    return n;
  }

  isLive(token: number): boolean {
    return this.#live.has(token);
  }

  start(path: string, id: string, fx: Fx): void {
    const address: EffectAddress = { path, fx: id, token: fx.token };
    if (fx.src === 'timer') return this.#startTimer(address, fx);
    if (fx.src === 'abort') return this.#startAbort(address, fx.input as AbortInput);
    const controller = new AbortController();
    const live: Live = {
      address,
      src: fx.src,
      controller,
      stop: (reason) => controller.abort(reason),
    };
    this.#live.set(fx.token, live);
    live.done = this.#perform(live, fx);
  }

  /** The committed state no longer wants this effect. */
  stop(token: number, reason: Error = new NotWanted('no longer wanted')): void {
    const live = this.#live.get(token);
    if (!live) return;
    this.#live.delete(token);
    live.stop(reason);
  }

  /** Stops everything; nothing is reported any more. */
  stopAll(): void {
    for (const token of [...this.#live.keys()]) this.stop(token, new Halted('the server is stopping'));
  }

  /** The ends of the running effects that match; for graceful shutdown. */
  settled(matches: (address: EffectAddress) => boolean): Promise<void>[] {
    return [...this.#live.values()].flatMap(({ address, done }) => (done && matches(address) ? [done] : []));
  }

  #startTimer(address: EffectAddress, fx: Fx): void {
    const cancel = this.port.deadlines.set(fx.due!, () => {
      this.#live.delete(address.token);
      this.port.fact(address, `xstate.done.actor.${address.fx}`, { output: null });
    });
    this.#live.set(address.token, { address, src: 'timer', stop: cancel, controller: null });
  }

  #startAbort(address: EffectAddress, { effect }: AbortInput): void {
    this.#live.set(address.token, { address, src: 'abort', stop: () => {}, controller: null });
    for (const live of this.#live.values())
      if (live.address.path === address.path && live.address.fx === effect)
        live.controller?.abort(new NotWanted('the run was cancelled'));
  }

  async #perform(live: Live, fx: Fx): Promise<void> {
    const { address } = live;
    const { src } = fx;
    const performer = this.port.performers[src];
    let type: string;
    let payload: object;
    try {
      if (!performer) throw new Error(`no performer for ${src}`);
      const output = await performer.perform(fx.input, {
        address,
        signal: live.controller!.signal,
        append: (events, subject) => this.port.append(address, events, subject),
      });
      [type, payload] = [`xstate.done.actor.${address.fx}`, { output }];
    } catch (error) {
      const fault = performer?.toFault(error) ?? { message: String(error) };
      [type, payload] = [`xstate.error.actor.${address.fx}`, { error: fault }];
    }
    if (!this.#live.delete(address.token)) return this.port.late(address, fx, payload);
    this.port.fact(address, type, payload);
  }
}
