/** The command line of the bench. */

import { parseArgs } from 'node:util';

/** Loads of runs, in turns with the baselines. */
export const LOADS = /** @type {const} */ (['burst', 'paced', 'rate']);
export const SCENARIOS = /** @type {const} */ ([
  ...LOADS,
  ...['readers', 'idle', 'resume', 'interrupt', 'lists', 'recovery'],
]);
export const TARGETS = /** @type {const} */ (['node', 'koa', 'koa-level', 'agent-server']);
/** @typedef {(typeof SCENARIOS)[number]} ScenarioName
 *  @typedef {(typeof TARGETS)[number]} TargetName */

export const USAGE = `usage: npm run bench -- [options]
  --quick          fewer runs and rounds: a minute or two
  --only NAMES     scenarios to run, with commas: ${SCENARIOS.join(', ')}
  --targets NAMES  what to run them against, with commas: ${TARGETS.join(', ')}
  --json FILE      write the results there, machine-readable
  --profile DIR    run agent-server with node's CPU profiler, write the profile there and say what is hot`;

/**
 * @typedef {{ quick: boolean, scenarios: ScenarioName[], targets: TargetName[], json: string | undefined,
 *   profile: string | undefined }} Options
 */

/** Throws with a sentence when the arguments are no good. @param {string[]} args @returns {Options | 'help'} */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      targets: { type: 'string' },
      json: { type: 'string' },
      profile: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  return {
    quick: values.quick,
    scenarios: choose('--only', values.only, SCENARIOS),
    targets: choose('--targets', values.targets, TARGETS),
    json: values.json,
    profile: values.profile,
  };
}

/** @template {string} T @param {string} option @param {string | undefined} text @param {readonly T[]} known @returns {T[]} */
function choose(option, text, known) {
  if (text === undefined) return [...known];
  const wanted = text.split(',').map((name) => name.trim());
  const unknown = wanted.find((name) => !known.some((other) => other === name));
  if (unknown !== undefined) throw new Error(`${option}: "${unknown}" is none of ${known.join(', ')}`);
  return known.filter((name) => wanted.includes(name));
}
