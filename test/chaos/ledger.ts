/**
 * What the tools and the model wrote down themselves, outside the server (`agents.mjs`), and what it must be when it is
 * held against the logs of the runs (CONTRACT 1.15, QUALITY promise 4).
 */

import { readFile } from 'node:fs/promises';
import type { CallFacts, StepFacts } from './log-rules.js';

type Execution = { effect: string; starts: number[]; ends: number[] };

export type RunLedger = {
  /** By call id. `starts` and `ends`: the boots in which the tool was begun and came to its end. */
  calls: Map<string, Execution>;
  /** By prompt length, which grows from step to step: the boots in which the model was asked. */
  asks: Map<number, number[]>;
};

/** By run id. */
export type Ledger = Map<string, RunLedger>;

export async function readLedger(path: string): Promise<Ledger> {
  const ledger: Ledger = new Map();
  for (const line of (await readFile(path, 'utf8')).split('\n')) {
    const [kind, boot, run, what, effect] = line.split(' ') as [string, string, string, string, string];
    if (kind === '') continue;
    const entry = at(ledger, run, (): RunLedger => ({ calls: new Map(), asks: new Map() }));
    if (kind === 'ask') at(entry.asks, Number(what), () => []).push(Number(boot));
    else {
      const execution = at(entry.calls, what, (): Execution => ({ effect, starts: [], ends: [] }));
      execution[kind === 'start' ? 'starts' : 'ends'].push(Number(boot));
    }
  }
  return ledger;
}

const at = <K, V>(map: Map<K, V>, key: K, make: () => V): V => {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
};

/** A run's log, with the boot in which each of its events was first seen by a client. */
export type SeenLog = { calls: Iterable<CallFacts>; steps: readonly StepFacts[]; boots: readonly number[] };

const nothing: RunLedger = { calls: new Map(), asks: new Map() };

/** Sentences about what cannot be; none means that effects and log agree. */
export function ledgerFaults({ calls: executions, asks }: RunLedger = nothing, log: SeenLog): string[] {
  const faults: string[] = [];
  const known = new Map([...log.calls].map((call) => [call.id, call]));
  for (const [id, { effect, starts, ends }] of executions) {
    const call = known.get(id);
    if (!call) {
      faults.push(`call ${id} was executed, but the log does not have it`);
      continue;
    }
    const seen = call.done === null ? undefined : log.boots[call.done];
    if (seen !== undefined && starts.some((boot) => boot > seen))
      faults.push(`call ${id} was executed in boot ${Math.max(...starts)}, its outcome was seen in boot ${seen}`);
    if (effect !== 'once') {
      if (call.doubted) faults.push(`call ${id} is ${effect} and was in doubt`);
      continue;
    }
    if (starts.length > 1 + call.retries)
      faults.push(`call ${id} is once and was started ${starts.length} times, with leave to repeat it ${call.retries}`);
    if (ends.length === 0 && call.outcome === 'succeeded' && !call.told)
      faults.push(`call ${id} is said to have succeeded, but it never came to its end`);
    if (starts.length > 0 && !call.doubted && call.outcome !== 'succeeded' && call.outcome !== 'cancelled')
      faults.push(`call ${id} is once, was started, and is ${call.outcome} without ever having been in doubt`);
  }
  for (const call of known.values())
    if (call.outcome === 'succeeded' && !call.told && !executions.get(call.id)?.ends.length)
      faults.push(`call ${call.id} is said to have succeeded, but there is no trace of it`);

  const lengths = [...asks.keys()].sort((a, b) => a - b);
  if (lengths.length > log.steps.length)
    faults.push(`the model was asked in ${lengths.length} steps, the log has ${log.steps.length}`);
  for (const [step, length] of lengths.entries()) {
    const boots = asks.get(length)!;
    const { complete, retries } = log.steps[step] ?? { complete: null, retries: Infinity };
    if (boots.length > 1 + retries)
      faults.push(`the model was asked ${boots.length} times in step ${step}, the log tells of ${retries} retries`);
    const seen = complete === null ? undefined : log.boots[complete];
    if (seen !== undefined && boots.some((boot) => boot > seen))
      faults.push(`step ${step} was finished in boot ${seen} and the model was asked again in ${Math.max(...boots)}`);
  }
  return faults;
}
