/**
 * `npm run properties -- [--inputs N] [--seed N] [part of a file's name ...]`: the tests whose inputs are drawn by lot, with
 * inputs that the suite does not draw. `--inputs` counts for those that draw more than a hundred: encoders and bad requests.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startVitest } from 'vitest/node';

const { values, positionals } = parseArgs({
  options: {
    inputs: { type: 'string' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
  },
  allowPositionals: true,
});
for (const [name, value] of Object.entries(values)) {
  if (!/^\d+$/.test(value)) {
    console.error(`--${name}: expected a number, got ${value}`);
    process.exit(2);
  }
  process.env[`PROPERTY_${name.toUpperCase()}`] = value;
}

const drawsByLot = (file) => /\.test\.ts$/.test(file) && readFileSync(file, 'utf8').includes('support/property.js');
const files = ['src', 'test']
  .flatMap((folder) => readdirSync(folder, { recursive: true }).map((name) => join(folder, name)))
  .filter((file) => drawsByLot(file) && (positionals.length === 0 || positionals.some((part) => file.includes(part))));
if (files.length === 0) {
  console.error(`no such test: ${positionals.join(', ')}`);
  process.exit(2);
}

console.log(`seed ${values.seed}`);
const vitest = await startVitest('test', files, { watch: false, testTimeout: 1_800_000 });
await vitest.close();
