/** From rounds to figures: medians with their spread, and ratios to the baselines. Pure. */

import { spread } from './lib/stats.mjs';
import { EVENTS } from './work.mjs';

/** Share of one core from which on the generator, not the server, may set the pace. */
export const GENERATOR_BUSY = 0.9;
/** Cores used by others from which on a round counts as disturbed. */
export const DISTURBED = 0.2;

/** @typedef {import('./lib/stats.mjs').Spread} Spread
 * @typedef {import('./measure.mjs').Round} Round
 * @typedef {{ target: string, rounds: number, runs_per_s: Spread, durable_events_per_s: number | null,
 *   first_p50_ms: Spread, first_p99_ms: Spread, total_p50_ms: Spread, total_p99_ms: Spread,
 *   cpu_ms_per_run: Spread | null, server_cpu: Spread | null, generator_cpu: Spread, others_cpu: Spread | null,
 *   generator_may_limit: boolean, disturbed_rounds: number | null, rss_bytes: number | null, bytes_per_run: number,
 *   errors: Record<string, number>, error_sample: string | null, ratio_to: Record<string, number> }} Figures */

/** Baselines that ratios are given to. */
const REFERENCES = ['koa-level', 'node'];

/** @param {Round[]} rounds of one scenario @param {import('./targets.mjs').Target[]} targets @returns {Figures[]} */
export function summarise(rounds, targets) {
  const medianOf = (/** @type {string} */ name) =>
    spread(rounds.filter((round) => round.target === name).map((round) => round.runs_per_s)).median;
  return targets.map(({ name, durable }) => {
    const own = rounds.filter((round) => round.target === name);
    const runs_per_s = spread(own.map((round) => round.runs_per_s));
    const others = numbers(own.map((round) => round.others_cpu));
    const generator_cpu = spread(own.map((round) => round.generator_cpu));
    return {
      target: name,
      rounds: own.length,
      runs_per_s,
      durable_events_per_s: durable === 'all' ? runs_per_s.median * EVENTS : null,
      first_p50_ms: spread(own.map((round) => round.first_ms.p50)),
      first_p99_ms: spread(own.map((round) => round.first_ms.p99)),
      total_p50_ms: spread(own.map((round) => round.total_ms.p50)),
      total_p99_ms: spread(own.map((round) => round.total_ms.p99)),
      cpu_ms_per_run: spreadOrNull(numbers(own.map((round) => round.cpu_ms_per_run))),
      server_cpu: spreadOrNull(numbers(own.map((round) => round.server_cpu))),
      generator_cpu,
      others_cpu: spreadOrNull(others),
      generator_may_limit: generator_cpu.median >= GENERATOR_BUSY,
      disturbed_rounds: others.length === 0 ? null : others.filter((cores) => cores > DISTURBED).length,
      rss_bytes: own.at(-1)?.rss_bytes ?? null,
      bytes_per_run: spread(own.map((round) => round.bytes_per_run)).median,
      errors: sum(own.map((round) => round.errors)),
      error_sample: own.find((round) => round.error_sample !== null)?.error_sample ?? null,
      ratio_to: Object.fromEntries(
        REFERENCES.filter((other) => other !== name && targets.some((target) => target.name === other)).map((other) => [
          other,
          runs_per_s.median / medianOf(other),
        ]),
      ),
    };
  });
}

/** @param {(number | null)[]} values @returns {number[]} */
const numbers = (values) => values.filter((value) => value !== null);

/** @param {number[]} values */
const spreadOrNull = (values) => (values.length === 0 ? null : spread(values));

/** @param {Record<string, number>[]} counts @returns {Record<string, number>} */
function sum(counts) {
  /** @type {Record<string, number>} */
  const total = {};
  for (const count of counts) {
    for (const [key, value] of Object.entries(count)) total[key] = (total[key] ?? 0) + value;
  }
  return total;
}
