/**
 * The load generator, a process of its own: gets jobs over the IPC channel, one at a time, and answers each with what it
 * saw. Every run is checked to be complete; a run that is not counts as an error and not as a run.
 *
 * A closed job keeps `concurrency` runs going until `runs` are done. An open job (`rate`) starts a run every 1/rate s
 * whether the others are done or not, on a new connection when none is free: a server that stalls is not spared.
 */

import { setTimeout as wait } from 'node:timers/promises';
import { performance } from 'node:perf_hooks';
import { Connection } from './lib/connection.mjs';
import { percentile } from './lib/stats.mjs';
import { QUESTION } from './work.mjs';

/**
 * @typedef {{ url: string, path: string, agent: string, runs: number, name: string } &
 *   ({ concurrency: number } | { rate: number })} Job
 * @typedef {{ runs: number, wall_ms: number, runs_per_s: number, first_ms: Latency, total_ms: Latency,
 *   bytes_per_run: number, generator_cpu: number, errors: Record<string, number>, error_sample: string | null }} Report
 * @typedef {{ p50: number, p99: number, max: number }} Latency
 */

process.on('message', (/** @type {Job} */ job) => {
  void perform(job).then(
    (report) => process.send?.({ report }),
    (error) => process.send?.({ fault: String(error) }),
  );
});

/** @param {Job} job @returns {Promise<Report>} */
async function perform(job) {
  const tally = new Tally();
  const pool = await Pool.open(new URL(job.url), 'rate' in job ? 16 : job.concurrency);
  const cpu = process.cpuUsage();
  const began = performance.now();
  await ('rate' in job ? openLoop(job, job.rate, pool, tally) : closedLoop(job, job.concurrency, pool, tally));
  const wall_ms = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  pool.close();
  return tally.report(wall_ms, (user + system) / 1000 / wall_ms);
}

/** @param {Job} job @param {number} concurrency @param {Pool} pool @param {Tally} tally */
async function closedLoop(job, concurrency, pool, tally) {
  let next = 0;
  await Promise.all(
    Array.from({ length: Math.min(concurrency, job.runs) }, async () => {
      while (next < job.runs) {
        const request = requestOf(job, next++);
        const connection = await pool.take();
        const due = performance.now();
        tally.add(due, await connection.run(request));
        pool.giveBack(connection);
      }
    }),
  );
}

/** @param {Job} job @param {number} rate runs a second @param {Pool} pool @param {Tally} tally */
async function openLoop(job, rate, pool, tally) {
  const began = performance.now();
  const all = [];
  for (let i = 0; i < job.runs; i++) {
    const due = began + (i * 1000) / rate;
    const early = due - performance.now();
    if (early >= 1) await wait(early);
    all.push(single(requestOf(job, i)));
  }
  await Promise.all(all);

  /** @param {string} request */
  async function single(request) {
    const due = performance.now();
    const connection = await pool.take();
    tally.add(due, await connection.run(request));
    pool.giveBack(connection);
  }
}

/** A start payload on a thread of its own. @param {Job} job @param {number} i */
function requestOf({ url, path, agent, name }, i) {
  const messages = [{ role: 'user', content: QUESTION }];
  const body = JSON.stringify({ agentId: agent, threadId: `${name}-${i}`, messages });
  return (
    `POST ${path} HTTP/1.1\r\nhost: ${new URL(url).host}\r\naccept: text/event-stream\r\n` +
    `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}

class Pool {
  /** @type {Connection[]} */ #free = [];
  /** @type {Set<Connection>} */ #all = new Set();
  #url;

  /** @param {URL} url @param {number} size connections opened beforehand */
  static async open(url, size) {
    const pool = new Pool(url);
    for (let i = 0; i < size; i++) pool.#free.push(await pool.#connect());
    return pool;
  }

  /** @param {URL} url */
  constructor(url) {
    this.#url = url;
  }

  async take() {
    return this.#free.pop() ?? (await this.#connect());
  }

  /** @param {Connection} connection */
  giveBack(connection) {
    if (connection.usable) this.#free.push(connection);
  }

  close() {
    for (const connection of this.#all) connection.close();
  }

  async #connect() {
    const connection = await Connection.open(this.#url);
    this.#all.add(connection);
    return connection;
  }
}

class Tally {
  /** @type {number[]} */ #first = [];
  /** @type {number[]} */ #total = [];
  /** @type {Record<string, number>} */ #errors = {};
  #bytes = 0;
  /** @type {string | null} */ #sample = null;

  /** @param {number} due @param {import('./lib/connection.mjs').Outcome} outcome */
  add(due, outcome) {
    if (!outcome.ok) {
      this.#errors[outcome.fault] = (this.#errors[outcome.fault] ?? 0) + 1;
      this.#sample ??= outcome.sample ?? null;
      return;
    }
    this.#first.push(outcome.first - due);
    this.#total.push(outcome.end - due);
    this.#bytes += outcome.bytes;
  }

  /** @param {number} wall_ms @param {number} generator_cpu share of one core @returns {Report} */
  report(wall_ms, generator_cpu) {
    const runs = this.#total.length;
    return {
      runs,
      wall_ms,
      runs_per_s: (runs / wall_ms) * 1000,
      first_ms: latency(this.#first),
      total_ms: latency(this.#total),
      bytes_per_run: runs === 0 ? 0 : this.#bytes / runs,
      generator_cpu,
      errors: this.#errors,
      error_sample: this.#sample,
    };
  }
}

/** @param {number[]} values @returns {Latency} */
function latency(values) {
  const sorted = Float64Array.from(values).sort();
  return { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99), max: percentile(sorted, 1) };
}
