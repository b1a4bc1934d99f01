/** A model of the screen with a fleet in it, as the server would have told it. */

import type { Agent, Approval, ActorItem, Client, Stats } from '../../src/cli/client/index.js';
import { newModel, type Model, type Setup, type View } from '../../src/cli/top/model/model.js';
import { screenOf } from '../../src/cli/top/screens/index.js';
import { tabOf } from '../../src/cli/top/tabs/index.js';
import { agentsWant } from '../../src/cli/top/screens/agents.js';
import { approvalsWant } from '../../src/cli/top/screens/approvals.js';

export const NOW = 1_700_000_000_000;

export const stats: Stats = {
  runs_per_s: 212,
  events_per_s: 1_840,
  first_event_p50_ms: 3,
  first_event_p99_ms: 9,
  commit_p99_ms: 4,
  running: 37,
  waiting: 5,
  queued: 112,
  dead_letters: 1,
  threads: 1_204,
  runs: 90_000,
  heap_bytes: 212e6,
  rss_bytes: 300e6,
  loop_lag_ms: 1.3,
  db_bytes: 1.9e9,
  sse_readers: 3,
  uptime_ms: 273_600_000,
  version: '1.0.0',
};

export function actor(change: Partial<ActorItem> & { run_id: string }): ActorItem {
  const { run_id, thread_id = `th-${run_id}` } = change;
  return {
    id: `run:${run_id}`,
    kind: 'run',
    machine: 'run',
    value: { running: 'inferring' },
    path: ['running', 'inferring'],
    since: NOW - 60_000,
    parent_id: `thread:${thread_id}`,
    thread_id,
    agent_id: 'billing',
    queued: 0,
    memory: 'live',
    tool: null,
    waiting_for: null,
    created_at: NOW - 120_000,
    ...change,
  };
}

/** A run that waits for somebody to say whether it may. */
export const asking = (run_id: string, change: Omit<Partial<ActorItem>, 'run_id'> = {}): ActorItem =>
  actor({
    run_id,
    value: 'waiting',
    path: ['waiting'],
    tool: { name: 'refund', arguments: { eur: 1_200 }, progress: null, message: null },
    waiting_for: { kind: 'approval', message: 'approve refund?', tool_call_ids: [`call-${run_id}`] },
    ...change,
  });

export function modelOf(
  items: readonly ActorItem[],
  setup: Partial<Setup> = {},
  size: View['size'] = { columns: 120, rows: 40 },
): Model {
  const model = newModel(
    { url: 'http://127.0.0.1:8080', access: 'operate', glyphs: 'unicode', where: [], ...setup },
    size,
    NOW,
  );
  model.connection = { is: 'live' };
  model.stats = stats;
  model.pulse.push(stats);
  model.fleet.apply({ type: 'reset', at: NOW, items: [...items], total: items.length, stats });
  return model;
}

export const agent = (id: string, tools: Record<string, string> = {}): Agent => ({
  id,
  name: id,
  description: '',
  model: 'scripted:x',
  tools: Object.entries(tools).map(([name, effect]) => ({
    name,
    description: '',
    parameters: {},
    effect,
    frontend: false,
  })),
  delegates: [],
  tool_execution_mode: 'parallel_streaming',
  max_rounds: 10,
});

export const approval = (run: ActorItem): Approval => ({
  thread_id: run.thread_id,
  run_id: run.run_id!,
  agent_id: run.agent_id!,
  tool_call_id: run.waiting_for!.tool_call_ids[0]!,
  name: run.tool!.name,
  arguments: run.tool!.arguments,
  suspension: { id: 'fc', kind: run.waiting_for!.kind, message: run.waiting_for!.message },
  since: run.since,
});

/** Answers what the screen wants, as the routes would; `bodies` by the beginning of the want's key. */
export function feed(model: Model, bodies: Record<string, unknown>): void {
  const { open } = model.view;
  const wants = [
    agentsWant,
    approvalsWant(model),
    ...(screenOf(model)?.wants(model) ?? []),
    ...(open ? tabOf(open).wants(model, open) : []),
  ];
  for (const { key, stamp } of wants) {
    const found = Object.keys(bodies).find((start) => key.startsWith(start));
    if (found !== undefined) model.resources.end(key, stamp, model.now, { value: bodies[found] });
  }
}

export const page = <T>(items: readonly T[]) => ({ items, total: items.length, has_more: false, offset: 0 });

/** A client that answers from functions; any other call fails the test. */
export const fakeClient = (methods: Partial<Client>): Client => methods as Client;
