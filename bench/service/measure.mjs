/**
 * What the server does beside runs: one run with many readers, readers of a run that says nothing, resuming at the end of
 * a long log, stopping a run that works. Each function gives figures of one server and throws when an answer was wrong.
 */

import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { memory } from '../lib/proc.mjs';
import { percentile } from '../lib/stats.mjs';
import { Client } from '../scale/client.mjs';
import { RawReader } from './stream.mjs';

/** The end of the last event of a run that said what it was asked for; the event itself is as long as the answer. */
const ENDED = '"usage":{"input_tokens":20,';

/** Interrupts of a fresh server that do not count. */
const WARM_UP = 10;

/** @typedef {{ url: string, pid: number }} Server */

/** Starts a run without waiting for it. @param {Server} server @param {string} agentId @param {string} threadId
 * @param {string} content @returns {Promise<string>} its id */
async function start({ url }, agentId, threadId, content) {
  const client = new Client(url, { prefer: 'respond-async' });
  const { status, body } = await client.post('/v1/runs', { agentId, threadId, messages: [{ role: 'user', content }] });
  client.close();
  if (status !== 202) throw new Error(`a start was answered with ${status} ${JSON.stringify(body)}`);
  return body.run_id;
}

/** @param {Server} server @param {string} run_id @param {string} status */
async function until({ url }, run_id, status) {
  const client = new Client(url);
  while ((await client.get(`/v1/runs/${run_id}`)).body.status !== status) await wait(20);
  client.close();
}

/** Many readers of one run. `per_s`: events × readers a second, from the first word to the last byte of the last reader.
 * @param {Server} server @param {{ readers: number, events: number }} plan */
export async function manyReaders(server, { readers, events }) {
  const run_id = await start(server, 'fountain', 'bench-readers', `${events} words after ${2 * readers} ms`);
  const all = Array.from({ length: readers }, () => new RawReader(server.url, `/v1/runs/${run_id}/events`));
  await Promise.all(all.map(({ opened }) => opened));
  const seen = await Promise.all(all.map(({ ended }) => ended));
  for (const reader of all) reader.close();
  if (!seen.every(({ tail }) => tail.includes(ENDED))) throw new Error('a reader missed the end');
  const seconds = (Math.max(...seen.map(({ end }) => end)) - Math.min(...seen.map(({ spoke }) => spoke))) / 1000;
  return { readers, events, per_s: (events * readers) / seconds, seconds };
}

/** What a reader costs that waits. @param {Server} server @param {{ readers: number }} plan */
export async function idleReaders(server, { readers }) {
  const run_id = await start(server, 'approver', 'bench-idle', 'Please');
  await until(server, run_id, 'waiting');
  const open = async (/** @type {number} */ count) => {
    const all = Array.from({ length: count }, () => new RawReader(server.url, `/v1/runs/${run_id}/events`));
    await Promise.all(all.map(({ opened }) => opened));
    return all;
  };
  // What is made once, by the first ones, is not theirs.
  const first = await open(100);
  await wait(1_000);
  const before = memory(server.pid)?.now ?? NaN;
  const all = await open(readers);
  await wait(1_000);
  const bytes = (memory(server.pid)?.now ?? NaN) - before;
  for (const reader of [...first, ...all]) reader.close();
  return { readers, bytes_each: bytes / readers };
}

/** Resuming near the end of a long run: from the request to the first frame.
 * @param {Server} server @param {{ events: number, times: number }} plan */
export async function resumeLong(server, { events, times }) {
  const run_id = await start(server, 'fountain', 'bench-resume', `${events} words`);
  await until(server, run_id, 'done');
  const ms = [];
  for (let i = 0; i < times; i++) {
    const reader = new RawReader(server.url, `/v1/runs/${run_id}/events`, { 'last-event-id': `${events - 10}` });
    const { first, tail } = await reader.ended;
    reader.close();
    if (!tail.includes(ENDED)) throw new Error('a resumed stream missed the end');
    ms.push(first - reader.asked);
  }
  return { events, ms: latencies(ms) };
}

/** From an interrupt to the end of the run's stream, behind which nothing runs any more: a tool that heeds its signal.
 * @param {Server} server @param {{ times: number }} plan */
export async function interrupts(server, { times }) {
  const client = new Client(server.url);
  const ms = [];
  for (let i = -WARM_UP; i < times; i++) {
    const threadId = `bench-interrupt-${i}`;
    const run_id = await start(server, 'worker', threadId, 'Please');
    const reader = new RawReader(server.url, `/v1/runs/${run_id}/events`);
    for await (const data of reader.socket) if (String(data).includes('"type":"activity_')) break;
    reader.close();
    const rest = new RawReader(server.url, `/v1/runs/${run_id}/events`);
    await rest.opened;
    const began = performance.now();
    const { status } = await client.post(`/v1/threads/${threadId}/interrupt`, {});
    if (status >= 300) throw new Error(`an interrupt was answered with ${status}`);
    const { end, tail } = await rest.ended;
    rest.close();
    if (!tail.includes('"code":"cancelled"')) throw new Error('an interrupted run ended otherwise');
    if (i >= 0) ms.push(end - began);
  }
  client.close();
  return { times, ms: latencies(ms) };
}

/** @param {number[]} values */
function latencies(values) {
  const sorted = Float64Array.from(values).sort();
  return { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99), max: percentile(sorted, 1) };
}
