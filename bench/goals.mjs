/** The promises about speed (QUALITY), each beside what the bench has seen of it. Pure. */

import { atLeast, atMost, noted } from './lib/goals.mjs';
import { goalsOf as scaleGoals } from './scale/goals.mjs';

/** @typedef {import('./summary.mjs').Figures} Figures
 *  @typedef {import('./lib/goals.mjs').Goal} Goal
 *  @typedef {{ scenarios: { name: string, figures: Figures[] }[], disk: import('./report.mjs').Disk[],
 *    service: Awaited<ReturnType<typeof import('./service/run.mjs').measureService>> }} Results */

const SUBJECT = 'agent-server';

/** @param {Results} results @returns {Goal[]} */
export function goalsOf({ scenarios, disk, service }) {
  const of = (/** @type {string} */ name, target = SUBJECT) =>
    scenarios.find((scenario) => scenario.name === name)?.figures.find((figures) => figures.target === target);
  const [burst, paced, rate] = [of('burst'), of('paced'), of('rate')];
  const stored = disk.find(({ target }) => target === SUBJECT);
  const { readers, idle, resume, interrupt, lists, recovery } = service;
  return [
    ...(burst
      ? [
          atLeast('burst: runs/s, part of koa-level', burst.ratio_to['koa-level'] ?? NaN, 0.6, ''),
          noted('burst: runs/s', burst.runs_per_s.median, ''),
          atLeast('durable events/s', burst.durable_events_per_s ?? NaN, 30_000, ''),
        ]
      : []),
    ...(paced
      ? [
          atLeast('paced: runs/s, where node reaches 13,000 in bursts', paced.runs_per_s.median, 2_000, ''),
          noted('node in bursts: runs/s', of('burst', 'node')?.runs_per_s.median ?? NaN, ''),
        ]
      : []),
    ...(rate
      ? [
          atMost('first event at 200 runs/s, p50', rate.first_p50_ms.median, 3, 'ms'),
          atMost('first event at 200 runs/s, p99', rate.first_p99_ms.median, 15, 'ms'),
        ]
      : []),
    ...(readers ? [atLeast(`events × readers/s, ${readers.readers} readers`, readers.per_s, 200_000, '')] : []),
    ...(idle ? [atMost(`an idle reader, of ${idle.readers}`, idle.bytes_each / 1000, 21, 'kB')] : []),
    ...(resume ? [atMost(`resume at the end of ${resume.events} events, p50`, resume.ms.p50, 10, 'ms')] : []),
    ...(interrupt ? [atMost('interrupt to stopped, p99', interrupt.ms.p99, 50, 'ms')] : []),
    ...(stored && stored.runs > 0
      ? [atMost('disk of a finished run, compacted', stored.bytes_compacted / stored.runs / 1000, 1.5, 'kB')]
      : []),
    ...scaleGoals({ lists, recovery }),
  ];
}
