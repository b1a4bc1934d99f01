/** Spans of time as people write them: `500ms`, `30s`, `10m`, `2h`, `1d`, and sums of these (`1h30m`). Pure. */

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds; undefined when it is no span. */
export function parseDuration(text: string): number | undefined {
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text)) return undefined;
  let sum = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) sum += Number(amount) * UNITS[unit!]!;
  return sum;
}
