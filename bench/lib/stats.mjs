/** Small statistics. Pure. */

/** The smallest value that `share` (0..1) of the values do not exceed; NaN of none.
 * @param {ArrayLike<number>} sorted ascending @param {number} share */
export const percentile = (sorted, share) => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? NaN;

/** @typedef {{ median: number, min: number, max: number }} Spread */

/** Of rounds: their median and how far they lie apart. @param {number[]} values @returns {Spread} */
export function spread(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  const median = sorted.length % 2 ? sorted[half] : ((sorted[half - 1] ?? NaN) + (sorted[half] ?? NaN)) / 2;
  return { median: median ?? NaN, min: sorted[0] ?? NaN, max: sorted.at(-1) ?? NaN };
}
