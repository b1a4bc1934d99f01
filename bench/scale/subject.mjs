/** `bin/agent-server serve` on a data directory, as a child process that can be killed. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { memory } from '../lib/proc.mjs';

const EXECUTABLE = fileURLToPath(new URL('../../bin/agent-server', import.meta.url));

export class Subject {
  #child;
  #ended;

  /** Resolves when the routes are open. Throws with what it said when it ends before.
   * @param {{ data: string, config?: string, env?: Record<string, string> }} how */
  static async start({ data, config, env = {} }) {
    const args = [EXECUTABLE, 'serve', '--port', '0', '--data', data, '--log-level', 'warn'];
    if (config !== undefined) args.push('--config', config);
    const child = spawn(process.execPath, args, {
      cwd: data,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (/** @type {Buffer} */ bytes) => void (said += bytes));
    const ended = once(child, 'close');
    const first = await Promise.race([once(child.stdout, 'data'), ended.then(() => undefined)]);
    const url = /http:\S+/.exec(String(first))?.[0];
    if (url === undefined) throw new Error(`the server did not start: ${said}`);
    child.stdout.resume();
    return new Subject(child, ended, url);
  }

  /** @param {import('node:child_process').ChildProcess} child @param {Promise<unknown>} ended @param {string} url */
  constructor(child, ended, url) {
    this.#child = child;
    this.#ended = ended;
    this.url = url;
    this.pid = /** @type {number} */ (child.pid);
  }

  /** Bytes; null where the system does not say. */
  memory() {
    return memory(this.pid);
  }

  async stop() {
    this.#child.kill('SIGTERM');
    await this.#ended;
  }

  async kill() {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }
}
