/** The readable side of the results. Pure: gives text. */

import { DISTURBED } from './summary.mjs';

/** @typedef {import('./lib/stats.mjs').Spread} Spread */

/** @param {string[]} head @param {string[][]} rows */
function table(head, rows) {
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (/** @type {string[]} */ cells) =>
    '  ' + cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  ');
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

/** @param {number | null | undefined} value @param {number} [digits] */
const number = (value, digits = 0) =>
  value === null || value === undefined || Number.isNaN(value)
    ? 'not measured'
    : value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** @param {Spread | null} spread @param {number} [digits] */
const median = (spread, digits) => number(spread?.median, digits);

/** @param {Spread} spread */
const range = ({ min, max }) => `${number(min)}..${number(max)}`;

/** @param {number} bytes */
const megabytes = (bytes) => number(bytes / 1e6, 1);

/** @param {import('./scenarios.mjs').Scenario} scenario @param {import('./summary.mjs').Figures[]} figures */
export function scenarioReport(scenario, figures) {
  const head = ['', 'runs/s', 'min..max', '/koa-level', '/node'];
  head.push('first p50', 'p99 ms', 'run p50', 'p99 ms', 'CPU ms/run', 'server CPU', 'load CPU', 'RSS MB', 'errors');
  const rows = figures.map((f) => [
    f.target,
    median(f.runs_per_s),
    range(f.runs_per_s),
    f.ratio_to['koa-level'] === undefined ? '' : number(f.ratio_to['koa-level'], 2),
    f.ratio_to['node'] === undefined ? '' : number(f.ratio_to['node'], 2),
    median(f.first_p50_ms, 1),
    median(f.first_p99_ms, 1),
    median(f.total_p50_ms, 1),
    median(f.total_p99_ms, 1),
    median(f.cpu_ms_per_run, 3),
    median(f.server_cpu, 2),
    median(f.generator_cpu, 2),
    f.rss_bytes === null ? 'not measured' : megabytes(f.rss_bytes),
    number(Object.values(f.errors).reduce((a, b) => a + b, 0)),
  ]);
  const title = `${scenario.name}: ${scenario.what}; ${scenario.runs} runs a round, ${scenario.rounds} rounds in turn`;
  return ['', title, table(head, rows), ...remarks(figures)].join('\n');
}

/** @param {import('./summary.mjs').Figures[]} figures */
function remarks(figures) {
  return figures
    .flatMap((f) => [
      ...(f.durable_events_per_s === null ? [] : [`${f.target}: ${number(f.durable_events_per_s)} durable events/s`]),
      ...(f.generator_may_limit
        ? [`${f.target}: the load generator used ${number(f.generator_cpu.median, 2)} of a core: it may be the limit`]
        : []),
      ...(f.disturbed_rounds
        ? [
            `${f.target}: in ${f.disturbed_rounds} of ${f.rounds} rounds others used more than ${DISTURBED} of a core ` +
              `(median ${median(f.others_cpu, 2)})`,
          ]
        : []),
      ...Object.entries(f.errors).map(([fault, count]) => `${f.target}: ${count} × ${fault}`),
      ...(f.error_sample === null ? [] : [`${f.target}: one of these streams ended: ${f.error_sample.trimEnd()}`]),
    ])
    .map((line) => `  ${line}`);
}

/** @typedef {{ target: string, runs: number, bytes: number, bytes_compacted: number }} Disk */

/** @param {Disk[]} disks */
export function diskReport(disks) {
  const rows = disks.map(({ target, runs, bytes, bytes_compacted }) => [
    target,
    number(runs),
    megabytes(bytes),
    megabytes(bytes_compacted),
    number(bytes_compacted / runs),
  ]);
  const head = ['', 'finished runs', 'MB at stop', 'MB compacted', 'bytes/run compacted'];
  return ['', 'disk', table(head, rows)].join('\n');
}
