/**
 * `--watch`: something is looked at again and again, and shown when it has changed.
 *
 * On a terminal the picture is drawn over itself. Into a pipe, and in formats of one record a line, each record is
 * written once, and again whenever it has changed. It ends with ctrl-c or `--timeout`.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { CliError, ExitCode, usage } from '../client/index.js';
import type { Line } from '../rail/segments.js';
import type { Session } from '../session/session.js';

export type WatchOptions = { watch?: boolean; interval?: number };

const INTERVAL_MS = 2_000;

/** Throws a usage error for a format that can only be whole: what goes on is never whole. */
export function assertWatchable({ out }: Session): void {
  if (out.format === 'json') throw usage('-o json is one whole document, and this goes on; use -o jsonl');
}

/**
 * Calls `look` now and after each interval. Ends by throwing. A server that was there and is gone is waited for: whoever
 * watches wants to see it come back.
 */
export async function again(session: Session, interval: number | undefined, look: () => Promise<void>): Promise<never> {
  let sight: 'none yet' | 'clear' | 'lost' = 'none yet';
  for (;;) {
    try {
      await look();
      if (sight === 'lost') await session.say('connected again');
      sight = 'clear';
    } catch (error) {
      if (sight === 'none yet' || session.signal.aborted || !isAbsence(error)) throw error;
      if (sight === 'clear') await session.say(`${error.message}; trying again`);
      sight = 'lost';
    }
    await sleep(interval ?? INTERVAL_MS, undefined, { signal: session.signal }).catch(() => {
      throw session.signal.reason instanceof CliError ? session.signal.reason : new Error('aborted');
    });
  }
}

const isAbsence = (error: unknown): error is CliError =>
  error instanceof CliError && (error.exitCode === ExitCode.unreachable || error.exitCode === ExitCode.timeout);

/** Draws a picture over the one before. What does not fit on the screen is left out, also of what is wide. */
export function redraw({ out }: Session, lines: readonly Line[]): Promise<void> {
  const fitting = lines.slice(0, (out.rows ?? Infinity) - 1);
  return out.text(`\x1b[H${fitting.map((line) => `${out.render(line, out.columns)}\x1b[K\n`).join('')}\x1b[J`);
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
