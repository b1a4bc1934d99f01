/** The loads. Every target gets the same ones, in turns. */

import { EVENTS } from './work.mjs';

/**
 * `paced`: the deltas come PACE_MS apart. `load`: a fixed number of runs at a time, or a fixed number a second.
 * @typedef {{ name: import('./options.mjs').ScenarioName, what: string, paced: boolean,
 *   load: { concurrency: number } | { rate: number }, warmup: number, runs: number, rounds: number }} Scenario
 */

/** @param {boolean} quick @returns {Scenario[]} */
export const scenarios = (quick) => [
  {
    name: 'burst',
    what: '128 runs at a time, deltas in one burst',
    paced: false,
    load: { concurrency: 128 },
    warmup: quick ? 1_000 : 5_000,
    runs: quick ? 2_000 : 10_000,
    rounds: quick ? 3 : 7,
  },
  {
    name: 'paced',
    what: '512 runs at a time, deltas 5 ms apart',
    paced: true,
    load: { concurrency: 512 },
    warmup: quick ? 512 : 2_048,
    runs: quick ? 1_536 : 10_240,
    rounds: quick ? 2 : 5,
  },
  {
    name: 'rate',
    what: '200 runs a second, deltas in one burst',
    paced: false,
    load: { rate: 200 },
    warmup: quick ? 100 : 200,
    runs: quick ? 200 : 1_000,
    rounds: quick ? 1 : 3,
  },
];

/** What the bench does not look at; part of every result. */
export const NOT_MEASURED = [
  'networks other than loopback, TLS, HTTP/2',
  'real model providers (the model is scripted, in the same process)',
  'what many readers cost the runs beside them',
  `runs with tools, approvals or sub-agents; runs of more or fewer than ${EVENTS} events; several runs on one thread`,
  'power cuts: fsync is called, what the disk makes of it is up to the disk',
];
