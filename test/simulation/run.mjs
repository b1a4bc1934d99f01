/** `npm run simulate -- [--steps 100000] [--seed N]`: the simulator with figures of one's own. */

import { parseArgs } from 'node:util';
import { startVitest } from 'vitest/node';

const { values } = parseArgs({
  options: {
    steps: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e6)) },
  },
});
for (const [name, value] of Object.entries(values)) {
  if (!/^\d+$/.test(value)) {
    console.error(`--${name}: expected a number, got ${value}`);
    process.exit(2);
  }
  process.env[`SIMULATE_${name.toUpperCase()}`] = value;
}

const vitest = await startVitest('test', ['test/simulation'], { watch: false, disableConsoleIntercept: true });
await vitest.close();
