/**
 * The gate: one scenario, and a crash before, a crash after, and a failure (lost, or landed unseen) of EVERY commit of it.
 *
 * The scenario: a run with two parallel tools (one `once`, one `idempotent`), a run whose tool meets its deadline, a run
 * that is cancelled in the middle of an inference, all on one thread, started by a client that repeats what was refused,
 * reads every stream and decides what is in doubt. Whatever happens to whichever commit:
 *
 * - each log is dense and ends with its only `run_finish`; what a reader saw is what the log says (published ⊆ durable);
 * - the model is never asked for a step whose answer is in the log;
 * - the `once` tool runs at most once; in doubt only after a crash, never after a failed commit (facts are kept);
 * - every start comes to be exactly one run, refused or not; no actor is left behind.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openEngine, type CanonicalEvent, type HostedEngine } from '../src/actors/index.js';
import { canonicalEvents, initialEncoderState, type LogChunk, type StoredEvent } from '../src/actors/events.js';
import type { RunName } from '../src/actors/thread/rows.js';
import { defineAgent } from '../src/agents/agent.js';
import { createAgentRegistry } from '../src/agents/registry.js';
import { defineTool } from '../src/agents/tool.js';
import { finish, say, text, toolCall } from '../src/agents/scripted/parts.js';
import { scriptedModel } from '../src/agents/scripted/model.js';
import { ErrorCode, hasCode } from '../src/errors.js';
import * as keys from '../src/store/keys.js';
import { Disk } from '../src/store/memory-disk.js';
import { MemoryStore, type Fate } from '../src/store/memory.js';
import { FakeClock } from './support/fake-clock.js';

type Fault = { fate: Exclude<Fate, 'ok'>; at: number };
const RUNS = ['tools', 'deadline', 'cancelled'] as const;
type RunId = (typeof RUNS)[number];
const LIVES = 6;

/** The world outside the server: it outlives every crash. */
class World {
  readonly disk = new Disk();
  readonly clock = new FakeClock();
  readonly ran: Record<string, number> = {};
  readonly seen: Record<string, CanonicalEvent[]> = {};
  refused = 0;
  asking: RunId | null = null;
  violations: string[] = [];

  /** The log as it is on the disk at this moment. */
  stored(run_id: string): CanonicalEvent[] {
    const name = this.disk.get(keys.runName(run_id));
    if (name === undefined) return [];
    const { rno } = JSON.parse(name) as RunName;
    return this.disk.rows(keys.logChunks(rno)).flatMap(([key, value]) => {
      const [t0, packed, events] = JSON.parse(value) as [number, Partial<LogChunk['enc']>, StoredEvent[]];
      const enc = { ...initialEncoderState, ...packed };
      return [...canonicalEvents({ n: keys.firstSeqOf(key), t0, enc, events }, { run_id, thread_id: 'thread' })];
    });
  }

  /** The engine's agents; every life of the server gets the same. */
  agents(onInferring: () => void) {
    const did = (name: string) => (this.ran[name] = (this.ran[name] ?? 0) + 1);
    const input = { type: 'object' };
    const pay = defineTool({ name: 'pay', description: 'a tool', input, execute: async () => `paid ${did('pay')}` });
    const look = defineTool({
      name: 'look',
      description: 'a tool',
      input,
      effect: 'idempotent',
      execute: async () => `looked ${did('look')}`,
    });
    const hang = defineTool({
      name: 'hang',
      description: 'a tool',
      input,
      effect: 'idempotent',
      timeout_ms: 50,
      execute: () => {
        did('hang');
        setImmediate(() => this.clock.advance(60));
        return new Promise<never>(() => {});
      },
    });
    const model = scriptedModel(({ prompt }) => {
      const run_id = this.#runOf(prompt);
      const step = prompt.filter((m, i) => m.role === 'assistant' && i > this.#lastUser(prompt)).length;
      const answered = this.stored(run_id).filter((event) => event.type === 'inference_complete').length;
      if (answered > step) this.violations.push(`${run_id}: step ${step} was asked again`);
      if (run_id === 'cancelled') return hanging(onInferring);
      if (step > 0) return say('all ', 'done');
      return run_id === 'tools'
        ? parts(text(['let ', 'me ']), toolCall('c-pay', 'pay'), toolCall('c-look', 'look'), [finish('tool-calls')])
        : parts(toolCall('c-hang', 'hang'), [finish('tool-calls')]);
    });
    return createAgentRegistry([defineAgent({ id: 'agent', model, tools: [pay, look, hang] })]);
  }

  #lastUser(prompt: { role: string }[]): number {
    return prompt.findLastIndex((message) => message.role === 'user');
  }
  #runOf(prompt: { role: string; content: unknown }[]): RunId {
    return (prompt[this.#lastUser(prompt)]!.content as { text: string }[])[0]!.text as RunId;
  }
}

function* parts<T>(...lists: Iterable<T>[]): Generator<T> {
  for (const list of lists) yield* list;
}

async function* hanging(onInferring: () => void) {
  yield* text(['thin', 'king']);
  onInferring();
  await new Promise(() => {});
}

/** A client that wants every run to be, to end, and to be seen whole. */
class Client {
  constructor(
    private readonly world: World,
    private readonly engine: HostedEngine,
  ) {}

  async live(): Promise<void> {
    for (const run_id of RUNS) {
      await this.#untilStarted(run_id);
      await this.#follow(run_id);
    }
  }

  /** The run `cancelled` is being inferred. */
  onInferring = (): void => {
    const cancel = () =>
      this.engine.deliver({ type: 'cancel', run_id: 'cancelled' }).catch((error: unknown) => {
        if (hasCode(error, ErrorCode.storageUnavailable)) setImmediate(() => void cancel());
        // The run may have ended, and everything been closed, while it was repeated.
        else if (!hasCode(error, ErrorCode.runNotActive) && !hasCode(error, ErrorCode.notInitialised)) throw error;
      });
    setImmediate(() => void cancel());
  };

