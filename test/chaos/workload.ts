/** What the clients of the kill tests ask for: run number n of a seed is always the same. */

import { random } from './random.js';
import type { RunPlan } from './watched-run.js';

const TEXTS: [weight: number, [agent_id: string, text: string]][] = [
  [15, ['assistant', 'hello']],
  [15, ['assistant', '[[slow]] hello']],
  [10, ['assistant', '[[tools 3]] hello']],
  [10, ['assistant', '[[progress]] hello']],
  [8, ['assistant', '[[long 200]] hello']],
  [4, ['assistant', '[[slow]] [[long 300]] hello']],
  [15, ['assistant', '[[approval]] hello']],
  [8, ['assistant', '[[approval]] [[tools 3]] [[progress]] [[slow]] hello']],
  [15, ['looper', 'hello']],
];

/** Threads that several runs use at the same time. */
const SHARED = 4;

export function planRun(seed: number, n: number): RunPlan {
  const r = random(seed, 'run', n);
  const run_id = `run-${seed}-${n}`;
  const [agent_id, text] = r.pick(TEXTS);
  const place = r.pick([
    [80, 'own'],
    [10, 'enqueue'],
    [10, 'interrupt'],
  ] as const);
  return {
    run_id,
    agent_id,
    text,
    shared: place !== 'own',
    thread_id: place === 'own' ? `thread-${seed}-${n}` : `${place}-${seed}-${r.between(1, SHARED)}`,
    on_busy: place === 'enqueue' ? 'enqueue' : 'interrupt',
    cancel_after: r.chance(0.06) ? r.between(1, 30) : null,
    verdict: r.pick([
      [3, 'cancel the run'],
      [2, 'retry'],
      [2, 'it happened'],
      [2, 'it did not happen'],
    ] as const),
    patience: r.between(0, 1),
    resume: r.chance(0.4) ? 'start' : 'events',
  };
}
