/**
 * What the screen costs: `npm run top-load [-- --seconds 300 --runs 10000 --frames 2000]`. Needs the build, tmux and /proc.
 *
 * It watches a made-up fleet that moves, and prints as JSON: processor time to the first picture and per second after
 * that (not wall time: other programs cost wall time), and memory at the beginning, in the middle and at the end.
 * `--frames` are transitions a second, evenly spread over all runs: hardly two of one run within one batch, so merging
 * leaves out next to nothing here. How the screen is told of them is the product's own doing: it asks for batches, where
 * it once got a frame for each.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openTerminal, pause } from './tmux.mjs';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    runs: { type: 'string', default: '10000' },
    frames: { type: 'string', default: '2000' },
  },
});
const seconds = Number(values.seconds);
const path = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Processor time of a process in ms, its children left out. */
const cpu = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
};
const rss = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);

const fake = spawn(process.execPath, [path('fake-server.mjs'), values.runs, values.frames], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
let terminal;
try {
  const [url] = await once(createInterface({ input: fake.stdout }), 'line');
  const began = performance.now();
  terminal = openTerminal(120, 40, [process.execPath, path('../../../bin/agent-server'), 'top', '--server', url]);
  await terminal.until(/┌ agent-server/, 20_000, 10);
  const first = { wall_ms: Math.round(performance.now() - began), cpu_ms: cpu(terminal.pid) };
  await terminal.until(new RegExp(`/${Number(values.runs).toLocaleString('en-US')} ┤`), 60_000);
  await pause(5_000);
  const memory = [rss(terminal.pid)];
  const from = { cpu: cpu(terminal.pid), at: performance.now() };
  for (let half = 0; half < 2; half++) {
    await pause((seconds * 1_000) / 2);
    memory.push(rss(terminal.pid));
  }
  const share = (cpu(terminal.pid) - from.cpu) / (performance.now() - from.at);
  console.log(
    JSON.stringify({
      runs: Number(values.runs),
      frames_per_s: Number(values.frames),
      seconds,
      first_picture: first,
      percent_of_a_core: Number((share * 100).toFixed(1)),
      rss_mb: memory.map((kb) => Math.round(kb / 1_024)),
    }),
  );
} finally {
  terminal?.close();
  fake.kill();
}
