/**
 * A thread brought into a state, for tests of what verbs do to it. Time is the test's; models and tools go on when the
 * test says so (`release`), and every prompt a model is given is kept.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'vitest';
import { defineAgent } from '../../src/agents/agent.js';
import { finish, say, text, toolCall } from '../../src/agents/scripted/parts.js';
import { scriptedModel, type Script } from '../../src/agents/scripted/model.js';
import { defineTool } from '../../src/agents/tool.js';
import type { ToolContext } from '../../src/agents/types.js';
import { InferenceError } from '../../src/agents/model-call.js';
import { checkStore } from '../../src/actors/doctor/index.js';
import type { CanonicalEvent, RunRecord } from '../../src/actors/index.js';
import type { ThreadName } from '../../src/actors/thread/rows.js';
import type { EntryStatus, MailboxEntry } from '../../src/actors/records.js';
import { MemoryStore } from '../../src/store/memory.js';
import * as keys from '../../src/store/keys.js';
import { bench, type Bench } from './engine.js';
import { FakeClock } from './fake-clock.js';

export const STATES = [
  'inferring',
  'in a once tool',
  'in three tools',
  'backing off',
  'waiting for an approval',
  'waiting in doubt',
  'queued',
] as const;
export type State = (typeof STATES)[number];

type Prompt = Parameters<Script>[0]['prompt'];

/** The call that the states with one call have. */
export const CALL = 'call-1';
const TIMEOUT_MS = 1_000;
/** Tools that must not run twice. */
const ONCE = new Set(['pay', 'wire', 'stuck']);

export class Scene {
  readonly clock = new FakeClock();
  readonly thread_id = 'thread';
  /** Every prompt that a model was given, in order. */
  readonly prompts: Prompt[] = [];
  /** Executions that began, by tool. */
  readonly ran: Record<string, number> = {};
  bench!: Bench;
  /** Ids of runs that were started, whether or not that was acknowledged. */
  readonly #started = new Set<string>();
  #named = 0;
  #crashed = false;
  #failed = false;
  #release = () => {};
  readonly #released = new Promise<void>((resolve) => (this.#release = resolve));
  #waiters: { tools: number; resolve: () => void }[] = [];

  static async open(): Promise<Scene> {
    const scene = new Scene();
    await scene.#open(new MemoryStore());
    return scene;
  }

