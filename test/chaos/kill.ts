/**
 * The killer: a server under load, killed with SIGKILL at random moments and started again on the same data, over and
 * over; then everything it has said is held against what it has stored and against what its tools have done.
 *
 * For every run that was ever asked for:
 * - the frames its client received, over all its connections, are byte for byte an unbroken read of the run's events;
 * - the log is sound (`log-rules.ts`), and the run's record says the same;
 * - it ends: nothing is left running with nobody running it. One in doubt waits until its client decides;
 * - it ends as it may: naturally, unless its client cancelled it or another run took its thread;
 * - its tools and its model were asked as often as they may be (`ledger.ts`).
 *
 * Most moments lie in the load, others in the start of the server or in its graceful stop; every tenth cycle everything may come to its
 * end before the kill, so that a run that only a restart would revive is found out. What is checked of a run that is over
 * is asked of a later boot if there is one.
 *
 * The same seed gives the same runs and the same moments. What happens between them is up to the machine.
 */

import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { StartingServer } from '../support/server-process.js';
import { ledgerFaults, readLedger, type SeenLog } from './ledger.js';
import { factsOf, parseFrame, type LogFacts } from './log-rules.js';
import { random } from './random.js';
import { launch, type Place } from './server.js';
import { WatchedRun, type Boot } from './watched-run.js';
import { ask, readFrames } from './wire.js';
import { planRun } from './workload.js';

export type KillOptions = {
  cycles: number;
  /** Runs that are open at the same time. */
  concurrency: number;
  seed: number;
  /** Without data yet. */
  place: Place;
  /** Told after each cycle. */
  onCycle?: (cycle: number, report: KillReport, open: number) => void;
};

export type KillReport = {
  /** Each is a sentence that begins with the run it is about. Empty: all promises were kept. */
  faults: string[];
  kills: number;
  /** Kills before the ready line. */
  early_kills: number;
  /** Kills in the middle of a graceful stop, or just behind it. */
  stops: number;
  runs: number;
  frames: number;
  resumes: number;
  /** Starts repeated because the server died before it acknowledged them: those it had, and those it had not. */
  repeated: { known: number; unknown: number };
  in_doubt: number;
  ends: Record<string, number>;
  executions: number;
  /** Milliseconds from the start of a process to its ready line. */
  start_ms: { median: number; max: number };
};

/** Milliseconds until everything has to have come to its end once nothing is killed any more. */
const DRAIN_MS = 60_000;
/** Milliseconds an idle server may take to stop. */
const STOP_MS = 15_000;
/** Milliseconds from the ready line to the kill: how often, at least, at most. */
const LIVES = [
  [1, 0, 100],
  [2, 100, 1_200],
  [2, 1_200, 3_000],
] as const;
/** Runs a cycle may begin, as a multiple of the concurrency: short runs must not become thousands. */
const FRESH = 3;
/** Runs that are checked at the same time. */
const AUDITORS = 4;

export const killAgainAndAgain = (options: KillOptions): Promise<KillReport> => new Killer(options).run();

/** Runs that may still be begun in a cycle. */
type Budget = { fresh: number };

class Killer {
  readonly #open = new Set<WatchedRun>();
  /** Over, and not checked yet. */
  readonly #ended: WatchedRun[] = [];
  readonly #checked = new Map<string, SeenLog & { digest: string }>();
  readonly #starts: number[] = [];
  readonly report: KillReport = {
    faults: [],
    kills: 0,
    early_kills: 0,
    stops: 0,
    runs: 0,
    frames: 0,
    resumes: 0,
    repeated: { known: 0, unknown: 0 },
    in_doubt: 0,
    ends: {},
    executions: 0,
    start_ms: { median: 0, max: 0 },
  };

  constructor(private readonly options: KillOptions) {}

