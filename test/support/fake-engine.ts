/**
 * An engine whose runs do what the test says: for tests of what stands in front of the engine.
 *
 * Events appear when the test appends them, one chunk per call; commands are recorded; a command can be refused or held.
 */

import type {
  Answers,
  Command,
  EventReader,
  HostedEngine,
  Listed,
  LogSlice,
  Principal,
  RunClaim,
  StartRequest,
} from '../../src/actors/engine.js';
import type { Page } from '../../src/actors/page.js';
import {
  advance,
  initialEncoderState,
  type EventData,
  type EventType,
  type LogChunk,
  type StoredEvent,
} from '../../src/actors/events.js';
import type { Inspection } from '../../src/actors/inspection.js';
import type { EngineMeters } from '../../src/actors/meters.js';
import type { RunRecord } from '../../src/actors/records.js';
import { agentNotFound, runNotActive, runNotFound } from '../../src/errors.js';

/** An event without its time. */
export type Said = { [T in EventType]: [type: T, data: EventData[T]] }[EventType];

const usage = { input_tokens: 1, output_tokens: 2, total_tokens: 3 };

/** Frequent events. */
export const say = {
  start: (agent_id = 'assistant'): Said => [
    'run_start',
    { agent_id, parent_run_id: null, parent_thread_id: null, origin: 'user' },
  ],
  text: (delta: string): Said => ['text_delta', { delta }],
  waiting: (id = 'call_1'): Said => [
    'run_waiting',
    { pending: [{ id: `fc_${id}`, tool_call_id: id, name: 'transfer', kind: 'approval', message: 'transfer?' }] },
  ],
  resumed: (): Said => ['run_resumed', { decisions: ['d1'] }],
  finish: (response = 'done'): Said => [
    'run_finish',
    { termination: { code: 'natural', detail: null }, result: { response }, usage },
  ],
  cancelled: (detail: string): Said => [
    'run_finish',
    { termination: { code: 'cancelled', detail }, result: null, usage },
  ],
};

class FakeRun {
  chunks: LogChunk[] = [];
  next = 0;
  bells = new Set<() => void>();
  readers = new Set<FakeReader>();
  constructor(
    public record: RunRecord,
    readonly hash: string | null,
  ) {}

  append(said: Said[]): void {
    const enc = this.chunks.at(-1)?.events.reduce(advance, this.chunks.at(-1)!.enc) ?? initialEncoderState;
    const events = said.map(([type, data]) => [type, 0, data] as unknown as StoredEvent);
    this.chunks.push({ n: this.next, t0: 1_700_000_000_000 + this.next, enc, events });
    this.next += events.length;
    const last = said.at(-1)![0];
    if (last === 'run_finish') this.record = { ...this.record, status: 'done', termination_code: 'natural' };
    else if (last === 'run_waiting')
      this.record = { ...this.record, status: 'waiting', termination_code: 'input_required' };
    else this.record = { ...this.record, status: 'running', termination_code: null };
    this.ring();
  }

  ring(): void {
    const bells = [...this.bells];
    this.bells.clear();
    for (const bell of bells) bell();
  }

  get done(): boolean {
    return this.record.status === 'done';
  }
}

class FakeReader implements EventReader {
  #closed = false;
  /** How often something was pulled. */
  pulls = 0;

  constructor(
    private readonly target: FakeRun,
    private after: number,
  ) {
    target.readers.add(this);
  }

  get run(): RunRecord {
    return this.target.record;
  }

  get caughtUp(): boolean {
    return !this.target.done && this.after + 1 >= this.target.next;
  }

  next(): LogSlice | undefined | Promise<LogSlice | undefined> {
    this.pulls++;
    if (this.#closed) return undefined;
    const want = this.after + 1;
    const chunk = this.target.chunks.find(({ n, events }) => want >= n && want < n + events.length);
    if (chunk) {
      this.after = chunk.n + chunk.events.length - 1;
      return { chunk, from: want - chunk.n };
    }
    if (this.target.done) return undefined;
    return new Promise<void>((resolve) => this.target.bells.add(resolve)).then(() => this.next());
  }

  close(): void {
    this.#closed = true;
    this.target.readers.delete(this);
    this.target.ring();
  }
}

export class FakeEngine implements HostedEngine {
  status: HostedEngine['status'] = 'ready';
  readonly commands: Command[] = [];
  readonly principals: (Principal | undefined)[] = [];
  #runs = new Map<string, FakeRun>();
  #claims = new Map<string, string>();
  #count = 0;
  /** Called before a command takes effect; may throw, or hold it. */
  before: (command: Command) => void | Promise<void> = () => {};
  /** What a new run says at once. */
  script: (start: StartRequest) => Said[] = ({ agent_id }) => [
    say.start(agent_id),
    say.text('hello'),
    say.finish('hello'),
  ];

