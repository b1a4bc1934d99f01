/**
 * One thread's life under random starts, stops, decisions, answers, waits and crashes; then everything is let end, and the
 * logs are held against the promises (QUALITY "Promises" 1 to 6) and against what really happened.
 */

import { setImmediate as turn } from 'node:timers/promises';
import { checkStore } from '../../src/actors/doctor/index.js';
import type { Decision, HostedEngine, StartRequest } from '../../src/actors/index.js';
import { canonicalEvents, type CanonicalEvent } from '../../src/actors/events.js';
import { openEngine } from '../../src/actors/open-engine.js';
import { QUIET_MS } from '../../src/actors/retention/compaction.js';
import { EVERY_MS } from '../../src/actors/retention/keeper.js';
import { AgentServerError, ErrorCode } from '../../src/errors.js';
import * as keys from '../../src/store/keys.js';
import { MemoryStore, type Outcome } from '../../src/store/memory.js';
import { random, type Random } from '../chaos/random.js';
import { THREAD, World } from './world.js';

export type Report = { steps: number; runs: number; crashes: number; inDoubt: number; violations: string[] };

const CANCEL_MS = 10_000;
/** Rounds in which everything is let end; a server that still has open work then has lost it. */
const PATIENCE = 400;

export class Episode {
  readonly #world: World;
  readonly #random: Random;
  #engine!: HostedEngine;
  #store!: MemoryStore;
  #runs: string[] = [];
  /** Runs whose start, and whose cancel, was acknowledged. */
  readonly #accepted = new Set<string>();
  readonly #cancelled = new Set<string>();
  /** Decisions that were acknowledged, and calls that a person has told to be tried again. */
  readonly #retried = new Map<string, number>();
  #crashes = 0;
  #calm = false;
  #opening = false;
  /** Slow batches that wait, and the gates they wait at. */
  #gates: (() => void)[] = [];

  constructor(seed: number, number: number) {
    this.#random = random(seed, number);
    this.#world = new World(random(seed, number, 'world'));
  }

