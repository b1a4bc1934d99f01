/**
 * Scale: `npm run scale -- [--runs N] [--threads N] [--recovery N] [--only lists,recovery] [--json FILE]`.
 *
 * Generates the data of a server that has run for long in a temporary directory, measures starts, lists and recovery of
 * `bin/agent-server` on it, compares every figure with its goal and checks every answer. Exit code 1: an answer was wrong.
 */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureLists } from './lists.mjs';
import { measureRecovery } from './recovery.mjs';
import { table } from '../lib/goals.mjs';
import { goalsOf } from './goals.mjs';

const USAGE = `usage: npm run scale -- [options]
  --runs N         runs in the store (default 1,000,000)
  --threads N      threads in the store, at most as many as runs (default 100,000)
  --queries N      pages asked for (default 1,000)
  --checked N      how many of them are compared with a naive count (default 60)
  --changes N      runs left waiting before the kill (default 1,000)
  --rest SECONDS   from the last page to the last look at the memory (default 90)
  --recovery N     open runs at the kill (default 10,000)
  --only NAMES     lists, recovery (default both)
  --seed N         of the queries
  --json FILE      write the results there, machine-readable`;

const PARTS = ['lists', 'recovery'];

try {
  const options = readOptions(process.argv.slice(2));
  if (options === 'help') console.log(USAGE);
  else if (!(await scale(options))) process.exitCode = 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

/** @param {Exclude<ReturnType<typeof readOptions>, 'help'>} options @returns {Promise<boolean>} whether all answers were right */
async function scale({ only, json, recovery: open, ...plan }) {
  const directory = await mkdtemp(join(tmpdir(), 'agent-server-scale-'));
  const say = (/** @type {string} */ line) => console.log(`  ${line}`);
  const machine = { cores: availableParallelism(), cpu: cpus()[0]?.model ?? 'unknown', node: process.version };
  console.log(`${machine.node}, ${machine.cores} × ${machine.cpu}, load ${loadavg()[0]?.toFixed(2)}`);
  try {
    const load_before = loadavg();
    const lists = only.includes('lists') ? await measureLists({ ...plan, directory, say }) : undefined;
    const recovery = only.includes('recovery') ? await measureRecovery({ open, directory, say }) : undefined;
    const goals = goalsOf({ lists, recovery });
    console.log(table(goals));
    for (const { path, why } of lists?.pages.wrong ?? []) console.log(`  wrong: ${path}: ${why}`);
    const result = { format: 2, machine, load_before, load_after: loadavg(), lists, recovery, goals };
    if (json !== undefined) await writeFile(json, JSON.stringify(result, null, 2) + '\n');
    return (lists?.exact ?? true) && (recovery?.exact ?? true);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Throws with a sentence when the arguments are no good. @param {string[]} args */
function readOptions(args) {
  const text = /** @type {const} */ ({ type: 'string' });
  const { values } = parseArgs({
    args,
    options: {
      ...{ runs: text, threads: text, queries: text, checked: text, changes: text, recovery: text, seed: text },
      ...{ rest: text, only: text, json: text },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  const number = (/** @type {keyof typeof values} */ name, /** @type {number} */ otherwise) => {
    const value = values[name] ?? String(otherwise);
    if (!/^\d{1,9}$/.test(String(value))) throw new Error(`--${name}: expected a number, got "${value}"`);
    return Number(value);
  };
  const only = (values.only ?? PARTS.join()).split(',');
  const unknown = only.find((name) => !PARTS.includes(name));
  if (unknown !== undefined) throw new Error(`--only: "${unknown}" is none of ${PARTS.join(', ')}`);
  const runs = number('runs', 1_000_000);
  const threads = Math.min(number('threads', 100_000), runs);
  return {
    ...{ runs, threads, only, json: values.json },
    queries: number('queries', 1_000),
    checked: number('checked', 60),
    changes: Math.min(number('changes', 1_000), threads),
    rest: number('rest', 90),
    recovery: number('recovery', 10_000),
    seed: number('seed', 1),
  };
}
