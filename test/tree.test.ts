/**
 * A tree of agents three levels deep, killed at random commits again and again: every run of it ends, nobody is left
 * behind, no `once` tool runs twice, and each child's end is told to its parent exactly once (CONTRACT 5.5, 1.15).
 */

import { expect, test } from 'vitest';
import { canonicalEvents } from '../src/actors/events.js';
import { openEngine, type CanonicalEvent, type HostedEngine, type RunRecord } from '../src/actors/index.js';
import { defineAgent } from '../src/agents/agent.js';
import { createAgentRegistry } from '../src/agents/registry.js';
import { finish, say, toolCall } from '../src/agents/scripted/parts.js';
import { scriptedModel } from '../src/agents/scripted/model.js';
import { defineTool } from '../src/agents/tool.js';
import * as keys from '../src/store/keys.js';
import { Disk } from '../src/store/memory-disk.js';
import { MemoryStore } from '../src/store/memory.js';
import { dice } from './support/dice.js';

const KILLS = 200;
const KILLS_A_TREE = 8;

function* asking(children: [id: string, agent_id: string][]) {
  for (const [id, agent_id] of children) yield* toolCall(id, 'agent_run', { agent_id, prompt: 'go on' });
  yield finish('tool-calls');
}

/** root → two mids → two leaves each; every leaf pays once. */
function agents(paid: Map<string, number>) {
  const pay = defineTool({
    name: 'pay',
    description: 'pays',
    input: { type: 'object' },
    execute: (_, { run_id }) => {
      paid.set(run_id, (paid.get(run_id) ?? 0) + 1);
      return 'paid';
    },
  });
  const node = (id: string, children: [string, string][]) =>
    defineAgent({
      id,
      model: scriptedModel(({ prompt }) => (prompt.at(-1)!.role === 'tool' ? say(`${id} done`) : asking(children))),
      delegates: [...new Set(children.map(([, agent_id]) => agent_id))],
    });
  const leaf = defineAgent({
    id: 'leaf',
    tools: [pay],
    model: scriptedModel(({ prompt }) =>
      prompt.at(-1)!.role === 'tool' ? say('leaf done') : [...toolCall('pay call', 'pay'), finish('tool-calls')],
    ),
  });
  return createAgentRegistry([
    node('root', [
      ['left', 'mid'],
      ['right', 'mid'],
    ]),
    node('mid', [
      ['one', 'leaf'],
      ['two', 'leaf'],
    ]),
    leaf,
  ]);
}

/** Starts the root if it is not there, answers what is in doubt at the root only, and waits for its end. */
async function live(engine: HostedEngine): Promise<void> {
  if (!(await engine.read({ kind: 'run', run_id: 'root' }))) {
    const start = { agent_id: 'root', run_id: 'root', thread_id: 'tree', origin: 'user', on_busy: 'enqueue' } as const;
    await engine.deliver({ type: 'start', start: { ...start, messages: [{ role: 'user', content: 'go' }] } });
  }
  const reader = await engine.readEvents('root', -1);
  let asked = new Set<string>();
  for (let slice = await reader.next(); slice; slice = await reader.next()) {
    for (const event of canonicalEvents(slice.chunk, reader.run, slice.from)) {
      if (event.type === 'tool_call_suspended') asked.add(event.data.id);
      if (event.type === 'tool_call_resumed') asked.delete(event.data.target_id);
    }
    if (!reader.caughtUp || asked.size === 0) continue;
    const decisions = [...asked].map((target_id, i) => ({
      target_id,
      decision_id: `${target_id} ${slice.chunk.n} ${i}`,
      action: 'resume' as const,
      result: 'a person has looked: it is paid',
      updated_at: 0,
    }));
    asked = new Set();
    await engine.deliver({ type: 'decide', run_id: 'root', decisions });
  }
}

async function runsOf(engine: HostedEngine): Promise<{ run: RunRecord; events: CanonicalEvent[] }[]> {
  const { items } = await engine.list({ kind: 'runs', offset: 0, limit: 200 });
  return Promise.all(
    items.map(async (run) => {
      const reader = await engine.readEvents(run.run_id, -1);
      const events: CanonicalEvent[] = [];
      for (let slice = await reader.next(); slice; slice = await reader.next())
        events.push(...canonicalEvents(slice.chunk, run, slice.from));
      return { run, events };
    }),
  );
}

test(`${KILLS} kills, up to ${KILLS_A_TREE} a tree`, async () => {
  let killed = 0;
  let inDoubt = 0;
  for (let seed = 1; killed < KILLS; seed++) {
    const pick = dice(seed);
    const disk = new Disk();
    const paid = new Map<string, number>();
    for (let kill = 0; ; kill++) {
      const at = disk.batches + 1 + pick(6);
      const fate = pick(2) === 0 ? 'crash-before' : 'crash-after';
      const store = new MemoryStore(disk, { batch: (n) => (kill < KILLS_A_TREE && n === at ? fate : 'ok') });
      const engine = await openEngine({ store, agents: agents(paid) });
      const survived = await Promise.race([live(engine).then(() => true), store.crashed.then(() => false)]);
      if (!survived) {
        killed++;
        continue;
      }
      const runs = await runsOf(engine);
      const where = `seed ${seed}`;
      expect(
        runs.map(({ run }) => run.status),
        where,
      ).toEqual(Array(7).fill('done'));
      expect(
        runs.map(({ run }) => run.termination_code),
        where,
      ).toEqual(Array(7).fill('natural'));
      for (const { run, events } of runs) {
        expect(
          events.map((event) => event.seq),
          where,
        ).toEqual(events.map((_, i) => i));
        const done = events.flatMap((event) => (event.type === 'tool_call_done' ? [event.data.id] : []));
        expect(done.sort(), `${where}: ${run.agent_id}`).toEqual(
          { root: ['left', 'right'], mid: ['one', 'two'], leaf: ['pay call'] }[run.agent_id],
        );
        if (run.agent_id === 'leaf') inDoubt += events.filter((event) => event.type === 'run_waiting').length;
      }
      for (const times of paid.values()) expect(times, where).toBe(1);
      await engine.close(0);
      expect(disk.rows(keys.allActors()), where).toEqual([]);
      break;
    }
  }
  expect(inDoubt).toBeGreaterThan(0);
});