  async play(steps: number): Promise<Report> {
    await this.#open();
    for (let step = 0; step < steps; step++) {
      await this.#step();
      if (this.#world.activeRuns().length > 1) this.#fault('two active runs');
    }
    await this.#settle();
    await this.#fold();
    const inDoubt = this.#check();
    await this.#engine.close(0);
    await this.#examine();
    return { steps, runs: this.#runs.length, crashes: this.#crashes, inDoubt, violations: this.#world.violations };
  }

  #fault(what: string): void {
    this.#world.violations.push(what);
  }

  async #open(): Promise<void> {
    const { disk, clock } = this.#world;
    this.#opening = true;
    for (;;) {
      this.#store = new MemoryStore(disk, { batch: () => this.#fate() });
      const { crashed } = this.#store;
      const limits = { cancel_ms: CANCEL_MS, feed_chunks: 2 };
      const opening = openEngine({ store: this.#store, agents: this.#world.agents(), clock, limits });
      const engine = await Promise.race([opening, crashed.then(() => undefined)]);
      if (engine) {
        this.#opening = false;
        this.#engine = engine;
        for (const run_id of this.#accepted) this.#follow(run_id);
        return;
      }
      await this.#die();
    }
  }

  #fate(): Outcome {
    if (this.#calm) return 'ok';
    const fate = this.#random.pick<'ok' | 'crash-before' | 'crash-after' | 'slow'>([
      [180, 'ok'],
      [1, 'crash-before'],
      [1, 'crash-after'],
      [18, 'slow'],
    ]);
    if (fate === 'slow' && this.#opening) return 'ok';
    return fate === 'slow' ? { slow: new Promise<void>((resolve) => this.#gates.push(resolve)) } : fate;
  }

  /** The process is dead; whatever it held is gone. */
  async #die(): Promise<void> {
    this.#store.crash();
    this.#crashes++;
    this.#gates = [];
    this.#world.died();
    await this.#examine();
  }

  /** Between two processes the data hold together. */
  async #examine(): Promise<void> {
    const store = new MemoryStore(this.#world.disk);
    // Whoever is dead may have died before it had written anything at all.
    const { faults } = this.#world.disk.size === 0 ? { faults: [] } : await checkStore(store);
    for (const { code, where, detail } of faults) this.#fault(`${code}: ${where}: ${detail}`);
    store.crash();
  }

  /** The logs of runs that have ended become one row each. */
  async #fold(): Promise<void> {
    this.#world.clock.advance(QUIET_MS + EVERY_MS);
    for (let turns = 0; turns < 40; turns++) await turn();
  }

  async #step(): Promise<void> {
    const act = this.#random.pick<() => void>([
      [4, () => this.#start()],
      [2, () => this.#cancel()],
      [1, () => this.#interrupt()],
      [6, () => this.#decide()],
      [14, () => this.#world.endOne()],
      [5, () => this.#gates.shift()?.()],
      [2, () => this.#world.clock.advance(this.#random.between(1, 12_000))],
      [1, () => this.#store.crash()],
    ]);
    act();
    for (let turns = this.#random.between(0, 4); turns > 0; turns--) await turn();
    const dead = await Promise.race([this.#store.crashed.then(() => true), turn().then(() => false)]);
    if (!dead) return;
    await this.#die();
    await this.#open();
  }

  /** Does something to the server; what it refuses with a word of its own is no fault. */
  #ask<T>(request: Promise<T>, then: (answer: T) => void = () => {}): void {
    request.then(then, (error: unknown) => {
      const known =
        error instanceof AgentServerError && error.code !== ErrorCode.internal && error.code !== ErrorCode.badRequest;
      if (!known) this.#fault(`a request failed: ${String(error)}`);
    });
  }

  #start(): void {
    const run_id = `run ${this.#runs.length}`;
    this.#runs.push(run_id);
    const { pick, chance } = this.#random;
    const start: StartRequest = {
      agent_id: pick([
        [1, 'sequential'],
        [1, 'parallel_batch_approval'],
        [1, 'parallel_streaming'],
      ]),
      thread_id: THREAD,
      run_id,
      origin: 'user',
      on_busy: pick([
        [3, 'enqueue'],
        [3, 'interrupt'],
        [1, 'reject'],
        [1, 'rollback'],
      ]),
      messages: [{ role: 'user', content: run_id }],
      ...(chance(0.3) ? { state: { [run_id]: 1 } } : {}),
    };
    this.#ask(this.#engine.deliver({ type: 'start', start }), () => {
      this.#accepted.add(run_id);
      this.#follow(run_id);
    });
  }

  #cancel(): void {
    const run_id = this.#runs.at(-this.#random.between(1, 3));
    if (run_id === undefined) return;
    this.#ask(this.#engine.deliver({ type: 'cancel', run_id }), () => void this.#cancelled.add(run_id));
  }

  #interrupt(): void {
    this.#ask(this.#engine.deliver({ type: 'interrupt', thread_id: THREAD }), ({ cancelled_run_id }) => {
      if (cancelled_run_id !== null) this.#cancelled.add(cancelled_run_id);
    });
  }

  /** Calls that wait for somebody, as far as the disk tells. */
  #openCalls(run_id: string): { id: string; kind: string }[] {
    const open = new Map<string, string>();
    for (const event of this.#world.stored(run_id)) {
      if (event.type === 'tool_call_suspended') open.set(event.data.id, event.data.suspension.kind);
      if (event.type === 'tool_call_resumed') open.delete(event.data.target_id);
      if (event.type === 'tool_call_done') open.delete(event.data.id);
    }
    return [...open].map(([id, kind]) => ({ id, kind }));
  }

  #decide(): void {
    const { between, chance, pick } = this.#random;
    for (const run_id of this.#runs.slice(-4)) {
      const calls = this.#openCalls(run_id);
      if (calls.length === 0) continue;
      const { id: target_id, kind } = calls[between(0, calls.length - 1)]!;
      const result =
        kind === 'in_doubt' && chance(0.3)
          ? { retry: true }
          : pick([
              [3, { approved: true }],
              [1, { approved: false }],
            ]);
      const action = chance(0.8) ? ('resume' as const) : ('cancel' as const);
      if (action === 'resume' && 'retry' in result)
        this.#retried.set(target_id, (this.#retried.get(target_id) ?? 0) + 1);
      this.#answer(run_id, { target_id, decision_id: `decision ${between(0, 1e9)}`, action, result, updated_at: 0 });
    }
  }

  #answer(run_id: string, decision: Decision): void {
    const ask = () => this.#ask(this.#engine.deliver({ type: 'decide', run_id, decisions: [decision] }));
    ask();
    // Some clients say everything twice.
    if (this.#random.chance(0.2)) ask();
  }