  async #untilStarted(run_id: RunId): Promise<void> {
    while ((await this.engine.read({ kind: 'run', run_id })) === undefined) {
      try {
        const start = { agent_id: 'agent', thread_id: 'thread', run_id, origin: 'user', on_busy: 'enqueue' } as const;
        await this.engine.deliver({
          type: 'start',
          start: { ...start, messages: [{ role: 'user', content: run_id }] },
        });
      } catch (error) {
        if (!hasCode(error, ErrorCode.storageUnavailable) && !hasCode(error, ErrorCode.conflict)) throw error;
        this.world.refused++;
        await nextTurn();
      }
    }
  }

  async #follow(run_id: RunId): Promise<void> {
    const seen = (this.world.seen[run_id] ??= []);
    const reader = await this.engine.readEvents(run_id, seen.length - 1);
    for (let slice = await reader.next(); slice; slice = await reader.next()) {
      const stored = this.world.stored(run_id);
      for (const event of canonicalEvents(slice.chunk, { run_id, thread_id: 'thread' }, slice.from)) {
        if (JSON.stringify(stored[event.seq]) !== JSON.stringify(event))
          this.world.violations.push(`${run_id}: event ${event.seq} was shown and is not stored`);
        seen.push(event);
        if (event.type === 'run_waiting') void this.#decide(run_id, event.data.pending[0]!.tool_call_id);
      }
    }
  }

  async #decide(run_id: RunId, target_id: string): Promise<void> {
    const decisions = [
      { target_id, decision_id: `d-${target_id}`, action: 'resume', result: 'a person says so', updated_at: 0 },
    ] as const;
    for (;;) {
      try {
        await this.engine.deliver({ type: 'decide', run_id, decisions: [...decisions] });
        return;
      } catch (error) {
        if (!hasCode(error, ErrorCode.storageUnavailable)) return;
        await nextTurn();
      }
    }
  }
}

async function scenario(fault: Fault | null): Promise<{ world: World; commits: number; fired: boolean }> {
  const world = new World();
  let fired = false;
  for (let life = 0; ; life++) {
    expect(life, 'the server never comes to rest').toBeLessThan(LIVES);
    const store = new MemoryStore(world.disk, {
      batch: (n) => (fault !== null && !fired && n === fault.at ? ((fired = true), fault.fate) : 'ok'),
    });
    let client: Client | undefined;
    const lived = openEngine({ store, agents: world.agents(() => client?.onInferring()), clock: world.clock }).then(
      async (engine) => {
        client = new Client(world, engine);
        await client.live();
        await engine.close();
        return true;
      },
      // A directory whose first batch failed is not opened; the next life tries again.
      (error: unknown) => (fault?.at === 0 ? false : Promise.reject(error as Error)),
    );
    if (await Promise.race([lived, store.crashed.then(() => false)])) break;
  }
  return { world, commits: world.disk.batches, fired };
}

function check({ world }: { world: World }, fault: Fault | null): void {
  expect(world.violations).toEqual([]);
  for (const run_id of RUNS) {
    const log = world.stored(run_id);
    expect(log.map((event) => event.seq)).toEqual(log.map((_, i) => i));
    expect(log.filter((event) => event.type === 'run_finish')).toEqual([log.at(-1)]);
    expect(world.seen[run_id]).toEqual(log);
  }
  const types = RUNS.flatMap((run_id) => world.stored(run_id).map((event) => event.type));
  const codes = RUNS.map((run_id) => {
    const end = world.stored(run_id).at(-1)!;
    return end.type === 'run_finish' ? end.data.termination.code : null;
  });
  expect(codes).toEqual(['natural', 'natural', 'cancelled']);
  expect(world.ran['pay'] ?? 0).toBeLessThanOrEqual(1);
  if (!fault?.fate.startsWith('crash')) {
    expect(types).not.toContain('tool_call_suspended');
    expect(types).not.toContain('inference_retry');
    expect(world.ran).toEqual({ pay: 1, look: 1, hang: 1 });
  }
  expect(world.disk.rows(keys.allActors()), 'no live actor is left').toEqual([]);
  expect(world.disk.rows(keys.allQueued()), 'no entry is left').toEqual([]);
}

test('without faults', async () => {
  const result = await scenario(null);
  check(result, null);
  expect(result.commits).toBeGreaterThan(10);
  const paid = result.world.stored('tools').find((event) => event.type === 'tool_call_done');
  expect(paid?.data).toMatchObject({ outcome: 'succeeded', result: 'paid 1' });
  const late = result.world.stored('deadline').find((event) => event.type === 'tool_call_done');
  expect(late?.data).toMatchObject({ outcome: 'failed', error: 'timed out after 50 ms' });
});

test.each(['crash-before', 'crash-after', 'fail-lost', 'fail-landed'] as const)('%s at every commit', async (fate) => {
  let inDoubt = 0;
  let refused = 0;
  let at = 0;
  for (; ; at++) {
    const result = await scenario({ fate, at });
    if (!result.fired) break;
    try {
      check(result, { fate, at });
    } catch (error) {
      throw new Error(`${fate} at commit ${at}: ${(error as Error).message}`, { cause: error });
    }
    if (result.world.stored('tools').some((event) => event.type === 'tool_call_suspended')) inDoubt++;
    refused += result.world.refused;
  }
  expect(at).toBeGreaterThan(10);
  if (fate.startsWith('crash')) expect(inDoubt, 'some crash leaves the payment in doubt').toBeGreaterThan(0);
  else expect(refused, 'some start is refused').toBeGreaterThan(0);
});
