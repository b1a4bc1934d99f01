/** Readers of one run on raw sockets: they count bytes and look at the end alone, so that they cost little themselves. */

import { once } from 'node:events';
import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';

/** Bytes of a stream's end that are kept. */
const TAIL = 400;

/** Times of `performance.now()`. `spoke`: when something came that did not come at once.
 * @typedef {{ first: number, spoke: number, end: number, tail: string }} Seen */

export class RawReader {
  #seen = { first: NaN, spoke: NaN, end: NaN, tail: '' };
  #pieces = 0;
  #last = Buffer.alloc(0);
  /** The response's head and whatever came with it. */ opened;
  /** Resolves when the stream is over. @type {Promise<Seen>} */ ended;

  /** @param {string} url @param {string} path @param {Record<string, string>} [headers] */
  constructor(url, path, headers = {}) {
    const { hostname, port, host } = new URL(path, url);
    this.socket = connect({ host: hostname, port: Number(port), noDelay: true });
    const lines = Object.entries({ host, accept: 'text/event-stream', connection: 'close', ...headers }).map(
      ([k, v]) => `${k}: ${v}\r\n`,
    );
    this.asked = performance.now();
    this.socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
    this.opened = once(this.socket, 'data');
    this.ended = new Promise((resolve, reject) => {
      this.socket.on('data', (data) => this.#take(data));
      this.socket.on('end', () =>
        resolve({ ...this.#seen, end: performance.now(), tail: this.#last.toString('latin1') }),
      );
      this.socket.on('error', reject);
      this.socket.on('close', () => reject(new Error('the connection was closed')));
    });
    this.ended.catch(() => {}); // A reader that nobody waits for may be closed.
  }

  close() {
    this.socket.destroy();
  }

  /** @param {Buffer} data */
  #take(data) {
    if (Number.isNaN(this.#seen.first) && data.includes('id: ')) this.#seen.first = performance.now();
    if (this.#pieces++ > 0 && Number.isNaN(this.#seen.spoke)) this.#seen.spoke = performance.now();
    this.#last = (data.length >= TAIL ? data : Buffer.concat([this.#last, data])).subarray(-TAIL);
  }
}
