/** `agent-server`: the process. Everything is in `cli.ts`. */

import { main } from './cli.js';
import { processIo } from './session/process-io.js';

const code = await main(process.argv.slice(2), processIo());
// Open connections and a waiting stdin must not keep a command that has ended; its output was taken before.
if (code !== undefined) process.exit(code);
