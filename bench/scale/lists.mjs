/**
 * Lists and starts of a server that has a million runs: how long until its routes are open and its lists are whole, from
 * the blocks of its columns and after `kill -9` with changed rows; how long a page takes, and whether it is right.
 */

import { mkdir } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { cpuMs } from '../lib/proc.mjs';
import { percentile } from '../lib/stats.mjs';
import { directoryBytes } from '../lib/disk.mjs';
import { Client } from './client.mjs';
import { writeData } from './data.mjs';
import { Naive } from './naive.mjs';
import { randomQuery, random } from './queries.mjs';
import { Records } from './records.mjs';
import { Subject } from './subject.mjs';

/** Pages of the approvals asked for, and starts under way at a time. */
const APPROVAL_PAGES = 50;
const AT_ONCE = 32;

/** `rest`: seconds between the use and the last look at the memory.
 * @param {{ runs: number, threads: number, queries: number, checked: number, changes: number, seed: number, rest: number,
 *   directory: string, say(line: string): void }} plan */
export async function measureLists({ runs, threads, queries, checked, changes, seed, rest, directory, say }) {
  const records = new Records(runs, threads);
  const [data, empty] = [join(directory, 'data'), join(directory, 'empty')];
  const began = performance.now();
  await mkdir(empty, { recursive: true });
  await writeData(data, records);
  say(`${runs} runs on ${threads} threads written in ${seconds(began)} s`);
  const disk_bytes = await directoryBytes(data);

  // The store tidies up behind the generator, which no server does: in a start that is not counted.
  const tidying = await start(data, runs);
  await tidying.subject.stop();
  const nothing = await start(empty, 0);
  await nothing.subject.stop();
  const whole = await start(data, runs);
  const client = new Client(whole.subject.url);
  try {
    const before = cpuMs(whole.subject.pid);
    const pages = await ask(client, records, { queries, checked, seed });
    const page_cpu_ms = ((cpuMs(whole.subject.pid) ?? NaN) - (before ?? NaN)) / queries;
    say(`${queries} pages asked for, ${checked} of them checked`);
    const approvals = await leaveOpen(whole.subject, records, { changes, seed });
    say(`${changes} runs started that wait for a decision`);
    const used = whole.subject.memory();
    await wait(rest * 1000);
    const rested = whole.subject.memory();
    await whole.subject.kill();
    const again = await start(data, runs + changes);
    const pending = await new Client(again.subject.url).get('/v1/approvals?limit=1');
    await again.subject.stop();
    return {
      ...{ runs, threads, disk_bytes, seed },
      start: { of_nothing: nothing.figures, from_blocks: whole.figures, after_kill: again.figures },
      pages,
      page_cpu_ms,
      approvals: { ...approvals, after_kill: pending.body.total },
      memory: { of_nothing: nothing.memory, start: whole.memory, use: used, rest: { seconds: rest, ...rested } },
      exact:
        whole.exact && again.exact && pages.wrong.length === 0 && approvals.exact && pending.body.total === changes,
    };
  } finally {
    client.close();
    await whole.subject.kill();
  }
}

/** A start, until the routes are open and until the first list has answered. @param {string} data @param {number} total */
async function start(data, total) {
  const began = performance.now();
  const subject = await Subject.start({ data });
  const routes_open_ms = performance.now() - began;
  const routes_open_cpu_ms = cpuMs(subject.pid);
  const client = new Client(subject.url);
  const { body } = await client.get('/v1/runs?limit=1');
  const lists_whole_ms = performance.now() - began;
  client.close();
  const figures = {
    ...{ routes_open_ms, routes_open_cpu_ms, lists_whole_ms, lists_whole_cpu_ms: cpuMs(subject.pid) },
  };
  return { subject, figures, memory: subject.memory(), exact: body.total === total };
}

/** @param {Client} client @param {Records} records @param {{ queries: number, checked: number, seed: number }} plan */
async function ask(client, records, { queries, checked, seed }) {
  const naive = new Naive(records);
  const next = random(seed);
  /** @type {Record<string, number[]>} */
  const times = { runs: [], summaries: [] };
  /** @type {{ path: string, why: string }[]} */
  const wrong = [];
  for (let i = 0; i < queries; i++) {
    const query = randomQuery(next, records);
    const { status, body, ms } = await client.get(query.path);
    times[query.list]?.push(ms);
    if (status !== 200) wrong.push({ path: query.path, why: `status ${status}` });
    else if (i < checked) {
      const expected = query.list === 'runs' ? naive.listRuns(query.filter) : naive.listSummaries(query.filter);
      const ids = body.items.map((/** @type {{ run_id?: string, id?: string }} */ item) => item.run_id ?? item.id);
      if (body.total !== expected.total) wrong.push({ path: query.path, why: `${body.total}, not ${expected.total}` });
      else if (ids.join() !== expected.ids.join()) wrong.push({ path: query.path, why: 'not the right page' });
    }
  }
  return { ms: latencies(Object.values(times).flat()), by_list: mapValues(times, latencies), checked, wrong };
}

/** Has runs of old threads wait for decisions, then pages through them.
 * @param {Subject} subject @param {Records} records @param {{ changes: number, seed: number }} plan */
async function leaveOpen(subject, records, { changes, seed }) {
  const next = random(seed + 1);
  const tnos = new Set();
  while (tnos.size < changes) tnos.add(Math.floor(next() * records.threads));
  const left = [...tnos];
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      const client = new Client(subject.url);
      for (let tno = left.pop(); tno !== undefined; tno = left.pop()) {
        const messages = [{ role: 'user', content: 'Please' }];
        const start = { agentId: 'approver', threadId: records.threadId(tno), messages };
        const { status, body } = await client.post('/v1/runs', start);
        if (status !== 200) throw new Error(`a start was answered with ${status} ${JSON.stringify(body)}`);
      }
      client.close();
    }),
  );
  const client = new Client(subject.url);
  const times = [];
  let total = NaN;
  for (let i = 0; i < APPROVAL_PAGES; i++) {
    const { body, ms } = await client.get(`/v1/approvals?limit=50&offset=${i * 7}`);
    times.push(ms);
    total = body.total;
  }
  client.close();
  return { total, exact: total === changes, ms: latencies(times) };
}

/** @param {number[]} values */
function latencies(values) {
  const sorted = Float64Array.from(values).sort();
  return { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99), max: percentile(sorted, 1) };
}

/** @template A, B @param {Record<string, A>} record @param {(value: A) => B} map */
const mapValues = (record, map) => Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));

const seconds = (/** @type {number} */ since) => ((performance.now() - since) / 1000).toFixed(1);
