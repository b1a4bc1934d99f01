/** A keep-alive HTTP client that speaks JSON: one connection, one request at a time, and how long it took. */

import { Agent, request } from 'node:http';
import { performance } from 'node:perf_hooks';

export class Client {
  #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  /** @param {string} url of the server @param {Record<string, string>} headers of each request */
  constructor(url, headers = {}) {
    this.url = url;
    this.headers = { accept: 'application/json', ...headers };
  }

  /** @param {string} path @returns {Promise<{ status: number, body: any, ms: number }>} */
  get(path) {
    return this.#send('GET', path);
  }

  /** @param {string} path @param {unknown} payload @returns {Promise<{ status: number, body: any, ms: number }>} */
  post(path, payload) {
    return this.#send('POST', path, JSON.stringify(payload));
  }

  close() {
    this.#agent.destroy();
  }

  /** `ms`: from the request to the last byte of the answer. @param {string} method @param {string} path @param {string} [payload]
   * @returns {Promise<{ status: number, body: any, ms: number }>} */
  #send(method, path, payload) {
    return new Promise((resolve, reject) => {
      const began = performance.now();
      const type = payload === undefined ? {} : { 'content-type': 'application/json' };
      const headers = { ...this.headers, ...type };
      const sent = request(new URL(path, this.url), { method, headers, agent: this.#agent }, (response) => {
        /** @type {Buffer[]} */ const parts = [];
        response.on('data', (part) => parts.push(part));
        response.on('error', reject);
        response.on('end', () => {
          const ms = performance.now() - began;
          const text = Buffer.concat(parts).toString();
          const json = response.headers['content-type']?.startsWith('application/json');
          resolve({ status: response.statusCode ?? 0, body: json ? JSON.parse(text) : text, ms });
        });
      });
      sent.on('error', reject);
      sent.end(payload);
    });
  }
}
