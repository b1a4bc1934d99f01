/**
 * The scale command with few runs: lists of a server that was started from blocks and killed with changed rows are exact,
 * and nothing open is lost. `npm run scale` does the same with a million runs, and says how long it takes.
 */

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { tempDir } from '../support/temp-dir.js';

const COMMAND = fileURLToPath(new URL('../../bench/scale/run.mjs', import.meta.url));
const SIZE = {
  ...{ runs: 20_000, threads: 3_000, queries: 60, checked: 60, changes: 60, rest: 0, recovery: 300 },
  seed: Math.floor(Math.random() * 1e6),
};

type Result = {
  lists: { exact: boolean; pages: { checked: number; wrong: unknown[] }; approvals: { after_kill: number } };
  recovery: { exact: boolean; faults: string[]; running: number; waiting: number; queued: number };
};

test(`lists and recovery are exact (seed ${SIZE.seed})`, { timeout: 120_000 }, async () => {
  const json = join(await tempDir(), 'result.json');
  const args = Object.entries(SIZE).flatMap(([name, value]) => [`--${name}`, String(value)]);
  // The command says no by its exit code as well; the file tells what is wrong.
  await promisify(execFile)(process.execPath, [COMMAND, ...args, '--json', json]).catch(() => {});
  const { lists, recovery } = JSON.parse(await readFile(json, 'utf8')) as Result;
  expect(lists.pages).toMatchObject({ checked: SIZE.checked, wrong: [] });
  expect(lists).toMatchObject({ exact: true, approvals: { after_kill: SIZE.changes } });
  expect(recovery.faults).toEqual([]);
  expect(recovery.running + recovery.waiting + recovery.queued).toBe(SIZE.recovery);
  expect(recovery.running).toBeGreaterThan(100);
});