  async run(): Promise<KillReport> {
    const { cycles, onCycle } = this.options;
    for (let n = 1; n <= cycles; n++) {
      await this.#cycle(n);
      onCycle?.(n, this.report, this.#open.size);
    }
    await this.#lastBoot(cycles + 1);
    await this.#holdAgainstLedger();
    const sorted = this.#starts.sort((a, b) => a - b);
    this.report.start_ms = { median: sorted[sorted.length >> 1] ?? 0, max: sorted.at(-1) ?? 0 };
    return this.report;
  }

  async #cycle(n: number): Promise<void> {
    const r = random(this.options.seed, 'cycle', n);
    const server = this.#launch(n);
    if (n > 1 && r.chance(0.15)) {
      await Promise.race([delay(r.between(0, 400)), server.ready]);
      this.report.early_kills++;
      return this.#kill(server);
    }
    const boot: Boot = { url: await this.#ready(server), number: n, draining: n % 10 === 0, stopping: false };
    const budget = { fresh: boot.draining ? 0 : this.options.concurrency * FRESH };
    const asked = [...this.#open].map((run) => this.#attend(run, boot, budget));
    const audit = this.#audit(boot);
    if (boot.draining) {
      await this.#drain(asked);
      await audit;
    } else {
      asked.push(...this.#topUp(boot, budget));
      await delay(r.pick(LIVES.map(([weight, low, high]) => [weight, r.between(low, high)] as const)));
    }
    if (!boot.draining && r.chance(0.3)) {
      // Starts that are on their way when the server dies.
      asked.push(...Array.from({ length: Math.ceil(this.options.concurrency / 2) }, () => this.#begin(boot)));
      await delay(r.between(0, 30));
    }
    if (r.chance(0.2)) {
      boot.stopping = true;
      process.kill(server.pid, 'SIGTERM');
      await Promise.race([delay(r.between(0, 300)), server.exited]);
      this.report.stops++;
    }
    await this.#kill(server, boot.stopping);
    await Promise.all([...asked, audit]);
  }

  /** Nothing is killed any more: all that is open has to end, and all that ended is checked. */
  async #lastBoot(n: number): Promise<void> {
    const server = this.#launch(n);
    const boot: Boot = { url: await this.#ready(server), number: n, draining: true, stopping: false };
    await this.#drain([...this.#open].map((run) => this.#attend(run, boot)));
    await this.#audit(boot);
    await this.#auditAgain(boot);
    const exit = await Promise.race([server.kill('SIGTERM'), delay(STOP_MS)]);
    if (!exit) this.report.faults.push(`the last server does not stop when it is told to`);
    else if (exit.code !== 0)
      this.report.faults.push(`the last server: exit ${exit.code ?? exit.signal}: ${exit.stderr}`);
  }

  #launch(n: number): StartingServer {
    const began = performance.now();
    const server = launch(this.options.place, n);
    void server.ready.then((url) => url !== undefined && this.#starts.push(Math.round(performance.now() - began)));
    return server;
  }

  async #ready(server: StartingServer): Promise<string> {
    const url = await server.ready;
    if (url === undefined) throw new Error(`the server did not start again: ${server.stderr()}`);
    return url;
  }

  async #kill(server: StartingServer, stopping = false): Promise<void> {
    const exit = await server.kill('SIGKILL');
    this.report.kills++;
    if (exit.signal !== 'SIGKILL' && !(stopping && exit.code === 0))
      this.report.faults.push(`the server died by itself: exit ${exit.code}`);
    if (exit.stderr !== '') this.report.faults.push(`the server complained: ${exit.stderr.slice(0, 2_000)}`);
  }

  #topUp(boot: Boot, budget: Budget): Promise<void>[] {
    const missing = Math.max(0, this.options.concurrency - this.#open.size);
    return Array.from({ length: missing }, () => this.#begin(boot, budget));
  }

  #begin(boot: Boot, budget: Budget = { fresh: 0 }): Promise<void> {
    budget.fresh--;
    const run = new WatchedRun(planRun(this.options.seed, this.report.runs++));
    this.#open.add(run);
    return this.#attend(run, boot, budget);
  }

  /** Until the run is over, which makes place for another one, or the server is gone. */
  async #attend(run: WatchedRun, boot: Boot, budget: Budget = { fresh: 0 }): Promise<void> {
    if (run.standing === 'new' && run.asked) await this.#lookUp(run, boot);
    await run.attend(boot);
    if (run.standing !== 'over' && run.faults.length === 0) return;
    this.#open.delete(run);
    this.#ended.push(run);
    if (budget.fresh > 0) await this.#begin(boot, budget);
  }

  /** A start that was not acknowledged may have been accepted or not; both are right. */
  async #lookUp(run: WatchedRun, boot: Boot): Promise<void> {
    const answer = await ask(`${boot.url}/v1/runs/${run.plan.run_id}`);
    if (answer?.status === 200) this.report.repeated.known++;
    else if (answer?.status === 404) this.report.repeated.unknown++;
    else if (answer && !boot.stopping) run.faults.push(`was answered ${answer.status} ${JSON.stringify(answer.body)}`);
  }

  async #drain(attended: Promise<void>[]): Promise<void> {
    const enough = new AbortController();
    const late = delay(DRAIN_MS, undefined, { signal: enough.signal }).catch(() => {});
    await Promise.race([Promise.all(attended), late]);
    enough.abort();
    for (const run of this.#open) {
      this.#blame(run, `stands still: ${run.standing} with ${run.frames.length} frames, last ${run.frames.at(-1)}`);
      this.#open.delete(run);
    }
  }

