/** A server under test as a child process: its output goes to a file, which costs nobody anything and can be read. */

import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';

const START_MS = 20_000;
const STOP_MS = 20_000;

export class ServerProcess {
  #child;
  url;
  pid;

  /** Starts `node ...args` and waits until it says where it listens. Throws with its output when it does not.
   * @param {{ args: string[], cwd: string, log: string }} how `log`: file for its output */
  static async start({ args, cwd, log }) {
    const output = openSync(log, 'w');
    const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', output, output] });
    closeSync(output);
    const until = Date.now() + START_MS;
    for (;;) {
      const said = readFileSync(log, 'utf8');
      const url = /listening on (http:\/\/[\d.:]+)/.exec(said)?.[1];
      if (url !== undefined) return new ServerProcess(child, url);
      if (child.exitCode !== null || Date.now() > until) {
        child.kill('SIGKILL');
        throw new Error(`did not start: node ${args.join(' ')}\n${said}`);
      }
      await wait(20);
    }
  }

  /** @param {import('node:child_process').ChildProcess} child @param {string} url */
  constructor(child, url) {
    this.#child = child;
    this.url = url;
    this.pid = /** @type {number} */ (child.pid);
  }

  /** Asks it to stop and waits. False when it had to be killed. */
  async stop() {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return this.#child.exitCode === 0;
    const exited = once(this.#child, 'exit').then(() => true);
    this.#child.kill('SIGTERM');
    const inTime = await Promise.race([exited, wait(STOP_MS, false, { ref: false })]);
    if (!inTime) this.#child.kill('SIGKILL');
    await exited;
    return inTime;
  }
}