  /** A client that follows the run from where it was when the server died. */
  #follow(run_id: string): void {
    const seen = this.#world.seen.get(run_id) ?? [];
    this.#world.seen.set(run_id, seen);
    const read = async (): Promise<void> => {
      const reader = await this.#engine.readEvents(run_id, seen.length - 1);
      for (let slice = await reader.next(); slice; slice = await reader.next())
        for (const event of canonicalEvents(slice.chunk, { run_id, thread_id: THREAD }, slice.from)) {
          if (event.seq !== seen.length)
            this.#fault(`${run_id}: event ${event.seq} was shown after ${seen.length - 1}`);
          seen.push(event);
        }
    };
    this.#ask(read());
  }

  /** Everything is let end: every answer is given, every timer passes, nothing crashes any more. */
  async #settle(): Promise<void> {
    this.#calm = true;
    for (let round = 0; round < PATIENCE; round++) {
      for (const open of this.#gates.splice(0)) open();
      while (this.#world.pending.length > 0) this.#world.endOne();
      for (let turns = 0; turns < 6; turns++) await turn();
      if (round % 3 === 0) this.#world.clock.advance(1_000);
      if (this.#world.activeRuns().length === 0 && this.#world.disk.rows(keys.allQueued()).length === 0) break;
      for (const run_id of this.#runs)
        for (const { id } of this.#openCalls(run_id))
          this.#answer(run_id, {
            target_id: id,
            decision_id: `last ${id} ${round}`,
            action: 'resume',
            result: { approved: true },
            updated_at: 0,
          });
    }
    for (let turns = 0; turns < 6; turns++) await turn();
  }

  #check(): number {
    const { disk, seen, executed } = this.#world;
    if (disk.rows(keys.allActors()).length > 0) this.#fault('a run that nobody runs, or an actor that is left behind');
    if (disk.rows(keys.allQueued()).length > 0) this.#fault('an entry that never had its turn');
    let inDoubt = 0;
    for (const run_id of this.#runs) {
      const log = this.#world.stored(run_id);
      if (this.#accepted.has(run_id) && log.length === 0) this.#fault(`${run_id} was accepted and is not there`);
      if (log.length === 0) continue;
      this.#checkLog(run_id, log);
      const shown = seen.get(run_id) ?? [];
      if (this.#accepted.has(run_id) && JSON.stringify(shown) !== JSON.stringify(log))
        this.#fault(`${run_id}: what was shown is not what is stored (${shown.length} events of ${log.length})`);
      inDoubt += log.filter((e) => e.type === 'tool_call_suspended' && e.data.suspension.kind === 'in_doubt').length;
    }
    for (const [call_id, times] of executed)
      if (times > 1 + (this.#retried.get(call_id) ?? 0)) this.#fault(`${call_id} was executed ${times} times`);
    this.#checkMessages();
    return inDoubt;
  }

  #checkLog(run_id: string, log: CanonicalEvent[]): void {
    const fault = (what: string) => this.#fault(`${run_id}: ${what}`);
    if (log.some(({ seq }, i) => seq !== i)) fault(`not dense: ${log.map(({ seq }) => seq).join(' ')}`);
    if (log[0]!.type !== 'run_start') fault('does not begin with run_start');
    const last = log.at(-1)!;
    if (last.type !== 'run_finish' || log.filter(({ type }) => type === 'run_finish').length !== 1)
      return fault(`does not end with its only run_finish: ${log.map(({ type }) => type).join(' ')}`);
    const { code } = last.data.termination;
    if (this.#cancelled.has(run_id) && code !== 'cancelled' && code !== 'superseded')
      fault(`was cancelled and ended ${code}`);
    const record = this.#world.disk.get(keys.runName(run_id))!;
    const { status, termination_code } = JSON.parse(
      this.#world.disk.get(keys.run((JSON.parse(record) as { rno: number }).rno))!,
    ) as { status: string; termination_code: string };
    if (status !== 'done' || termination_code !== code) fault(`its record says ${status}, ${termination_code}`);
    const starts = log.filter(({ type }) => type === 'step_start').length;
    const ends = log.filter(({ type }) => type === 'step_end').length;
    if (starts !== ends) fault(`${starts} steps began, ${ends} ended`);
    const done = log.flatMap((event) => (event.type === 'tool_call_done' ? [event.data.id] : []));
    if (new Set(done).size !== done.length) fault(`a call ended twice: ${done.join(', ')}`);
  }

  /** Every call of the thread's history has one result, and cursors rise. */
  #checkMessages(): void {
    const messages = this.#world.disk
      .rows(keys.messagesOf(0))
      .map(
        ([, value]) => JSON.parse(value) as { cursor: number; tool_calls?: { id: string }[]; tool_call_id?: string },
      );
    const made = messages.flatMap(({ tool_calls }) => tool_calls?.map(({ id }) => id) ?? []).sort();
    const answered = messages.flatMap(({ tool_call_id }) => tool_call_id ?? []).sort();
    if (JSON.stringify(made) !== JSON.stringify(answered))
      this.#fault(`calls ${made.join()} have results ${answered.join()}`);
    if (messages.some(({ cursor }, i) => i > 0 && cursor <= messages[i - 1]!.cursor))
      this.#fault('a cursor was used again');
  }
}
