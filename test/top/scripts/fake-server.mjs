/**
 * A server that only tells of runs, as many and as fast as it is asked to: what the screen is measured against. It speaks
 * the operator routes that the screen uses; the runs are made up.
 *
 *   node fake-server.mjs <runs> <frames a second>
 */

import { createServer } from 'node:http';

const [runs, framesPerSecond] = process.argv.slice(2).map(Number);
const states = [
  { value: { running: 'inferring' }, path: ['running', 'inferring'] },
  { value: { running: 'acting' }, path: ['running', 'acting'] },
  { value: 'waiting', path: ['waiting'] },
];
const agents = ['billing', 'search', 'writer'];
const began = Date.now();

function runOf(n, state, since) {
  const run_id = `019aa000-0000-7000-8000-${String(n).padStart(12, '0')}`;
  const isAsking = state === 2;
  return {
    id: `run:${run_id}`,
    kind: 'run',
    machine: 'run',
    ...states[state],
    since,
    parent_id: `thread:thread-${n}`,
    thread_id: `thread-${n}`,
    run_id,
    agent_id: agents[n % agents.length],
    queued: n % 7 === 0 ? 3 : 0,
    memory: 'live',
    tool: state === 0 ? null : { name: 'refund', arguments: { eur: n }, progress: null, message: null },
    waiting_for: isAsking ? { kind: 'approval', message: 'refund?', tool_call_ids: ['call-1'] } : null,
    created_at: since,
  };
}

const fleet = Array.from({ length: runs }, (_, n) => runOf(n, n % states.length, began - (runs - n) * 1_000));
const readers = new Set();
let seq = 0;

const stats = () => ({
  runs_per_s: Math.round(framesPerSecond / 10),
  events_per_s: framesPerSecond,
  first_event_p50_ms: 2,
  first_event_p99_ms: 9,
  commit_p99_ms: 4,
  running: runs,
  waiting: 5,
  queued: 112,
  dead_letters: 1,
  threads: runs,
  runs,
  heap_bytes: 212e6,
  rss_bytes: 300e6,
  loop_lag_ms: 1.3,
  db_bytes: 1.9e9,
  sse_readers: readers.size,
  uptime_ms: Date.now() - began,
  version: '1.0.0',
});

const frame = (data, id) => `${id === undefined ? '' : `id: fake-${id}\n`}data: ${JSON.stringify(data)}\n\n`;

const server = createServer((req, res) => {
  const url = new URL(req.url, 'http://fake');
  const json = (body, status = 200) =>
    res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const page = (items) => {
    const offset = Number(url.searchParams.get('offset') ?? 0);
    const limit = Number(url.searchParams.get('limit') ?? 50);
    json({ items: items.slice(offset, offset + limit), total: items.length, has_more: items.length > offset + limit });
  };
  switch (url.pathname) {
    case '/v1/actors/events':
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write(
        frame({ type: 'reset', at: Date.now(), items: fleet.slice(0, 1_000), total: runs, stats: stats() }, seq),
      );
      readers.add(res);
      return void res.on('close', () => readers.delete(res));
    case '/v1/actors':
      return page(fleet);
    case '/v1/approvals':
    case '/v1/agents':
      return page([]);
    default:
      return json({ error: `not here: ${url.pathname}` }, 404);
  }
});

setInterval(() => {
  let frames = '';
  for (let i = 0; i < framesPerSecond / 20; i++) {
    const n = Math.floor(Math.random() * runs);
    const before = fleet[n];
    const actor = (fleet[n] = runOf(n, Math.floor(Math.random() * states.length), Date.now()));
    frames += frame(
      { type: 'transition', at: Date.now(), actor, event: 'SETTLED', from: before.path, to: actor.path },
      ++seq,
    );
  }
  if (frames !== '') for (const res of readers) res.write(frames);
}, 50);
setInterval(() => {
  for (const res of readers) res.write(frame({ type: 'stats', at: Date.now(), ...stats() }));
}, 1_000);

server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
