/**
 * `kill -9` under load, again and again (QUALITY promises 1, 2, 4, 5 and 6). Ten cycles here; `npm run chaos` takes
 * `--cycles`, `--concurrency` and `--seed`.
 */

import { expect, test } from 'vitest';
import { checkDataDirectory } from '../../src/actors/doctor/index.js';
import { killAgainAndAgain, type KillReport } from './kill.js';
import { newPlace } from './server.js';

const setting = (name: string, fallback: number): number => Number(process.env[`CHAOS_${name}`] ?? fallback);

const cycles = setting('CYCLES', 10);
const concurrency = setting('CONCURRENCY', 50);
const seed = setting('SEED', 1);
const verbose = process.env.CHAOS_CYCLES !== undefined;

function tell(cycle: number, { runs, faults }: KillReport, open: number): void {
  console.log(`cycle ${cycle}: ${runs} runs, ${open} open, ${faults.length} faults`);
  for (const fault of faults.slice(told)) console.log(`  ${fault}`);
  told = faults.length;
}
let told = 0;

test(
  `kill -9, ${cycles} times, under ${concurrency} concurrent runs: nothing is lost, repeated or left behind (seed ${seed})`,
  { timeout: 120_000 + cycles * 15_000 },
  async () => {
    const place = await newPlace();
    const { faults, ...figures } = await killAgainAndAgain({
      cycles,
      concurrency,
      seed,
      place,
      ...(verbose ? { onCycle: tell } : {}),
    });
    if (verbose) console.log(JSON.stringify({ seed, ...figures, faults: faults.length }, null, 2));
    expect(
      faults,
      `again with: npm run chaos -- --cycles ${cycles} --concurrency ${concurrency} --seed ${seed}`,
    ).toEqual([]);
    expect((await checkDataDirectory(place.data)).faults, 'the data do not hold together').toEqual([]);
    // The test has tested something.
    expect(figures.kills).toBe(cycles);
    expect(figures.runs).toBeGreaterThanOrEqual(concurrency);
    expect(figures.resumes).toBeGreaterThan(cycles);
  },
);