  async #open(store: MemoryStore): Promise<void> {
    const agent = defineAgent({ id: 'agent', model: this.#model, tools: this.#tools });
    this.bench = await bench([agent], { store, clock: this.clock });
  }

  /** What is left on the disk holds together. */
  async close(): Promise<void> {
    this.#release();
    await this.bench.engine.close(0);
    expect((await checkStore(new MemoryStore(this.bench.store.disk))).faults).toEqual([]);
  }

  /** Lets models and tools that wait go on, now and from now on, and lets a back-off end. */
  release(): void {
    this.#release();
    this.clock.advance(600);
  }

  /** Ids of the runs that were started. */
  get known(): string[] {
    return [...this.#started];
  }

  /** Brings the thread into a state; the answer is the run that is in it. */
  async enter(state: State): Promise<RunRecord> {
    switch (state) {
      case 'inferring':
        return this.#until(await this.start('think'), 'text_delta');
      case 'backing off':
        return this.#until(await this.start('flaky'), 'inference_retry');
      case 'in a once tool':
        return this.#untilTools(1, await this.start('once'));
      case 'in three tools':
        return this.#untilTools(3, await this.start('three'));
      case 'waiting for an approval':
        return this.bench.settle((await this.start('approve')).run_id);
      case 'waiting in doubt': {
        const run = await this.#untilTools(1, await this.start('doubt'));
        this.clock.advance(TIMEOUT_MS);
        return this.bench.settle(run.run_id);
      }
      case 'queued':
        await this.enter('inferring');
        return this.start('next', { on_busy: 'enqueue' });
    }
  }

  async start(word: string, more: Parameters<Bench['start']>[2] = {}): Promise<RunRecord> {
    const { run_id = `run-${this.#named++}` } = more;
    this.#started.add(run_id);
    try {
      return await this.bench.start('agent', word, { thread_id: this.thread_id, ...more, run_id });
    } catch (error) {
      this.#started.delete(run_id);
      throw error;
    }
  }

  /** Lets everything go on and approves what asks, until every run has ended. */
  async finish(): Promise<void> {
    for (let turns = 0; ; turns++) {
      expect(turns, 'a run does not end').toBeLessThan(10_000);
      this.release();
      const runs = await Promise.all([...this.#started].map((run_id) => this.bench.run(run_id)));
      const open = runs.filter((run) => run.status !== 'done');
      if (open.length === 0) return;
      for (const { run_id, termination_code } of open)
        if (termination_code === 'input_required') await this.#approve(run_id);
      await nextTurn();
    }
  }

  async #approve(run_id: string): Promise<void> {
    const events = await this.bench.events(run_id, ({ type }) => type === 'run_waiting' || type === 'run_finish');
    const last = events.at(-1)!;
    if (last.type !== 'run_waiting') return;
    for (const { tool_call_id } of last.data.pending) await this.bench.decide(run_id, tool_call_id);
  }

  /** `kill -9`, and the server is started again. What was not acknowledged may or may not have happened. */
  async crash(): Promise<void> {
    this.#crashed = true;
    this.bench.store.crash();
    await this.#open(new MemoryStore(this.bench.store.disk));
    for (const run_id of this.#started)
      if (!(await this.bench.engine.read({ kind: 'run', run_id }))) this.#started.delete(run_id);
  }

  /**
   * Whatever happened: one more run is told a history it can be told, every log is whole, no tool ran twice, and nothing
   * is left behind.
   */
  async check(): Promise<void> {
    const last = await this.start('next', { on_busy: 'enqueue' });
    expect(await this.bench.settle(last.run_id)).toMatchObject({ status: 'done', termination_code: 'natural' });
    for (const prompt of this.prompts) expectValid(prompt);
    const logs = await Promise.all([...this.#started].map((run_id) => this.bench.events(run_id)));
    for (const events of logs) expectWhole(events);
    const made = logs.flatMap(callsMade).map(({ name }) => name);
    // After a crash what may be repeated is.
    const ran = Object.entries(this.ran).filter(([name]) => !this.#crashed || ONCE.has(name));
    for (const [name, times] of ran)
      expect(times, name).toBeLessThanOrEqual(made.filter((other) => other === name).length);
    // One run at a time: the messages of none stand among those of another.
    const owners = (await this.bench.messages(this.thread_id)).map((message) => message.run_id);
    const turns = owners.filter((run_id, i) => run_id !== owners[i - 1]);
    expect(turns).toEqual([...new Set(turns)]);
    const thread = await this.bench.engine.read({ kind: 'thread', thread_id: this.thread_id });
    expect(thread).toMatchObject({ status: 'idle', active_run_id: null, queued_count: 0 });
    const { disk } = this.bench.store;
    expect([...disk.rows(keys.allActors()), ...disk.rows(keys.allQueued())]).toEqual([]);
  }

  /** What has become of the mailbox entry that started the run; undefined while it is queued. */
  endOfEntry({ source_mailbox_entry_id }: RunRecord): EntryStatus | undefined {
    const { disk } = this.bench.store;
    const { tno } = JSON.parse(disk.get(keys.threadName(this.thread_id))!) as ThreadName;
    const entries = disk.rows(keys.historyOf(tno)).map(([, row]) => JSON.parse(row) as MailboxEntry);
    return entries.find(({ entry_id }) => entry_id === source_mailbox_entry_id)?.status;
  }

  /** What the thread's messages say, one line each; of one run when it is given. */
  async story(run_id?: string): Promise<string[]> {
    const messages = await this.bench.messages(this.thread_id);
    return messages
      .filter((message) => run_id === undefined || message.run_id === run_id)
      .map(({ role, content, tool_calls = [], tool_call_id }) => {
        const calls = tool_calls.map(({ id, name }) => `${name}(${id})`);
        return [role, tool_call_id, content, ...calls].filter((part) => part !== undefined && part !== '').join(' ');
      });
  }

  async #until(run: RunRecord, type: CanonicalEvent['type']): Promise<RunRecord> {
    await this.bench.events(run.run_id, (event) => event.type === type);
    return run;
  }

  async #untilTools(tools: number, run: RunRecord): Promise<RunRecord> {
    if (this.#running < tools) await new Promise<void>((resolve) => this.#waiters.push({ tools, resolve }));
    return run;
  }

  get #running(): number {
    return Object.values(this.ran).reduce((sum, times) => sum + times, 0);
  }

  #began(name: string): void {
    this.ran[name] = (this.ran[name] ?? 0) + 1;
    for (const { tools, resolve } of this.#waiters) if (this.#running >= tools) resolve();
  }

  /** The last user message decides; after results it is time to speak. */
  readonly #model = scriptedModel(({ prompt }) => {
    this.prompts.push(structuredClone(prompt));
    const word = lastUserText(prompt);
    if (prompt.at(-1)!.role === 'tool') return say('all done');
    switch (word) {
      case 'think':
        return this.#think();
      case 'flaky':
        if (this.#failed) return say('at last');
        this.#failed = true;
        return flaky();
      case 'once':
        return calls('pay');
      case 'three':
        return calls('pay', 'look', 'write');
      case 'approve':
        return calls('wire');
      case 'doubt':
        return calls('stuck');
      default:
        return say(`answer to ${word}`);
    }
  });

  async *#think() {
    yield* text(['thin', 'king']);
    await this.#released;
    yield finish();
  }

  /** Goes on when it is released; stops when it is told to. */
  readonly #wait = (name: string) =>
    async function (this: Scene, _input: unknown, { signal }: ToolContext) {
      this.#began(name);
      await Promise.race([this.#released, aborted(signal)]);
      return `${name} done`;
    }.bind(this);

  readonly #tools = [
    this.#tool('pay', { effect: 'once', execute: this.#wait('pay') }),
    this.#tool('look', { effect: 'readOnly', execute: this.#wait('look') }),
    this.#tool('write', { effect: 'idempotent', execute: this.#wait('write') }),
    this.#tool('wire', { effect: 'once', permission: 'ask', execute: () => (this.#began('wire'), 'wired') }),
    this.#tool('stuck', {
      effect: 'once',
      timeout_ms: TIMEOUT_MS,
      execute: (_: unknown, { signal }: ToolContext) => (this.#began('stuck'), aborted(signal)),
    }),
  ];

  #tool(name: string, more: object) {
    return defineTool({ name, description: `the tool ${name}`, input: { type: 'object' }, ...more });
  }
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));

const lastUserText = (prompt: Prompt): string =>
  (prompt.findLast((message) => message.role === 'user')!.content as { text: string }[])[0]!.text;

function* flaky() {
  yield* text(['half an answer']);
  yield { type: 'error' as const, error: new InferenceError('overloaded', true) };
}

function* calls(...names: string[]) {
  for (const [i, name] of names.entries()) yield* toolCall(`call-${i + 1}`, name);
  yield finish('tool-calls');
}

/** Every call of the prompt is answered exactly once, before anybody else speaks; no result answers nothing. */
export function expectValid(prompt: Prompt): void {
  const open = new Set<string>();
  for (const message of prompt) {
    if (message.role === 'tool') {
      for (const part of message.content)
        if (part.type === 'tool-result') expect(open.delete(part.toolCallId), part.toolCallId).toBe(true);
      continue;
    }
    expect([...open], 'calls without a result').toEqual([]);
    if (message.role !== 'assistant') continue;
    expect(message.content).not.toEqual([]);
    for (const part of message.content) if (part.type === 'tool-call') open.add(part.toolCallId);
  }
  expect([...open], 'calls without a result').toEqual([]);
}

/** A whole log: dense, one end, steps that begin and end in turn, one result for each call (CONTRACT 1.5). */
export function expectWhole(events: readonly CanonicalEvent[]): void {
  const types = events.map(({ type }) => type);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i));
  expect(types[0]).toBe('run_start');
  expect(types.indexOf('run_finish')).toBe(types.length - 1);
  const steps = types.filter((type) => type === 'step_start' || type === 'step_end');
  expect(steps).toEqual(steps.map((_, i) => (i % 2 === 0 ? 'step_start' : 'step_end')));
  expect(steps.length % 2).toBe(0);
  const done = events.flatMap((event) => (event.type === 'tool_call_done' ? [event.data.id] : []));
  expect(done.sort()).toEqual(
    callsMade(events)
      .map(({ id }) => id)
      .sort(),
  );
}

/** Calls of answers that were complete; those of a step that was cut off or asked again are void. */
function callsMade(events: readonly CanonicalEvent[]): { id: string; name: string }[] {
  const made: { id: string; name: string }[] = [];
  let open: { id: string; name: string }[] = [];
  for (const { type, data } of events) {
    if (type === 'tool_call_ready') open.push(data);
    if (type === 'inference_complete') made.push(...open);
    if (type === 'inference_retry' || type === 'inference_complete') open = [];
  }
  return made;
}
