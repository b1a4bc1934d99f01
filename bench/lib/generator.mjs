/** The load generator's process as a function of jobs. */

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** @typedef {import('../load.mjs').Report} Report */

export class Generator {
  #child = fork(fileURLToPath(new URL('../load.mjs', import.meta.url)));
  /** Who waits for the job under way. @type {{ resolve(report: Report): void, reject(error: Error): void } | undefined} */
  #waiter;

  constructor() {
    this.#child.on('message', (/** @type {{ report: Report } | { fault: string }} */ message) => {
      if ('report' in message) this.#waiter?.resolve(message.report);
      else this.#waiter?.reject(new Error(`load generator: ${message.fault}`));
    });
    this.#child.once('exit', () => this.#waiter?.reject(new Error('load generator: its process ended')));
  }

  get pid() {
    return /** @type {number} */ (this.#child.pid);
  }

  /** For one job at a time. @param {import('../load.mjs').Job} job @returns {Promise<Report>} */
  perform(job) {
    return new Promise((resolve, reject) => {
      this.#waiter = { resolve, reject };
      this.#child.send(job);
    });
  }

  stop() {
    this.#child.kill();
  }
}
