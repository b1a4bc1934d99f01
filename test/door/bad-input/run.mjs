/** `npm run bad-input -- [--count 10000] [--seed N]`: bad requests, as many as wanted. */

import { parseArgs } from 'node:util';
import { startVitest } from 'vitest/node';

const { values } = parseArgs({ options: { count: { type: 'string', default: '10000' }, seed: { type: 'string' } } });
for (const [name, value] of Object.entries(values)) {
  if (!/^\d+$/.test(value)) {
    console.error(`--${name}: expected a number, got ${value}`);
    process.exit(2);
  }
  process.env[`BAD_INPUT_${name.toUpperCase()}`] = value;
}

const vitest = await startVitest('test', ['test/door/bad-input'], { watch: false, disableConsoleIntercept: true });
await vitest.close();
