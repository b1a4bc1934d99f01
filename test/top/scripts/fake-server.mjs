/**
 * A server that only tells of runs, as many and as fast as it is asked to: what the screen is measured against. It speaks
 * the operator routes that the screen uses; the runs are made up, the feed is the product's own (ring, readers, batches).
 *
 *   node fake-server.mjs <runs> <transitions a second>
 */

import { createServer } from 'node:http';
import { FeedRing } from '../../../dist/actors/live/ring.js';
import { FeedHub } from '../../../dist/http/operator/feed/feed-hub.js';
import { FeedStream } from '../../../dist/http/operator/feed/feed-stream.js';
import { positionOf } from '../../../dist/http/operator/feed/frames.js';
import { feedQuery, wishOf } from '../../../dist/http/operator/feed/wish.js';
import { KeepAlive } from '../../../dist/http/keep-alive.js';
import { parseQuery } from '../../../dist/http/query.js';

const [runs, perSecond] = process.argv.slice(2).map(Number);
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

const stats = () => ({
  runs_per_s: Math.round(perSecond / 10),
  events_per_s: perSecond,
  first_event_p50_ms: 2,
  first_event_p99_ms: 9,
  commit_p99_ms: 4,
  running: runs,
  waiting: 5,
  queued: 112,
  dead_letters: 1,
  threads: runs,
  runs,
  db_bytes: 1.9e9,
});

const feed = new FeedRing(() => Date.now());
const inspection = {
  feed,
  stats,
  picture: async () => ({ position: feed.last, at: Date.now(), items: fleet.slice(0, 1_000), total: runs }),
};
const hub = new FeedHub({ size: 1 });
const keepAlive = new KeepAlive(15_000);

function follow(req, res, query) {
  const position = positionOf(feed.boot, req.headers['last-event-id'] ?? '') ?? null;
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  const wish = wishOf(parseQuery(feedQuery, { query }));
  new FeedStream({ res, keepAlive, gone() {} }, hub.source(inspection), wish, position).start();
}

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
      return follow(req, res, Object.fromEntries(url.searchParams));
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
  for (let i = 0; i < perSecond / 20; i++) {
    const n = Math.floor(Math.random() * runs);
    const before = fleet[n];
    const actor = (fleet[n] = runOf(n, Math.floor(Math.random() * states.length), Date.now()));
    if (!feed.isWatched) continue;
    feed.push({ type: 'transition', at: Date.now(), actor, event: 'SETTLED', from: before.path, to: actor.path });
  }
}, 50);

server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
