/**
 * Three generations of agents under one run, for tests of what verbs do to a tree of threads: `root` asks `mid`, `mid` asks
 * `leaf`, and the leaf pays, waits or thinks as it is told. Time is the test's; what waits goes on when it is released.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'vitest';
import { checkStore } from '../../src/actors/doctor/index.js';
import type { MailboxEntry, RunRecord } from '../../src/actors/records.js';
import { defineAgent } from '../../src/agents/agent.js';
import { finish, say, text, toolCall, type Part } from '../../src/agents/scripted/parts.js';
import { scriptedModel, type Script } from '../../src/agents/scripted/model.js';
import { defineTool } from '../../src/agents/tool.js';
import type { Agent, ToolContext } from '../../src/agents/types.js';
import { AgentServerError, ErrorCode } from '../../src/errors.js';
import * as keys from '../../src/store/keys.js';
import { MemoryStore } from '../../src/store/memory.js';
import { bench, type Bench } from './engine.js';
import { FakeClock } from './fake-clock.js';
import { gate } from './gate.js';
import { expectValid } from './scene.js';

/** What a leaf is asked to do; whom its elders ask: one, two at once, or one of two in the background. */
export const TASKS = ['pay', 'wait', 'think', 'both', 'two pay', 'two wait', 'two both', 'bg pay', 'bg wait'] as const;
export type Task = (typeof TASKS)[number];

/** Every call that a run of the tree can be asked about. */
const CALLS = ['p', 'w', 'root 1', 'root 2', 'mid 1', 'mid 2'];
const WAIT_MS = 1_000;
const LEAF_EXPIRY_MS = 5_000;
const EXPIRY_MS = 7_000;

type Prompt = Parameters<Script>[0]['prompt'];

/** What a client must expect of a verb that comes too late, or names what is gone. */
const EXPECTED: readonly string[] = [
  ErrorCode.runNotActive,
  ErrorCode.runNotFound,
  ErrorCode.threadNotFound,
  ErrorCode.entryNotFound,
  ErrorCode.conflict,
  ErrorCode.badRequest,
];
export const tolerate = (error: unknown): void => {
  if (!(error instanceof AgentServerError && EXPECTED.includes(error.code))) throw error;
};

export class FamilyScene {
  readonly clock = new FakeClock();
  bench!: Bench;
  readonly #prompts: Prompt[] = [];
  /** Executions of `once` tools, by run and call. */
  readonly #executed = new Map<string, number>();
  /** Runs of threads that were to be deleted. */
  readonly #deleted = new Set<string>();
  readonly #released = gate();
  #crashed = false;
  #named = 0;

  private constructor(private readonly task: Task) {}

  static async open(task: Task): Promise<FamilyScene> {
    const scene = new FamilyScene(task);
    await scene.#open(new MemoryStore());
    await scene.start('go', { thread_id: 'main' });
    return scene;
  }

  async #open(store: MemoryStore): Promise<void> {
    const agents = [this.#elder('root', 'mid'), this.#elder('mid', 'leaf'), this.#leaf()];
    this.bench = await bench(agents, { store, clock: this.clock });
  }

  async runs(): Promise<RunRecord[]> {
    return (await this.bench.engine.list({ kind: 'runs', offset: 0, limit: 200 })).items;
  }

  async queued(thread_id: string): Promise<MailboxEntry[]> {
    const { items } = await this.bench.engine.list({
      kind: 'mailbox',
      thread_id,
      status: 'queued',
      offset: 0,
      limit: 200,
    });
    return items;
  }

  start(word: 'go' | 'next', more: Parameters<Bench['start']>[2]): Promise<RunRecord> {
    return this.bench.start('root', word, { run_id: `run-${this.#named++}`, ...more });
  }

  /** Decides whatever the run may ask about. */
  async decide(run_id: string, action: 'resume' | 'cancel'): Promise<void> {
    for (const call of CALLS) await this.bench.decide(run_id, call, { action }).catch(tolerate);
  }

  async delete(thread_id: string): Promise<void> {
    for (const run of await this.runs()) if (run.thread_id === thread_id) this.#deleted.add(run.run_id);
    await this.bench.engine.deliver({ type: 'delete_thread', thread_id });
  }

  /** `kill -9`, and the server is started again. */
  async crash(): Promise<void> {
    this.#crashed = true;
    this.bench.store.crash();
    await this.#open(new MemoryStore(this.bench.store.disk));
  }

