/**
 * Recovery: so many runs are open (running, waiting for a decision, queued for a slot or behind another run) when the
 * server is killed. How long until its routes are open again, until every run that was running is being run, and until
 * everything that waits for nobody has ended.
 */

import { mkdir, readFile } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from './client.mjs';
import { Subject } from './subject.mjs';

const CONFIG = fileURLToPath(new URL('recovery.config.mjs', import.meta.url));
const AT_ONCE = 32;
/** The server's default bound of running runs. */
const SLOTS = 256;
/** Of the open runs so many wait for a decision; of the others so many are queued behind another run of their thread. */
const WAITING = 0.3;
const BEHIND = 0.1;
/** Runs looked at closely. */
const SAMPLE = 20;
const LOOK_MS = 10;
const PATIENCE_MS = 120_000;

/** @param {{ open: number, directory: string, say(line: string): void }} plan */
export async function measureRecovery({ open, directory, say }) {
  const data = join(directory, 'recovery');
  await mkdir(data);
  const waiting = Math.round(open * WAITING);
  const talking = open - waiting;
  const slots = Math.min(SLOTS, Math.round(talking * (1 - BEHIND)));

  const held = await Subject.start({ data, config: CONFIG, env: { SCALE_HOLD: '1' } });
  /** @type {string[]} */ let running;
  try {
    const client = new Client(held.url);
    await startAll(held.url, waiting, (n) => ({ agentId: 'approver', threadId: `approval-${n}` }));
    await until(async () => (await client.get('/v1/approvals?limit=1')).body.total === waiting);
    const behind = Math.round(talking * BEHIND);
    await startAll(held.url, talking, (n) => {
      const threadId = n < talking - behind ? `talk-${n}` : `talk-${n - (talking - behind)}`;
      return { agentId: 'talker', threadId, runId: `run-${n}`, on_busy: 'enqueue' };
    });
    await until(async () => (await client.get('/v1/runs?status=running&limit=1')).body.total >= slots);
    running = await idsOf(client, '/v1/runs?status=running');
    client.close();
  } finally {
    await held.kill();
  }
  say(`${open} runs open: ${running.length} running, ${waiting} waiting, ${talking - running.length} queued; killed`);

  const ledger = join(directory, 'asked');
  const began = performance.now();
  const again = await Subject.start({ data, config: CONFIG, env: { SCALE_LEDGER: ledger } });
  try {
    const routes_open_ms = performance.now() - began;
    const client = new Client(again.url);
    const left = new Set(running);
    await until(async () => {
      for (const run_id of (await readFile(ledger, 'utf8').catch(() => '')).split('\n')) left.delete(run_id);
      return left.size === 0;
    });
    const running_again_ms = performance.now() - began;
    await until(async () => (await client.get('/v1/runs?status=done&limit=1')).body.total >= talking);
    const all_ended_ms = performance.now() - began;
    const faults = await check(client, { waiting, talking, running });
    client.close();
    const rss_bytes = again.memory()?.now ?? null;
    return {
      ...{ open, running: running.length, waiting, queued: talking - running.length },
      ...{ routes_open_ms, running_again_ms, all_ended_ms, rss_bytes, faults },
      exact: faults.length === 0,
    };
  } finally {
    await again.kill();
  }
}

/** Starts runs without waiting for them. @param {string} url @param {number} count @param {(n: number) => object} start */
async function startAll(url, count, start) {
  let next = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      const client = new Client(url, { prefer: 'respond-async' });
      for (let n = next++; n < count; n = next++) {
        const messages = [{ role: 'user', content: `How are you? from run-${n}` }];
        const { status, body } = await client.post('/v1/runs', { messages, ...start(n) });
        if (status !== 202) throw new Error(`a start was answered with ${status} ${JSON.stringify(body)}`);
      }
      client.close();
    }),
  );
}

/** What is not as it should be. @param {Client} client
 * @param {{ waiting: number, talking: number, running: string[] }} expected @returns {Promise<string[]>} */
async function check(client, { waiting, talking, running }) {
  const faults = [];
  for (const [path, expected] of /** @type {const} */ ([
    ['/v1/runs?status=done&termination_code=natural', talking],
    ['/v1/runs?status=waiting&termination_code=input_required', waiting],
    ['/v1/runs?status=running', 0],
    ['/v1/approvals', waiting],
  ])) {
    const { total } = (await client.get(path)).body;
    if (total !== expected) faults.push(`${path}: ${total}, not ${expected}`);
  }
  const stream = new Client(client.url, { accept: 'text/event-stream' });
  for (const run_id of running.slice(0, SAMPLE)) {
    const { body } = await stream.get(`/v1/runs/${run_id}/events`);
    const ids = [...String(body).matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
    if (ids.some((id, i) => id !== i)) faults.push(`${run_id}: its events have gaps`);
    if (!String(body).includes('"type":"inference_retry"')) faults.push(`${run_id}: its model was not asked again`);
  }
  stream.close();
  for (const approval of (await client.get(`/v1/approvals?limit=${SAMPLE}`)).body.items) {
    const { run_id, tool_call_id } = approval;
    const decision = { target_id: tool_call_id, decision_id: `end ${run_id}`, action: 'cancel' };
    const { status } = await client.post(`/v1/runs/${run_id}/inputs`, { decisions: [decision] });
    if (status >= 300) faults.push(`${run_id}: a decision was answered with ${status}`);
    await until(async () => (await client.get(`/v1/runs/${run_id}`)).body.status === 'done');
  }
  return faults;
}

/** @param {Client} client @param {string} path @returns {Promise<string[]>} */
async function idsOf(client, path) {
  const ids = [];
  for (;;) {
    const { items, has_more } = (await client.get(`${path}&limit=200&offset=${ids.length}`)).body;
    ids.push(...items.map((/** @type {{ run_id: string }} */ { run_id }) => run_id));
    if (!has_more) return ids;
  }
}

/** @param {() => Promise<boolean>} isSo */
async function until(isSo) {
  const end = performance.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`not so after ${PATIENCE_MS / 1000} s: ${isSo}`);
    await wait(LOOK_MS);
  }
}
