/** An engine in memory and what tests do with one. */

import { openEngine, type CanonicalEvent, type HostedEngine, type RunRecord } from '../../src/actors/index.js';
import type { Decision, Message, StartRequest } from '../../src/actors/index.js';
import { canonicalEvents } from '../../src/actors/events.js';
import type { EngineOptions } from '../../src/actors/open-engine.js';
import { createAgentRegistry } from '../../src/agents/registry.js';
import type { Agent } from '../../src/agents/types.js';
import { MemoryStore } from '../../src/store/memory.js';

export type Bench = {
  engine: HostedEngine;
  store: MemoryStore;
  /** Starts a run; `thread` and `run` may be named. */
  start(agent_id: string, text: string | null, more?: Partial<StartRequest>): Promise<RunRecord>;
  /** Reads the run's events until `stop` says so, or to the end. */
  events(run_id: string, stop?: (event: CanonicalEvent) => boolean): Promise<CanonicalEvent[]>;
  /** Reads until the run waits or has ended. */
  settle(run_id: string): Promise<RunRecord>;
  run(run_id: string): Promise<RunRecord>;
  messages(thread_id: string): Promise<Message[]>;
  decide(run_id: string, target_id: string, change?: Partial<Decision>): Promise<void>;
};

let decisions = 0;

/** Opens an engine with these agents; the caller closes it. */
export async function bench(
  agents: Agent[],
  options: Partial<Omit<EngineOptions, 'agents' | 'store'>> & { store?: MemoryStore } = {},
): Promise<Bench> {
  const { store = new MemoryStore(), ...rest } = options;
  const engine = await openEngine({ ...rest, store, agents: createAgentRegistry(agents) });

  async function events(run_id: string, stop: (event: CanonicalEvent) => boolean = () => false) {
    const reader = await engine.readEvents(run_id, -1);
    const seen: CanonicalEvent[] = [];
    try {
      for (let slice = await reader.next(); slice; slice = await reader.next())
        for (const event of canonicalEvents(slice.chunk, reader.run, slice.from)) {
          seen.push(event);
          if (stop(event) && reader.caughtUp) return seen;
        }
      return seen;
    } finally {
      reader.close();
    }
  }
  const run = async (run_id: string) => (await engine.read({ kind: 'run', run_id }))!;

  return {
    engine,
    store,
    async start(agent_id, text, more = {}) {
      const messages = text === null ? [] : [{ role: 'user' as const, content: text }];
      const start: StartRequest = { agent_id, origin: 'user', on_busy: 'interrupt', messages, ...more };
      return (await engine.deliver({ type: 'start', start })).run;
    },
    events,
    async settle(run_id) {
      await events(run_id, (event) => event.type === 'run_waiting');
      return run(run_id);
    },
    run,
    messages: async (thread_id) => (await engine.read({ kind: 'messages', thread_id })) ?? [],
    async decide(run_id, target_id, change = {}) {
      const decision: Decision = {
        target_id,
        decision_id: `decision ${decisions++}`,
        action: 'resume',
        result: { approved: true },
        updated_at: 0,
        ...change,
      };
      await engine.deliver({ type: 'decide', run_id, decisions: [decision] });
    },
  };
}
