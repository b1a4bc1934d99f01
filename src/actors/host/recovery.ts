/**
 * How threads with open work come to life after a start (DESIGN "Recovery").
 *
 * `findOpenWork` is all that the opening of the routes waits for: one pass over the rows of live actors, queued entries
 * and undelivered errands. `Recovery.begin` then reads the threads in the background, some at a time. Those whose run was
 * running have their slots before anybody else can ask for one; beyond the limit they are lined up in front. The others
 * take none by being read: a waiting run may have a deadline, and a queued one asks for its slot itself.
 */

import * as keys from '../../store/keys.js';
import { Turns, type Reads } from '../../store/reads.js';
import type { PendingCalls } from '../lists/pending-calls.js';
import type { Live } from '../live/live.js';
import type { ActorRow } from '../thread/rows.js';
import type { Slots } from './slots.js';

/** Threads read at the same time. */
const WIDTH = 8;

/** Ordinals of threads that have something to go on with: those whose run is running, and the others. */
export type OpenWork = { running: Set<number>; others: Set<number> };

/** Who is told of what the pass comes across. */
type Finders = { calls: PendingCalls; live: Live };

/** One pass over the rows of everything that is open. */
export async function findOpenWork(store: Reads, { calls, live }: Finders): Promise<OpenWork> {
  const running = new Set<number>();
  const others = new Set<number>();
  for await (const [key, value] of store.range(keys.allActors())) {
    const { tno, path } = keys.parseActor(key);
    const row = JSON.parse(value) as ActorRow;
    if (isRunning(path, row)) running.add(tno);
    else others.add(tno);
    calls.put(tno, path, row.value, row.since);
    live.found(tno, path, row);
  }
  for await (const [key] of store.range(keys.allQueued())) {
    others.add(keys.ordinalOf(key));
    live.foundQueued(keys.ordinalOf(key));
  }
  for await (const [key] of store.range(keys.allOutboxes())) others.add(keys.ordinalOf(key));
  for (const tno of running) others.delete(tno);
  return { running, others };
}

/** Whether the row of an actor is that of a run somebody has to run. */
const isRunning = (path: string, { value }: ActorRow): boolean => !path.includes('/') && value !== 'waiting';

export class Recovery {
  /** Threads that are being read. */
  readonly #loading = new Set<Promise<void>>();
  readonly #turns = new Turns(WIDTH);

  /** `revive` reads one thread; it never rejects. */
  constructor(
    private readonly slots: Slots,
    private readonly revive: (tno: number) => Promise<void>,
  ) {}

  begin({ running, others }: OpenWork): void {
    for (const tno of running) this.slots.keepFor((isRead) => this.#load(tno, isRead));
    for (const tno of others) this.#load(tno);
  }

  /** Resolves when none is being read. */
  async rest(): Promise<void> {
    await Promise.all(this.#loading);
  }

  #load(tno: number, then?: () => void): void {
    const loading = this.#turns
      .run(() => this.revive(tno))
      .finally(() => {
        this.#loading.delete(loading);
        then?.();
      });
    this.#loading.add(loading);
  }
}
