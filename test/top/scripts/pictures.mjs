/**
 * The pictures of the screen for the documents: `npm run top-pictures`. A real server with a few runs, the real program in
 * a real terminal; what it shows goes to docs/images as SVG, and as text to standard output. Needs the build and tmux.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { toSvg } from './svg.mjs';
import { openTerminal, pause } from './tmux.mjs';

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const executable = path('../../../bin/agent-server');
const data = mkdtempSync(join(tmpdir(), 'agent-server-pictures-'));

const server = spawn(process.execPath, [executable, 'serve', '--port', '0', '--data', data, '--log-level', 'silent'], {
  cwd: data,
  stdio: ['ignore', 'pipe', 'inherit'],
});
let terminal;
let busy;
try {
  const [line] = await once(createInterface({ input: server.stdout }), 'line');
  const url = /http:\S+/.exec(line)[0];
  const start = async (agentId, threadId, content) => {
    const messages = [{ role: 'user', content }];
    const response = await fetch(`${url}/v1/runs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', prefer: 'respond-async' },
      body: JSON.stringify({ agentId, threadId, on_busy: 'enqueue', messages }),
    });
    return (await response.json()).run_id;
  };
  for (const name of ['order-1042', 'order-1043', 'order-1050']) await start('approver', name, 'pay Ada back');
  for (const word of ['and the next one', 'faster', 'hello?']) await start('assistant', 'order-1043', word);
  await start('painter', 'studio', 'make it teal');
  await start('assistant', 'support-7', 'where is it? [[frontend]]');
  // Work that goes on while the pictures are made.
  busy = setInterval(() => {
    start('worker', 'nightly-export', 'export');
    void start('slow', `chat-${Math.floor(Math.random() * 3)}`, 'tell me a story');
  }, 700);

  terminal = openTerminal(110, 34, [process.execPath, executable, 'top', '--server', url]);
  const { press, until, screen } = terminal;
  const keep = (name) => {
    writeFileSync(path(`../../../docs/images/${name}.svg`), toSvg(screen('-e'), 110));
    console.log(`${name}\n${screen()}`);
  };
  await until(/long_task \d+% █/);
  press('j', 'Enter');
  await until(/start +→ running/);
  await until(/long_task [4-9]\d% █/);
  keep('top-machine');
  press('Escape');
  await until(/sort age/);
  press('i');
  await until(/supersedes 3 queued entries/);
  keep('top-confirm');
  press('Escape');
  await until(/^(?![\s\S]*interrupts thread)/);
  press(':');
  terminal.type('approvals');
  press('Enter');
  await until(/ARGUMENTS/);
  press('Space', 'Space');
  await until(/2 marked/);
  keep('top-approvals');
  press(':');
  terminal.type('pulse');
  press('Enter');
  await pause(25_000);
  keep('top-pulse');
  press('q');
} finally {
  clearInterval(busy);
  terminal?.close();
  server.kill('SIGTERM');
  await once(server, 'exit');
  rmSync(data, { recursive: true, force: true });
}
