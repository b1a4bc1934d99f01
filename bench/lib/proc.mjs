/**
 * What the kernel says a process and the machine used (Linux; null elsewhere). CPU times have a resolution of 10 ms, so
 * a figure per run is a figure over thousands of runs.
 */

import { readFileSync } from 'node:fs';

/** Milliseconds of a clock tick: 100 Hz on every Linux that Node runs on. */
const TICK_MS = 10;

/** @param {string} path @returns {string | null} */
function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** Milliseconds of CPU, user and system, of all threads of a process. @param {number} pid @returns {number | null} */
export function cpuMs(pid) {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === null) return null;
  // The name of the program may hold spaces and brackets: fields are counted from behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** Milliseconds of CPU the whole machine used, of all cores. @returns {number | null} */
export function machineCpuMs() {
  const line = read('/proc/stat')?.split('\n')[0];
  if (line === undefined) return null;
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = line.split(/\s+/).slice(1).map(Number);
  return (user + nice + system + irq + softirq + steal) * TICK_MS;
}

/** Bytes of memory now and at most so far; `files`: what of it the system could read again from files.
 * @param {number} pid @returns {{ now: number, peak: number, files: number } | null} */
export function memory(pid) {
  const status = read(`/proc/${pid}/status`);
  if (status === null) return null;
  const bytes = (/** @type {string} */ name) =>
    Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? NaN) * 1024;
  return { now: bytes('VmRSS'), peak: bytes('VmHWM'), files: bytes('RssFile') };
}
