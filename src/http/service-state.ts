/**
 * Whether the run service is open: one tagged union that every route asks (CONTRACT 0.8).
 *
 * The socket answers from the first moment; routes that need the engine are refused until it is mounted, and again from
 * the moment shutdown begins.
 */

import type { HostedEngine } from '../actors/engine.js';
import { notInitialised } from '../errors.js';

export type ServiceState = { is: 'starting' } | { is: 'ready'; engine: HostedEngine } | { is: 'stopping' };

export class Service {
  #state: ServiceState = { is: 'starting' };

  get is(): ServiceState['is'] {
    return this.#state.is;
  }

  /** The routes open. A service that is already stopping stays so. */
  mount(engine: HostedEngine): void {
    if (this.#state.is === 'starting') this.#state = { is: 'ready', engine };
  }

  stop(): void {
    this.#state = { is: 'stopping' };
  }

  /** Throws `not_initialised` while there is no open engine. */
  engine(): HostedEngine {
    if (this.#state.is !== 'ready') throw notInitialised();
    return this.#state.engine;
  }
}
