/**
 * What is hot in a V8 CPU profile: functions by the time spent in themselves, files by the same, our functions with the
 * time of the libraries they called, and functions with all they called. Places are those of the TypeScript sources where there are source maps.
 */

import { existsSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { SourceMap } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * @typedef {{ functionName: string, url: string, lineNumber: number, columnNumber: number }} CallFrame
 * @typedef {{ id: number, callFrame: CallFrame, children?: number[] }} ProfileNode
 * @typedef {{ nodes: ProfileNode[], samples: number[], timeDeltas: number[] }} Profile
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const ROWS = 35;
/** Not work: the process waits. */
const IDLE = '(idle)';

/** The newest profile of a directory, as text. @param {string} directory @returns {Promise<string>} */
export async function hotSpots(directory) {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.cpuprofile')).sort();
  const name = names.at(-1);
  if (name === undefined) return `no profile in ${directory}`;
  const path = join(directory, name);
  return `\nprofile ${path}\n${summarise(JSON.parse(readFileSync(path, 'utf8')))}`;
}

/** @param {Profile} profile */
function summarise(profile) {
  const self = selfTimes(profile);
  const byId = new Map(profile.nodes.map((node) => [node.id, node]));
  /** @type {Map<string, number>} */ const functions = new Map();
  /** @type {Map<string, number>} */ const files = new Map();
  /** @type {Map<string, number>} */ const charged = new Map();
  /** @type {Map<string, number>} */ const chargedFiles = new Map();
  /** @type {Map<string, number>} */ const subtrees = new Map();
  let busy = 0;

  /** Self and called time of a node; a function that calls itself is counted once a path.
   * @param {ProfileNode} node @param {ReadonlySet<string>} above @param {string} nearest function of ours
   * @returns {number} */
  const walk = (node, above, nearest) => {
    const own = self.get(node.id) ?? 0;
    const { label, file, ours } = placeOf(node.callFrame);
    if (label === IDLE) return 0;
    if (ours) nearest = label;
    busy += own;
    add(functions, label, own);
    add(files, file, own);
    add(charged, nearest, own);
    add(chargedFiles, nearest.replace(/^.* {2}(.+):\d+$/, '$1'), own);
    const below = above.has(label) ? above : new Set(above).add(label);
    let total = own;
    for (const id of node.children ?? []) total += walk(/** @type {ProfileNode} */ (byId.get(id)), below, nearest);
    if (!above.has(label)) add(subtrees, label, total);
    return total;
  };
  const [root] = profile.nodes;
  if (root) walk(root, new Set(), 'none of ours (runtime, collector, sockets)');

  const section = (/** @type {string} */ title, /** @type {Map<string, number>} */ times) =>
    [title, ...top(times).map(([label, time]) => `  ${share(time, busy)}  ${label}`)].join('\n');
  return [
    `busy ${(busy / 1e6).toFixed(2)} s of ${(profile.timeDeltas.reduce((a, b) => a + b, 0) / 1e6).toFixed(2)} s`,
    section('self time by function', functions),
    section('self time by file or package', files),
    section('self time, that of libraries charged to the function of ours that called them', charged),
    section('the same by file of ours', chargedFiles),
    section('time with all that was called', subtrees),
  ].join('\n');
}

/** Microseconds by node. @param {Profile} profile @returns {Map<number, number>} */
function selfTimes({ samples, timeDeltas }) {
  const times = new Map();
  for (let i = 0; i < samples.length; i++) {
    // A sample stands for the time until the next one.
    times.set(samples[i], (times.get(samples[i]) ?? 0) + (timeDeltas[i + 1] ?? 0));
  }
  return times;
}

/** @type {Map<string, SourceMap | null>} */
const maps = new Map();

/** @param {CallFrame} frame @returns {{ label: string, file: string, ours: boolean }} */
function placeOf({ functionName, url, lineNumber, columnNumber }) {
  const name = functionName || '(anonymous)';
  if (url === '') return { label: name, file: '(V8 and native)', ours: false };
  if (url.startsWith('node:')) return { label: `${name}  ${url}:${lineNumber + 1}`, file: url, ours: false };
  const path = url.startsWith('file:') ? fileURLToPath(url) : url;
  const modules = path.lastIndexOf('node_modules/');
  if (modules >= 0) {
    const inside = path.slice(modules + 'node_modules/'.length);
    const file = inside
      .split('/')
      .slice(0, inside.startsWith('@') ? 2 : 1)
      .join('/');
    return { label: `${name}  ${inside}:${lineNumber + 1}`, file, ours: false };
  }
  const origin = mapOf(path)?.findEntry(lineNumber, columnNumber);
  const source =
    origin && 'originalSource' in origin ? resolve(dirname(path), sourcePath(origin.originalSource)) : path;
  const line = origin && 'originalLine' in origin ? origin.originalLine : lineNumber;
  const file = relative(ROOT, source);
  return { label: `${name}  ${file}:${line + 1}`, file, ours: true };
}

/** @param {string} source */
const sourcePath = (source) => (source.startsWith('file:') ? fileURLToPath(source) : source);

/** @param {string} path */
function mapOf(path) {
  let map = maps.get(path);
  if (map === undefined) {
    map = existsSync(`${path}.map`) ? new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8'))) : null;
    maps.set(path, map);
  }
  return map;
}

/** @param {Map<string, number>} times @param {string} key @param {number} time */
const add = (times, key, time) => times.set(key, (times.get(key) ?? 0) + time);

/** @param {Map<string, number>} times */
const top = (times) => [...times].sort(([, a], [, b]) => b - a).slice(0, ROWS);

/** @param {number} time @param {number} busy */
const share = (time, busy) => `${((time / busy) * 100).toFixed(1).padStart(5)} %`;
