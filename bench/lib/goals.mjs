/** What was measured beside what was promised. What could not be measured is shown as `?` and misses nothing. Pure. */

/** @typedef {{ what: string, goal: string, measured: string, met: boolean }} Goal */

/** @param {Goal[]} goals */
export function table(goals) {
  const widths = /** @type {const} */ (['what', 'goal', 'measured']).map((name) =>
    Math.max(name.length, ...goals.map((goal) => goal[name].length)),
  );
  const line = (/** @type {string[]} */ cells) => '  ' + cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ');
  return [
    line(['', 'goal', 'measured']),
    ...goals.map(({ what, goal, measured, met }) => line([what, goal, measured]) + (met ? '' : '  missed')),
  ].join('\n');
}

/** @param {string} what @param {number} value @param {number} most @param {string} unit @returns {Goal} */
export const atMost = (what, value, most, unit) => ({
  ...{
    what,
    goal: `≤ ${most} ${unit}`,
    measured: `${round(value)} ${unit}`,
    met: Number.isNaN(value) || value <= most,
  },
});
/** @param {string} what @param {number} value @param {number} least @param {string} unit @returns {Goal} */
export const atLeast = (what, value, least, unit) => ({
  ...{
    what,
    goal: `≥ ${least} ${unit}`,
    measured: `${round(value)} ${unit}`,
    met: Number.isNaN(value) || value >= least,
  },
});
/** @param {string} what @param {number} value @param {string} unit @returns {Goal} */
export const noted = (what, value, unit) => ({ what, goal: '', measured: `${round(value)} ${unit}`, met: true });
/** @param {string} what @param {boolean} met @returns {Goal} */
export const exact = (what, met) => ({ what, goal: 'yes', measured: met ? 'yes' : 'no', met });

const round = (/** @type {number} */ value) =>
  Number.isNaN(value) ? '?' : value.toFixed(value < 1 ? 2 : value < 100 ? 1 : 0);
