/** Spans of time as people say them, never wider than six cells: `12s`, `4m12`, `3h04`, `12d3h`. Pure. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const two = (n: number): string => String(n).padStart(2, '0');

/** Of `ms` milliseconds; a negative span is none (clocks of two machines are never one). */
export function span(ms: number): string {
  const of = (unit: number): number => Math.floor(Math.max(0, ms) / unit);
  if (ms < MINUTE) return `${of(SECOND)}s`;
  if (ms < HOUR) return `${of(MINUTE)}m${two(of(SECOND) % 60)}`;
  if (ms < DAY) return `${of(HOUR)}h${two(of(MINUTE) % 60)}`;
  if (ms < 100 * DAY) return `${of(DAY)}d${of(HOUR) % 24}h`;
  return `${of(DAY)}d`;
}
