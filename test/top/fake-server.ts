/**
 * A server that only tells of runs, as many and as fast as it is asked to: what the screen is measured against. It speaks
 * the operator routes that the screen uses; the runs are made up.
 */

import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runMachine } from '../../src/actors/machines/index.js';
import type { ActorFrame, ActorItem, Stats } from '../../src/cli/client/index.js';
import { definitionOf } from '../support/drawn-machines.js';

export type FakeFleet = { runs: number; framesPerSecond: number };

const states = [
  { value: { running: 'inferring' }, path: ['running', 'inferring'] },
  { value: { running: 'acting' }, path: ['running', 'acting'] },
  { value: 'waiting', path: ['waiting'] },
];

const idOf = (n: number): string => `019aa000-0000-7000-8000-${String(n).padStart(12, '0')}`;

function runOf(n: number, state: number, since: number): ActorItem {
  const { value, path } = states[state % states.length]!;
  return {
    id: `run:${idOf(n)}`,
    kind: 'run',
    machine: 'run',
    value,
    path,
    since,
    parent_id: `thread:thread-${n}`,
    thread_id: `thread-${n}`,
    run_id: idOf(n),
    agent_id: ['billing', 'search', 'writer'][n % 3]!,
    queued: n % 7 === 0 ? 3 : 0,
    memory: 'live',
    tool: state % 3 === 0 ? null : { name: 'refund', arguments: { eur: n }, progress: null, message: null },
    waiting_for: state % 3 === 2 ? { kind: 'approval', message: 'refund?', tool_call_ids: ['call-1'] } : null,
    created_at: since,
  };
}

export async function openFakeServer({ runs, framesPerSecond }: FakeFleet) {
  const began = Date.now();
  const fleet = Array.from({ length: runs }, (_, n) => runOf(n, n, began - (runs - n) * 1_000));
  const readers = new Set<ServerResponse>();
  let seq = 0;

  const stats = (): Stats => ({
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
  const write = (frame: ActorFrame, id?: number): string =>
    `${id === undefined ? '' : `id: fake-${id}\n`}data: ${JSON.stringify(frame)}\n\n`;

  const server = createServer((req, res) => {
    const url = new URL(req.url!, 'http://fake');
    const json = (body: unknown, status = 200): void =>
      void res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const list = (items: readonly unknown[]): void => {
      const offset = Number(url.searchParams.get('offset') ?? 0);
      const limit = Number(url.searchParams.get('limit') ?? 50);
      json({
        items: items.slice(offset, offset + limit),
        total: items.length,
        has_more: items.length > offset + limit,
      });
    };
    switch (url.pathname) {
      case '/v1/actors/events': {
        res.writeHead(200, { 'content-type': 'text/event-stream' });
        const items = fleet.slice(0, 1_000);
        res.write(write({ type: 'reset', at: Date.now(), items, total: runs, stats: stats() }, seq));
        readers.add(res);
        res.on('close', () => readers.delete(res));
        return;
      }
      case '/v1/actors':
        return list(fleet);
      case '/v1/machines/run':
        return json({ name: 'run', version: 1, definition: definitionOf(runMachine) });
      case '/v1/approvals':
      case '/v1/agents':
        return list([]);
    }
    const actor = fleet.find(({ id }) => `/v1/actors/${encodeURIComponent(id)}` === url.pathname);
    if (actor)
      return json({
        ...actor,
        context: {},
        machine_version: 1,
        enabled_events: [],
        deadlines: [],
        effects: [],
        transitions: [],
        parent_run_id: null,
        children: [],
      });
    json({ error: `not here: ${url.pathname}` }, 404);
  });

  const beat = setInterval(() => {
    let frames = '';
    for (let i = 0; i < framesPerSecond / 20; i++) {
      const n = Math.floor(Math.random() * runs);
      const before = fleet[n]!;
      const actor = (fleet[n] = runOf(n, Math.floor(Math.random() * 3), Date.now()));
      frames += write(
        { type: 'transition', at: Date.now(), actor, event: 'SETTLED', from: before.path, to: actor.path },
        ++seq,
      );
    }
    for (const res of readers) if (frames !== '') res.write(frames);
  }, 50);
  const pulse = setInterval(() => {
    for (const res of readers) res.write(write({ type: 'stats', at: Date.now(), ...stats() }));
  }, 1_000);

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close(): Promise<void> {
      clearInterval(beat);
      clearInterval(pulse);
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
