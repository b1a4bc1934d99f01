/**
 * `agent-server top` as a person sees it: the real program in a real terminal, against a real server (OPERATOR "The
 * screen"). Needs the build (`npm run build`) and tmux.
 */

import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { RunRecord } from '../../src/cli/client/index.js';
import { startServer, type ServerProcess } from '../support/server-process.js';
import { tempDir } from '../support/temp-dir.js';
import { hasTmux, normalised, Terminal } from './tmux.js';

const EXECUTABLE = fileURLToPath(new URL('../../bin/agent-server', import.meta.url));

const TERMINAL = new URL('../../dist/cli/top/terminal.js', import.meta.url).href;

/** Runs beside those that a test is about: `npm run top-soak` has 500, of every state. */
const CROWD = Number(process.env.TOP_RUNS ?? 3);

if (!hasTmux) console.warn('SKIPPED: test/top needs tmux, and this machine has none (apt-get install tmux)');

async function openServer(data?: string, port?: number): Promise<ServerProcess> {
  return startServer({ data: data ?? (await tempDir()), args: port === undefined ? [] : ['--port', String(port)] });
}

async function start({ url }: ServerProcess, agentId: string, threadId: string, content = 'go'): Promise<RunRecord> {
  const response = await fetch(`${url}/v1/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', prefer: 'respond-async' },
    body: JSON.stringify({ agentId, threadId, on_busy: 'enqueue', messages: [{ role: 'user', content }] }),
  });
  expect(response.status).toBe(202);
  return (await response.json()) as RunRecord;
}

const runOf = async ({ url }: ServerProcess, { run_id }: RunRecord): Promise<RunRecord> =>
  (await (await fetch(`${url}/v1/runs/${run_id}`)).json()) as RunRecord;

async function waits(server: ServerProcess, run: RunRecord): Promise<RunRecord> {
  await expect
    .poll(async () => (await runOf(server, run)).termination_code, { timeout: 15_000 })
    .toBe('input_required');
  return run;
}

/** Runs that wait, that work, that stream, on threads of their own. */
async function crowd(server: ServerProcess, size: number): Promise<void> {
  const agents = ['approver', 'painter', 'worker', 'slow', 'failing'];
  for (let n = 0; n < size; n += 20) {
    const batch = Array.from({ length: Math.min(20, size - n) }, (_, i) => n + i);
    await Promise.all(batch.map((i) => start(server, agents[i % agents.length]!, `crowd-${i}`)));
  }
}

/** The terminal with the screen in it, as soon as the server has been heard. */
async function openTop(server: ServerProcess, columns = 120, rows = 40, flags = ''): Promise<Terminal> {
  const terminal = await Terminal.open(columns, rows);
  terminal.run('stty -a | tail -n +2 > before.tmp; echo was here');
  await terminal.until(/^was here/m);
  terminal.run(`${process.execPath} ${EXECUTABLE} top --server ${server.url} ${flags}; echo ended $?`);
  await terminal.until(/threads \d/, 'the first picture');
  return terminal;
}

/** Nothing of the program is left on the terminal. */
async function expectRestored(terminal: Terminal, code: number): Promise<void> {
  const screen = await terminal.until(new RegExp(`^ended ${code}$`, 'm'), 'the shell');
  expect(screen).toContain('was here');
  expect(screen).not.toContain('agent-server · ');
  expect(terminal.state).toEqual({ alternate: false, cursor: true });
  terminal.run('stty -a | tail -n +2 | cmp - before.tmp && echo same settings');
  await terminal.until(/^same settings/m);
}

describe.skipIf(!hasTmux)('agent-server top', () => {
  it('shows the fleet on screens of every size, and says when one is too small', async () => {
    const server = await openServer();
    await waits(server, await start(server, 'approver', 'th-a'));
    await waits(server, await start(server, 'painter', 'th-b'));
    await start(server, 'approver', 'th-a', 'next in the queue');
    const terminal = await openTop(server, 80, 24);
    for (const [columns, rows] of [
      [80, 24],
      [120, 40],
      [200, 60],
    ] as const) {
      terminal.resize(columns, rows);
      const fits = (screen: string): boolean =>
        screen.split('\n').length === rows && screen.split('\n').every((line) => line.length === columns);
      const home = await terminal.until((screen) => fits(screen) && screen.includes('th-b'), `${columns}×${rows}`);
      await expect(`${normalised(home)}\n`).toMatchFileSnapshot(`golden/home-${columns}x${rows}.txt`);
      terminal.press('Enter');
      const open = await terminal.until((screen) => fits(screen) && /start +→ running/.test(screen), 'the machine');
      await expect(`${normalised(open)}\n`).toMatchFileSnapshot(`golden/machine-${columns}x${rows}.txt`);
      terminal.press('Escape');
      await terminal.until((screen) => !screen.includes('[1 Machine]'));
    }
    terminal.resize(60, 20);
    expect(await terminal.until(/needs 80×24/)).toContain('this terminal is 60×20');
    terminal.press('q');
    await expectRestored(terminal, 0);
  });

  it(
    'lets a person look, decide, interrupt and cancel, and leaves the terminal as it was',
    { timeout: 60_000 + CROWD * 200 },
    async () => {
      const server = await openServer();
      const approved = await waits(server, await start(server, 'approver', 'th-yes'));
      const denied = await waits(server, await start(server, 'approver', 'th-no'));
      const busy = await waits(server, await start(server, 'approver', 'th-busy'));
      for (const word of ['one', 'two', 'three']) await start(server, 'assistant', 'th-busy', word);
      const cancelled = await waits(server, await start(server, 'painter', 'th-stop'));
      await crowd(server, CROWD);
      const terminal = await openTop(server);
      const code = async (run: RunRecord, wanted: string): Promise<void> =>
        void (await expect
          .poll(async () => (await runOf(server, run)).termination_code, { timeout: 10_000 })
          .toBe(wanted));
      const filter = async (word: string): Promise<void> => {
        terminal.press('/', 'C-u');
        terminal.type(`thread=${word}`);
        terminal.press('Enter');
        await terminal.until((screen) => screen.includes(`thread=${word}`) && screen.includes('1/1'), `only ${word}`);
      };

      // Filter, open, watch the machine move while a person approves.
      await filter('th-yes');
      terminal.press('Enter');
      await terminal.until(/● waiting +← /);
      terminal.press('a');
      await terminal.until(/approve 1 call[\s\S]*runs transfer_funds/);
      terminal.press('Escape');
      await terminal.until((screen) => !screen.includes('approve 1 call'));
      expect((await runOf(server, approved)).status).toBe('waiting');
      terminal.press('a');
      await terminal.until(/y does it/);
      terminal.press('y');
      await terminal.until(/◉ done +← /);
      await code(approved, 'natural');

      // Deny one, with a reason that the audit log keeps.
      terminal.press('Escape');
      await filter('th-no');
      terminal.press('x');
      await terminal.until(/deny 1 call/);
      terminal.press('Tab');
      terminal.type('not today');
      terminal.press('Enter');
      await terminal.until(/reason +not today/);
      terminal.press('y');
      await terminal.until(/denied: 1 call/);
      await code(denied, 'natural');
      const audit = (await (await fetch(`${server.url}/v1/audit`)).json()) as { items: { reason: string | null }[] };
      expect(audit.items[0]).toMatchObject({ reason: 'not today' });

      // Interrupt a thread with three queued entries: the question names them, and a habit is no answer.
      await filter('th-busy');
      terminal.press('i');
      await terminal.until(
        /interrupts thread th-busy[\s\S]*cancels run[\s\S]*supersedes 3 queued entries[\s\S]*type y4/,
      );
      terminal.press('y', 'Enter');
      await terminal.until(/type y4 and enter {3}/, 'the answer to be refused');
      expect((await runOf(server, busy)).status).toBe('waiting');
      terminal.type('y4');
      terminal.press('Enter');
      await code(busy, 'cancelled');
      await terminal.until(/nothing matches thread=th-busy/);

      // Cancel.
      await filter('th-stop');
      terminal.press('c');
      await terminal.until(/cancel 1 run/);
      terminal.press('y');
      await code(cancelled, 'cancelled');

      terminal.press('C-c');
      await expectRestored(terminal, 130);
    },
  );

  it('survives its server, shows nothing twice, and gives the terminal back when it is killed', async () => {
    const data = await tempDir();
    const first = await openServer(data);
    const port = Number(new URL(first.url).port);
    const runs = [
      await waits(first, await start(first, 'approver', 'th-one')),
      await waits(first, await start(first, 'painter', 'th-two')),
    ];
    const terminal = await openTop(first, 120, 30, '--readonly');
    await terminal.until(/th-one[\s\S]*th-two/);
    await first.kill('SIGKILL');
    await terminal.until(/SERVER GONE .*connection refused.*old/);
    expect(terminal.screen()).toMatch(/th-one[\s\S]*th-two/);

    const second = await openServer(data, port);
    await waits(second, await start(second, 'approver', 'th-three'));
    const back = await terminal.until(/th-three/);
    expect(back).not.toContain('SERVER GONE');
    for (const thread of ['th-one', 'th-two', 'th-three']) expect(back.split(thread)).toHaveLength(2);

    // More is told on the same connection when the screen wants it: it goes on behind the last frame.
    terminal.press(':');
    terminal.type('events');
    terminal.press('Enter');
    await terminal.until(/events +following/);
    await start(second, 'assistant', 'th-talk', 'hello');
    await terminal.until(/text_delta[\s\S]*run_finish +natural/);
    terminal.press(':');
    terminal.type('runs');
    terminal.press('Enter');
    await terminal.until(/th-three/);

    // --readonly: the keys that change something are not there.
    terminal.press('c', 'i', 'a', '?');
    const help = await terminal.until(/┏━ keys/);
    expect(help).not.toContain('interrupt');
    terminal.press('Escape');
    expect((await runOf(second, runs[0]!)).status).toBe('waiting');

    process.kill(terminal.program, 'SIGTERM');
    await expectRestored(terminal, 143);
  });

  it('gives the terminal back when it crashes, and says why', async () => {
    const terminal = await Terminal.open(80, 24);
    terminal.run('stty -a | tail -n +2 > before.tmp; echo was here');
    await terminal.until(/^was here/m);
    const crash = `import('${TERMINAL}').then((t) => {
      t.takeTerminal(process.stdout, process.stdin, () => {});
      process.stdout.write('drawn');
      process.stdin.once('data', () => { throw new Error('boom'); });
    })`.replace(/\s+/g, ' ');
    terminal.run(`${process.execPath} -e "${crash}"; echo ended $?`);
    await terminal.until((screen) => screen === 'drawn');
    expect(terminal.state).toEqual({ alternate: true, cursor: false });
    terminal.press('x');
    await expectRestored(terminal, 1);
    expect(terminal.screen()).toContain('Error: boom');
  });
});
