/** A terminal for scripts: a tmux server of its own, on a socket in a temporary directory. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** @param {string[]} argv what runs on the terminal */
export function openTerminal(columns, rows, argv) {
  const dir = mkdtempSync(join(tmpdir(), 'agent-server-top-'));
  const tmux = (...args) =>
    execFileSync('tmux', ['-u', '-S', join(dir, 'tmux'), ...args], {
      env: { ...process.env, LC_ALL: 'C.UTF-8' },
      encoding: 'utf8',
    });
  tmux('-f', '/dev/null', 'new-session', '-d', '-c', dir, '-x', String(columns), '-y', String(rows), ...argv);
  const screen = (...flags) => tmux('capture-pane', '-p', ...flags);
  return {
    pid: Number(tmux('display-message', '-p', '#{pane_pid}').trim()),
    screen,
    press: (...keys) => tmux('send-keys', ...keys),
    type: (text) => tmux('send-keys', '-l', text),
    async until(wanted, ms = 20_000, every = 50) {
      for (const end = Date.now() + ms; Date.now() < end; await pause(every))
        if (wanted.test(screen())) return screen();
      throw new Error(`waited for ${wanted} in\n${screen()}`);
    },
    close() {
      tmux('kill-server');
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
