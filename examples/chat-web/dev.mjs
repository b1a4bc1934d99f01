/**
 * One command for both: starts agent-server of this repository and, in front of it, the page's development server.
 *
 * Variables: PORT of the page (5173), SERVER_PORT of the server (8080), DATA directory of the server (./data);
 * AGENT_SERVER_URL names a server that runs already, then none is started. A port of 0 is any free one.
 */

import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';

const { PORT = '5173', SERVER_PORT = '8080', DATA = 'data' } = process.env;
const repository = fileURLToPath(new URL('../../', import.meta.url));

process.env.AGENT_SERVER_URL ??= await startServer();
const page = await createServer({ root: import.meta.dirname, server: { port: Number(PORT) } });
await page.listen();
console.log(`server ${process.env.AGENT_SERVER_URL}`);
page.printUrls();

/** Resolves to its URL. It ends with this process; when it ends by itself, so does this process. */
async function startServer() {
  if (!existsSync(`${repository}dist/bin/agent-server.js`)) build();
  const args = [`${repository}bin/agent-server`, 'serve', '--port', SERVER_PORT, '--data', DATA, '--log-level', 'warn'];
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  server.once('exit', (code) => process.exit(code ?? 1));
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => server.kill('SIGTERM'));
  process.once('exit', () => server.kill('SIGTERM'));
  for await (const line of createInterface({ input: server.stdout })) {
    const url = /listening on (\S+)/.exec(line)?.[1];
    if (url) return url;
  }
  return new Promise(() => {}); // It has ended without listening, and has said why.
}

function build() {
  const { status } = spawnSync('npm', ['run', 'build'], { cwd: repository, stdio: 'inherit' });
  if (status === 0) return;
  console.error('The server could not be built. Run `npm ci` at the root of the repository first.');
  process.exit(1);
}
