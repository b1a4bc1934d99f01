/**
 * A terminal that a test can look at: a tmux server of its own, on a socket in a temporary directory, that is ended with
 * the test. What is compared is the screen a person would see, not the bytes that made it.
 */

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { tempDir } from '../support/temp-dir.js';

/** Whether this machine has tmux. */
export const hasTmux = ((): boolean => {
  try {
    execFileSync('tmux', ['-V'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

export class Terminal {
  private constructor(private readonly socket: string) {}

  /** A shell in a screen of this size. */
  static async open(columns: number, rows: number, env: Record<string, string> = {}): Promise<Terminal> {
    const dir = await tempDir();
    const terminal = new Terminal(join(dir, 'tmux'));
    // Before the directory goes: hooks run in reverse order.
    onTestFinished(() => {
      terminal.#tmux('kill-server');
    });
    const variables = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
    const size = ['-x', String(columns), '-y', String(rows)];
    terminal.#tmux('-f', '/dev/null', 'new-session', '-d', '-c', dir, ...size, ...variables, 'sh');
    await terminal.until(/^[#$]/, 'the shell');
    return terminal;
  }

  /** Presses keys, named as tmux names them: `j`, `Enter`, `Escape`, `C-l`. */
  press(...keys: string[]): void {
    this.#tmux('send-keys', ...keys);
  }

  /** Types a text as it is. */
  type(text: string): void {
    this.#tmux('send-keys', '-l', text);
  }

  /** Types a line into the shell. */
  run(line: string): void {
    this.type(line);
    this.press('Enter');
  }

  /** What is seen now, without blanks at the ends of lines. */
  screen(): string {
    return this.#tmux('capture-pane', '-p')
      .split('\n')
      .map((line) => line.trimEnd())
      .join('\n')
      .trimEnd();
  }

  /** What is seen with its colours, for pictures. */
  colored(): string {
    return this.#tmux('capture-pane', '-p', '-e');
  }

  /** Waits until the screen is as wanted, and gives it. */
  async until(wanted: RegExp | ((screen: string) => boolean), what = String(wanted)): Promise<string> {
    const holds = wanted instanceof RegExp ? (screen: string) => wanted.test(screen) : wanted;
    let screen = '';
    await expect
      .poll(() => holds((screen = this.screen())) || `waiting for ${what} in\n${screen}`, {
        timeout: 15_000,
        interval: 50,
      })
      .toBe(true);
    return screen;
  }

  /** `alternate`: a program has the screen; `cursor`: it can be seen. */
  get state(): { alternate: boolean; cursor: boolean } {
    const [alternate, cursor] = this.#tmux('display-message', '-p', '#{alternate_on} #{cursor_flag}').trim().split(' ');
    return { alternate: alternate === '1', cursor: cursor === '1' };
  }

  /** Pid of what the shell is running. */
  get program(): number {
    const shell = this.#tmux('display-message', '-p', '#{pane_pid}').trim();
    return Number(execFileSync('pgrep', ['-P', shell], { encoding: 'utf8' }).trim());
  }

  resize(columns: number, rows: number): void {
    this.#tmux('resize-window', '-x', String(columns), '-y', String(rows));
  }

  #tmux(...args: string[]): string {
    const env = { ...process.env, LC_ALL: 'C.UTF-8' };
    return execFileSync('tmux', ['-u', '-S', this.socket, ...args], { env, encoding: 'utf8' });
  }
}

/** The screen without what differs each time: ids, times, and what the two top rows measure. */
export const normalised = (screen: string): string =>
  screen
    .replace(/^┌ agent-server · .* runs\/s · .* ev\/s · p99 .*┐$/m, 'HEADER')
    .replace(/^│ threads \d+ +running \d+ +waiting \d+!? +queued \d+ +dead \d+.*│$/m, 'COUNTERS')
    .replace(/\b[0-9a-f]{4,}…[0-9a-f]{4,}\b|…[0-9a-f]{4}\b/g, (id) => 'id'.padEnd(id.length, '·'))
    .replace(/← \d\w* */g, (text) => '← AGE'.padEnd(text.length))
    .replace(/ +\d+(s|m\d\d)(?=[ │])/g, (text) => 'AGE'.padStart(text.length));
