/**
 * `--watch`: something is looked at again and again, and shown when it has changed.
 *
 * On a terminal the picture is drawn over itself. Into a pipe, and in formats of one record a line, each record is
 * written once, and again whenever it has changed. It ends with ctrl-c or `--timeout`.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { CliError, usage } from '../client/index.js';
import type { Line } from '../rail/segments.js';
import type { Session } from '../session/session.js';

export type WatchOptions = { watch?: boolean; interval?: number };

const INTERVAL_MS = 2_000;

/** Throws a usage error for a format that can only be whole. */
export function assertWatchable({ out }: Session): void {
  if (out.format === 'json') throw usage('--watch: -o json is one whole document; use -o jsonl');
}

/** Calls `look` now and after each interval. Ends by throwing. */
export async function again(session: Session, interval: number | undefined, look: () => Promise<void>): Promise<never> {
  for (;;) {
    await look();
    await sleep(interval ?? INTERVAL_MS, undefined, { signal: session.signal }).catch(() => {
      throw session.signal.reason instanceof CliError ? session.signal.reason : new Error('aborted');
    });
  }
}

/** Draws a picture over the one before. What does not fit on the screen is left out. */
export function redraw({ out }: Session, lines: readonly Line[]): Promise<void> {
  const fitting = lines.slice(0, (out.rows ?? Infinity) - 1);
  return out.text(`\x1b[H${fitting.map((line) => `${out.render(line)}\x1b[K\n`).join('')}\x1b[J`);
}

/** The records that were not there before, or not like this. Those that are gone are forgotten. */
export class Changes<T> {
  #known = new Map<string, string>();

  constructor(private readonly nameOf: (item: T) => string) {}

  of(items: readonly T[]): T[] {
    const now = new Map(items.map((item) => [this.nameOf(item), JSON.stringify(item)]));
    const changed = items.filter((item) => this.#known.get(this.nameOf(item)) !== now.get(this.nameOf(item)));
    this.#known = now;
    return changed;
  }
}
