/**
 * One place for the two ways a model call ends from outside: its caller aborts, or the provider falls silent.
 *
 * `broken` rejects at that moment, whatever the provider does; `signal` is aborted with it, so that a provider which
 * listens also stops working. Silence is counted only between `listen()` and `rest()`: time spent waiting for our own
 * disk is not the provider's.
 */

import { MAX_DELAY } from './timer.js';
import { InferenceError } from './model-call.js';

export class Watch {
  /** Never resolves. Rejects with an `AbortError`, or with a retryable `InferenceError` after silence. */
  readonly broken: Promise<never>;
  readonly #provider = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #listening = false;
  #reject!: (error: Error) => void;

  constructor(
    private readonly caller: AbortSignal,
    idle_timeout_ms: number,
  ) {
    this.broken = new Promise<never>((_, reject) => (this.#reject = reject));
    this.broken.catch(() => {});
    const onTime = () => {
      if (this.#listening) this.#break(new InferenceError(`model was silent for ${idle_timeout_ms / 1000} s`, true));
    };
    this.#timer = setTimeout(onTime, Math.min(idle_timeout_ms, MAX_DELAY));
    caller.addEventListener('abort', this.#onAbort);
  }

  /** For the provider: aborted when the call is broken. */
  get signal(): AbortSignal {
    return this.#provider.signal;
  }

  /** The provider owes us something from now on. */
  listen(): void {
    this.#listening = true;
    this.#timer.refresh();
  }

  /** It is our turn; its silence does not count. */
  rest(): void {
    this.#listening = false;
  }

  /** Releases the timer and the caller's signal. */
  close(): void {
    clearTimeout(this.#timer);
    this.caller.removeEventListener('abort', this.#onAbort);
  }

  /** The answer is of no more use: whatever the provider still does is to end. */
  stopProvider(): void {
    this.#provider.abort();
  }

  readonly #onAbort = (): void => this.#break(abortError(this.caller));

  #break(error: Error): void {
    this.close();
    this.#reject(error);
    this.#provider.abort(error);
  }
}

/** The caller's reason when it is an `AbortError`, else one that carries it as `cause`. */
export function abortError(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  if (reason instanceof Error && reason.name === 'AbortError') return reason;
  return Object.assign(new DOMException('The model call was aborted', 'AbortError'), { cause: reason });
}
