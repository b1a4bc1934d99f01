/** Counts what has happened since the process began (`meters.ts`). */

import type { LogChunk, TerminationCode } from '../events.js';
import type { EngineMeters } from '../meters.js';

export class Tally {
  #started = 0;
  #events = 0;
  readonly #ended = new Map<TerminationCode, number>();

  /** A chunk of a run's log is durable. */
  count({ n, events }: LogChunk): void {
    this.#events += events.length;
    if (n === 0) this.#started += 1;
    const last = events.at(-1)!;
    if (last[0] !== 'run_finish') return;
    const { code } = last[2].termination;
    this.#ended.set(code, (this.#ended.get(code) ?? 0) + 1);
  }

  read(): Pick<EngineMeters, 'runs' | 'events'> {
    return { runs: { started: this.#started, ended: Object.fromEntries(this.#ended) }, events: this.#events };
  }
}