  /** Lets everything go on and approves what asks, until every run has ended and everybody was told. */
  async finish(): Promise<void> {
    this.#released.open();
    for (let turns = 0; ; turns++) {
      expect(turns, 'a run does not end').toBeLessThan(5_000);
      const open = (await this.runs()).filter((run) => run.status !== 'done');
      if (open.length === 0 && this.bench.store.disk.rows(keys.allOutboxes()).length === 0) return;
      for (const { run_id, termination_code } of open)
        if (termination_code === 'input_required') await this.decide(run_id, 'resume');
      await nextTurn();
    }
  }

  /**
   * Whatever happened: models were told histories that hold together, no tool ran twice, and nothing is left behind. A
   * thread that is deleted in the moment before a crash may be gone before its parent has heard of it, which then has its
   * work done again.
   */
  async check(): Promise<void> {
    for (const prompt of this.#prompts) expectValid(prompt);
    for (const [call, times] of this.#executed)
      if (!this.#crashed || !this.#deleted.has(call.split(' ')[0]!)) expect(times, call).toBe(1);
    for (const { thread_id } of await this.runs())
      expect(await this.bench.engine.read({ kind: 'thread', thread_id })).toMatchObject({
        status: 'idle',
        queued_count: 0,
      });
    await this.bench.engine.close(0);
    const { disk } = this.bench.store;
    expect([...disk.rows(keys.allActors()), ...disk.rows(keys.allQueued())]).toEqual([]);
    const { faults } = await checkStore(new MemoryStore(disk));
    expect(faults, JSON.stringify(faults)).toEqual([]);
  }

  async close(): Promise<void> {
    await this.bench.engine.close(0);
  }

  #elder(id: string, to: string): Agent {
    const { task } = this;
    const ask = (n: number, background = false): Part[] => [
      ...toolCall(`${id} ${n}`, 'agent_run', { agent_id: to, prompt: task, background }),
    ];
    return defineAgent({
      id,
      delegates: [to],
      approval_expiry_ms: EXPIRY_MS,
      model: this.#model(({ prompt }) => {
        if (prompt.at(-1)!.role === 'tool') return say(`${id} is done`);
        if (/has ended|next/.test(lastWord(prompt))) return say('noted');
        const more = task.startsWith('two') ? ask(2) : task.startsWith('bg') ? ask(2, true) : [];
        return [...ask(1), ...more, finish('tool-calls')];
      }),
    });
  }

  #leaf(): Agent {
    const think = async function* (this: void, released: Promise<void>) {
      yield* text(['thin', 'king']);
      await released;
      yield finish();
    };
    const calls = (...names: string[]): Part[] => [
      ...names.flatMap((name) => [...toolCall(name[0]!, name)]),
      finish('tool-calls'),
    ];
    return defineAgent({
      id: 'leaf',
      approval_expiry_ms: LEAF_EXPIRY_MS,
      tools: [
        this.#tool('pay', { permission: 'ask' }, () => Promise.resolve()),
        this.#tool('wait', { timeout_ms: WAIT_MS }, (signal) => Promise.race([this.#released.opened, aborted(signal)])),
      ],
      model: this.#model(({ prompt }) => {
        if (prompt.at(-1)!.role === 'tool') return say('leaf is done');
        const word = lastWord(prompt);
        if (word.includes('both')) return calls('wait', 'pay');
        if (word.includes('wait')) return calls('wait');
        if (word.includes('pay')) return calls('pay');
        return word.includes('think') ? think(this.#released.opened) : say('noted');
      }),
    });
  }

  #model(script: Script) {
    return scriptedModel((options) => {
      this.#prompts.push(structuredClone(options.prompt));
      return script(options);
    });
  }

  #tool(name: string, more: object, work: (signal: AbortSignal) => Promise<void>) {
    return defineTool({
      name,
      description: `the tool ${name}`,
      input: { type: 'object' },
      ...more,
      execute: async (_: unknown, { run_id, call_id, signal }: ToolContext) => {
        const call = `${run_id} ${call_id}`;
        this.#executed.set(call, (this.#executed.get(call) ?? 0) + 1);
        await work(signal);
        return `${name} done`;
      },
    });
  }
}

const lastWord = (prompt: Prompt): string =>
  JSON.stringify(prompt.findLast((message) => message.role === 'user')!.content);

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