  async deliver<T extends Command['type']>(
    command: Extract<Command, { type: T }>,
    principal?: Principal,
  ): Promise<Answers[T]> {
    this.commands.push(command);
    this.principals.push(principal);
    await this.before(command);
    return this.#answer(command) as Answers[T];
  }

  #answer(command: Command): unknown {
    if (command.type === 'start')
      return this.#resume(command.start) ?? { run: this.#start(command.start), attached: false };
    if (!('run_id' in command)) throw new Error('the fake engine knows no threads');
    const run = this.#run(command.run_id);
    if (run.done) throw runNotActive();
    return { run: run.record };
  }

  /** Decisions resume a run that waits on the thread. */
  #resume({ thread_id, decisions = [] }: StartRequest): Answers['start'] | undefined {
    const run = [...this.#runs.values()].find(
      ({ record }) => record.thread_id === thread_id && record.status === 'waiting',
    );
    if (!run || decisions.length === 0) return undefined;
    const resumed_after = run.next - 1;
    run.append([say.resumed()]);
    return { run: run.record, attached: false, resumed_after };
  }

  #start(start: StartRequest): RunRecord {
    if (start.agent_id !== 'assistant') throw agentNotFound(start.agent_id);
    const n = ++this.#count;
    const run_id = start.run_id ?? `run-${n}`;
    const record: RunRecord = {
      run_id,
      thread_id: start.thread_id ?? `thread-${n}`,
      agent_id: start.agent_id,
      parent_run_id: start.parent_run_id ?? null,
      parent_thread_id: start.parent_thread_id ?? null,
      origin: start.origin,
      status: 'waiting',
      termination_code: 'queued',
      termination_detail: null,
      created_at: 1,
      updated_at: 1,
      metadata: start.metadata ?? null,
      input_tokens: 0,
      output_tokens: 0,
      source_mailbox_entry_id: null,
      resource_id: start.resource_id ?? null,
    };
    const run = new FakeRun(record, this.#claims.get(run_id) ?? null);
    this.#runs.set(run_id, run);
    const said = this.script(start);
    if (said.length > 0) run.append(said);
    return record;
  }

  async claimRun(run_id: string, body_hash: string): Promise<RunClaim> {
    const run = this.#runs.get(run_id);
    if (run) return { claimed: false, run_id, thread_id: run.record.thread_id, same_body: run.hash === body_hash };
    this.#claims.set(run_id, body_hash);
    return { claimed: true };
  }

  /** Knows runs alone. */
  read = (async (ref: { kind: string; run_id?: string }) =>
    ref.kind === 'run' ? this.#runs.get(ref.run_id!)?.record : undefined) as HostedEngine['read'];

  async readEvents(run_id: string, after: number): Promise<EventReader> {
    return new FakeReader(this.#run(run_id), after);
  }

  async list<K extends keyof Listed>(): Promise<Page<Listed[K]>> {
    return { items: [], total: 0, has_more: false };
  }

  inspect(): Inspection {
    throw new Error('the fake engine shows nothing to operators');
  }

  /** All zeros. */
  meters(): EngineMeters {
    const nothing = { bounds: [], counts: [], count: 0, sum: 0 };
    return {
      runs: { started: 0, ended: {} },
      events: 0,
      now: { running: 0, waiting: 0, queued: 0, threads_in_memory: 0 },
      queues: { admission: 0, inbox_bytes: 0 },
      commits: { total: 0, batches: 0, failures: 0, bytes: 0, waiting_bytes: 0, latency: nothing, batch_size: nothing },
      store: { status: 'open', degraded_seconds: 0, bytes: null },
    };
  }

  backup(): Promise<never> {
    throw new Error('the fake engine has no data');
  }

  async close(): Promise<void> {
    this.status = 'stopped';
    for (const run of this.#runs.values()) for (const reader of [...run.readers]) reader.close();
  }

  /** Appends one chunk to a run's log. */
  append(run_id: string, ...said: Said[]): void {
    this.#run(run_id).append(said);
  }

  /** Readers that are open on a run. */
  readers(run_id: string): EventReader[] {
    return [...this.#run(run_id).readers];
  }

  /** How often the readers of a run have pulled. */
  pulls(run_id: string): number {
    return [...this.#run(run_id).readers].reduce((sum, reader) => sum + reader.pulls, 0);
  }

  #run(run_id: string): FakeRun {
    const run = this.#runs.get(run_id);
    if (!run) throw runNotFound(run_id);
    return run;
  }
}
