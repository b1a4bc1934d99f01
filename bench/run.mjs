/**
 * The bench: `npm run bench -- [--quick] [--only burst,readers,…] [--targets …] [--json FILE] [--profile DIR]`.
 *
 * Starts all servers as child processes on free ports with data in a temporary directory, loads them in turns from a
 * generator process, then stops them, weighs their data and says what it saw. See README.md for how to read it.
 */

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { goalsOf } from './goals.mjs';
import { compact, directoryBytes } from './lib/disk.mjs';
import { table } from './lib/goals.mjs';
import { Generator } from './lib/generator.mjs';
import { hotSpots } from './lib/profile.mjs';
import { ServerProcess } from './lib/server-process.mjs';
import { measure } from './measure.mjs';
import { LOADS, readOptions, USAGE } from './options.mjs';
import { diskReport, scenarioReport } from './report.mjs';
import { NOT_MEASURED, scenarios } from './scenarios.mjs';
import { measureService } from './service/run.mjs';
import { summarise } from './summary.mjs';
import { targets } from './targets.mjs';

/** Version of the JSON result's shape. */
const FORMAT = 1;

try {
  const options = readOptions(process.argv.slice(2));
  if (options === 'help') console.log(USAGE);
  else await bench(options);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

/** @param {import('./options.mjs').Options} options */
async function bench(options) {
  const started_at = new Date().toISOString();
  const directory = await mkdtemp(join(tmpdir(), 'agent-server-bench-'));
  const profile = options.profile === undefined ? undefined : resolve(options.profile);
  if (profile !== undefined) await mkdir(profile, { recursive: true });
  const profiler = profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profile];
  const isLoaded = LOADS.some((name) => options.scenarios.includes(name));
  const chosen = isLoaded ? targets(directory, profiler).filter(({ name }) => options.targets.includes(name)) : [];

  const cores = availableParallelism();
  const machine = { cores, cpu: cpus()[0]?.model ?? 'unknown', memory_bytes: totalmem(), node: process.version };
  const load_before = loadavg();
  console.log(
    `${machine.node}, ${cores} × ${machine.cpu}, load ${load_before.map((load) => load.toFixed(2)).join(' ')}`,
  );
  for (const { name, what } of chosen) console.log(`  ${name}: ${what}`);

  const generator = new Generator();
  /** @type {import('./measure.mjs').Contestant[]} */
  const contestants = [];
  try {
    for (const target of chosen) {
      const how = { args: target.args, cwd: directory, log: join(directory, `${target.name}.log`) };
      contestants.push({ target, server: await ServerProcess.start(how), runs: 0 });
    }
    const results = [];
    for (const scenario of scenarios(options.quick).filter(({ name }) => options.scenarios.includes(name))) {
      const rounds = await measure(scenario, contestants, generator);
      const figures = summarise(rounds, chosen);
      console.log(scenarioReport(scenario, figures));
      results.push({ ...scenario, figures, rounds });
    }
    const disk = await weigh(contestants);
    const say = (/** @type {string} */ line) => console.log(`  ${line}`);
    const service = await measureService(options.scenarios, { quick: options.quick, directory, say });
    if (disk.length > 0) console.log(diskReport(disk));
    const goals = goalsOf({ scenarios: results, disk, service });
    console.log(`\n${table(goals)}`);
    console.log(`\nnot measured: ${NOT_MEASURED.join('; ')}`);
    if (profile !== undefined) console.log(await hotSpots(profile));
    const load_after = loadavg();
    const { quick } = options;
    const result = {
      ...{ format: FORMAT, started_at, quick, machine, load_before, load_after, scenarios: results, disk },
      ...{ service, goals },
    };
    if (options.json !== undefined) {
      await writeFile(options.json, JSON.stringify({ ...result, not_measured: NOT_MEASURED }, null, 2) + '\n');
    }
  } finally {
    generator.stop();
    await Promise.all(contestants.map(({ server }) => server.stop()));
    await rm(directory, { recursive: true, force: true });
  }
}

/** Stops the servers and weighs what they leave. @param {import('./measure.mjs').Contestant[]} contestants
 * @returns {Promise<import('./report.mjs').Disk[]>} */
async function weigh(contestants) {
  const disks = [];
  for (const { target, server, runs } of contestants) {
    const inTime = await server.stop();
    if (!inTime) console.log(`  ${target.name}: did not stop when asked and was killed`);
    if (target.data === null || runs === 0) continue;
    const bytes = await directoryBytes(target.data);
    await compact(target.data);
    disks.push({ target: target.name, runs, bytes, bytes_compacted: await directoryBytes(target.data) });
  }
  return disks;
}
