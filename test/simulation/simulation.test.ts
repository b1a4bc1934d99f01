/**
 * The simulator: one thread after the other lives through random starts, cancels, interrupts, decisions, answers, waits and
 * crashes in every order (QUALITY promises 1 to 6). `npm run simulate` takes `--steps` and `--seed`.
 */

import { expect, test } from 'vitest';
import { Episode } from './episode.js';

const setting = (name: string, fallback: number): number => Number(process.env[`SIMULATE_${name}`] ?? fallback);
const steps = setting('STEPS', 10_000);
const seed = setting('SEED', 1);
/** Steps of one thread; then everything is let end and looked at. */
const EPISODE = 100;

test(`${steps} steps on threads of ${EPISODE} (seed ${seed})`, { timeout: 120_000 + steps * 25 }, async () => {
  const total = { steps: 0, runs: 0, crashes: 0, inDoubt: 0 };
  for (let number = 0; total.steps < steps; number++) {
    const { violations, ...figures } = await new Episode(seed, number).play(EPISODE);
    expect(violations, `episode ${number}; again with: npm run simulate -- --seed ${seed} --steps ${steps}`).toEqual(
      [],
    );
    for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += figures[name];
  }
  if (process.env['SIMULATE_STEPS'] !== undefined) console.log(JSON.stringify({ seed, ...total }));
  // The test has tested something.
  expect(total.runs).toBeGreaterThan(steps / 50);
  expect(total.crashes).toBeGreaterThan(steps / 200);
  expect(total.inDoubt).toBeGreaterThan(0);
});
