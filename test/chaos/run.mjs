/** `npm run chaos -- [--cycles 100] [--concurrency 50] [--seed N]`: the kill test with figures of one's own. */

import { parseArgs } from 'node:util';
import { startVitest } from 'vitest/node';

const { values } = parseArgs({
  options: {
    cycles: { type: 'string', default: '100' },
    concurrency: { type: 'string', default: '50' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e6)) },
  },
});
for (const [name, value] of Object.entries(values)) {
  if (!/^\d+$/.test(value)) {
    console.error(`--${name}: expected a number, got ${value}`);
    process.exit(2);
  }
  process.env[`CHAOS_${name.toUpperCase()}`] = value;
}

const vitest = await startVitest('test', ['test/chaos/kill.test.ts'], { watch: false, disableConsoleIntercept: true });
await vitest.close();
