/**
 * Runs scenarios against servers in alternating rounds (A B C D A B C D …): what else the machine does meets all of them
 * alike, and a round that was disturbed can be seen.
 */

import { cpuMs, machineCpuMs, memory } from './lib/proc.mjs';

/**
 * `server_cpu`, `generator_cpu` and `others_cpu` are in cores; null where the kernel does not say.
 * @typedef {import('./load.mjs').Report & { target: string, round: number, cpu_ms_per_run: number | null,
 *   server_cpu: number | null, others_cpu: number | null, rss_bytes: number | null }} Round
 * @typedef {{ target: import('./targets.mjs').Target, server: import('./lib/server-process.mjs').ServerProcess,
 *   runs: number }} Contestant `runs`: how many it has had in all
 */

/** @param {import('./scenarios.mjs').Scenario} scenario @param {Contestant[]} contestants
 * @param {import('./lib/generator.mjs').Generator} generator @returns {Promise<Round[]>} */
export async function measure(scenario, contestants, generator) {
  const rounds = [];
  for (const contestant of contestants) await warmUp(scenario, contestant, generator);
  for (let round = 1; round <= scenario.rounds; round++) {
    for (const contestant of contestants) {
      rounds.push(await measureRound(scenario, round, contestant, generator));
    }
  }
  return rounds;
}

/** @param {import('./scenarios.mjs').Scenario} scenario @param {Contestant} contestant
 * @param {import('./lib/generator.mjs').Generator} generator */
async function warmUp(scenario, contestant, generator) {
  const job = jobOf(scenario, contestant, 'warm-up', scenario.warmup);
  contestant.runs += (await generator.perform(job)).runs;
}

/** @param {import('./scenarios.mjs').Scenario} scenario @param {number} round @param {Contestant} contestant
 * @param {import('./lib/generator.mjs').Generator} generator @returns {Promise<Round>} */
async function measureRound(scenario, round, contestant, generator) {
  const { target, server } = contestant;
  const before = { server: cpuMs(server.pid), generator: cpuMs(generator.pid), machine: machineCpuMs() };
  const report = await generator.perform(jobOf(scenario, contestant, `${round}`, scenario.runs));
  const used = {
    server: minus(cpuMs(server.pid), before.server),
    generator: minus(cpuMs(generator.pid), before.generator),
    machine: minus(machineCpuMs(), before.machine),
  };
  contestant.runs += report.runs;
  const ours = plus(used.server, used.generator);
  return {
    target: target.name,
    round,
    ...report,
    cpu_ms_per_run: used.server === null || report.runs === 0 ? null : used.server / report.runs,
    server_cpu: per(used.server, report.wall_ms),
    others_cpu: per(clampAt0(minus(used.machine, ours)), report.wall_ms),
    rss_bytes: memory(server.pid)?.now ?? null,
  };
}

/** @param {import('./scenarios.mjs').Scenario} scenario @param {Contestant} contestant @param {string} part
 * @param {number} runs @returns {import('./load.mjs').Job} */
function jobOf({ name, paced, load }, { target, server }, part, runs) {
  const thread = `bench-${name}-${part}`;
  return { url: server.url, path: target.path(paced), agent: target.agent(paced), runs, name: thread, ...load };
}

/** @param {number | null} a @param {number | null} b */
const minus = (a, b) => (a === null || b === null ? null : a - b);
/** @param {number | null} a @param {number | null} b */
const plus = (a, b) => (a === null || b === null ? null : a + b);
/** @param {number | null} a @param {number} b */
const per = (a, b) => (a === null ? null : a / b);
/** @param {number | null} a */
const clampAt0 = (a) => (a === null ? null : Math.max(0, a));