  /** Checks what has ended before this boot, and in a boot that drains all that has ended. */
  async #audit(boot: Boot): Promise<void> {
    const waiting = this.#ended.splice(0);
    const work = async (): Promise<void> => {
      for (let run = waiting.pop(); run; run = waiting.pop()) {
        if (await this.#check(run, boot)) continue;
        this.#ended.push(run, ...waiting.splice(0));
        return;
      }
    };
    await Promise.all(Array.from({ length: AUDITORS }, work));
  }

  /** False: the server died or was told to stop meanwhile. */
  async #check(run: WatchedRun, boot: Boot): Promise<boolean> {
    for (const fault of run.faults.splice(0)) this.#blame(run, fault);
    if (run.standing !== 'over') return true;
    const { run_id } = run.plan;
    const whole: string[] = [];
    const end = await readFrames(`${boot.url}/v1/runs/${run_id}/events`, {}, { onFrame: (f) => whole.push(f) });
    if (end.how === 'cut' || end.how === 'unreached') return false;
    const record = await ask(`${boot.url}/v1/runs/${run_id}`);
    if (!record || boot.stopping) return false;

    if (end.how === 'refused') this.#blame(run, `its events are ${end.status} ${end.body}`);
    const stored = whole.join('');
    if (run.frames.join('') !== stored) this.#blame(run, difference(run.frames, whole));
    const facts = factsOf(whole.map(parseFrame), run.plan);
    for (const fault of facts.faults.slice(0, 5)) this.#blame(run, fault);
    const { status, termination_code } = record.body as { status?: string; termination_code?: string };
    if (status !== 'done' || termination_code !== facts.code)
      this.#blame(run, `its record says ${status} ${termination_code}, its log ${facts.code}`);
    this.#judgeEnd(run, facts);
    this.#count(run, facts);
    const digest = createHash('sha256').update(stored).digest('hex');
    this.#checked.set(run_id, { ...facts, calls: [...facts.calls.values()], boots: run.boots, digest });
    return true;
  }

  #judgeEnd({ cancel, plan }: WatchedRun, { code }: LogFacts): void {
    const may: (string | null)[] = cancel === 'acknowledged' ? ['cancelled'] : ['natural'];
    if (cancel === 'sent') may.push('cancelled');
    if (plan.shared && plan.on_busy === 'interrupt') may.push('superseded');
    if (!may.includes(code)) this.report.faults.push(`${plan.run_id}: ended ${code}, not ${may.join(' or ')}`);
  }

  #count(run: WatchedRun, { calls, code }: LogFacts): void {
    const { report } = this;
    report.frames += run.frames.length;
    report.resumes += run.resumes;
    report.ends[code ?? 'none'] = (report.ends[code ?? 'none'] ?? 0) + 1;
    for (const { doubted } of calls.values()) if (doubted) report.in_doubt++;
  }

  /** What was over long ago is still the same. */
  async #auditAgain({ url }: Boot): Promise<void> {
    const r = random(this.options.seed, 'again');
    const few = [...this.#checked].filter(() => r.chance(200 / this.#checked.size));
    for (const [run_id, { digest }] of few) {
      const hash = createHash('sha256');
      await readFrames(`${url}/v1/runs/${run_id}/events`, {}, { onFrame: (frame) => hash.update(frame) });
      if (hash.digest('hex') !== digest) this.report.faults.push(`${run_id}: its log is another than before`);
    }
  }

  async #holdAgainstLedger(): Promise<void> {
    const ledger = await readLedger(this.options.place.ledger);
    for (const [run_id, log] of this.#checked)
      for (const fault of ledgerFaults(ledger.get(run_id), log)) this.report.faults.push(`${run_id}: ${fault}`);
    for (const [run_id, { calls }] of ledger) {
      if (!this.#checked.has(run_id)) this.report.faults.push(`${run_id}: was at work, and nobody knows it`);
      for (const { starts } of calls.values()) this.report.executions += starts.length;
    }
  }

  #blame({ plan, boots }: WatchedRun, what: string): void {
    this.report.faults.push(`${plan.run_id} (${plan.agent_id} ${plan.text}; boots ${summary(boots)}): ${what}`);
  }
}

/** `3:17 4:2`: 17 frames in boot 3, two in boot 4. */
function summary(boots: readonly number[]): string {
  const counts = new Map<number, number>();
  for (const boot of boots) counts.set(boot, (counts.get(boot) ?? 0) + 1);
  return [...counts].map(([boot, count]) => `${boot}:${count}`).join(' ');
}

function difference(received: readonly string[], stored: readonly string[]): string {
  const i = received.findIndex((frame, n) => frame !== stored[n]);
  if (i < 0) return `received ${received.length} frames of ${stored.length}`;
  return `frame ${i} was received as ${received[i]} and is stored as ${stored[i]}`;
}
