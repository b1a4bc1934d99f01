/**
 * One keep-alive connection that does one run after the other, on a raw socket: the generator shares the machine with
 * what it measures, and an HTTP client would cost more than the server.
 */

import { connect } from 'node:net';
import { clearTimeout, setTimeout } from 'node:timers';
import { performance } from 'node:perf_hooks';
import { checkRun, LAST_CHUNK } from './stream-check.mjs';

/** Milliseconds after which a run that is not complete counts as failed. */
const TIMEOUT_MS = 30_000;

/**
 * Times are of `performance.now()`; `first` is when the first byte of the body came.
 * @typedef {{ ok: true, first: number, end: number, bytes: number } | { ok: false, fault: string,
 *   sample?: string }} Outcome
 */

export class Connection {
  /** @type {Buffer[]} */ #parts = [];
  #first = NaN;
  /** Characters of the response head are still to come. */
  #inHead = true;
  /** @type {((outcome: Outcome) => void) | undefined} */ #done;
  /** @type {NodeJS.Timeout | undefined} */ #timer;
  #socket;

  /** @param {URL} url */
  static async open(url) {
    const socket = connect({ port: Number(url.port), host: url.hostname, noDelay: true });
    await new Promise((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    return new Connection(socket);
  }

  /** @param {import('node:net').Socket} socket */
  constructor(socket) {
    this.#socket = socket;
    socket.removeAllListeners('error');
    socket.on('data', (data) => this.#take(data));
    socket.on('error', (error) => this.#settle({ ok: false, fault: error.message }));
    socket.on('close', () => this.#settle({ ok: false, fault: 'the connection was closed' }));
  }

  /** The connection can take another run. */
  get usable() {
    return !this.#socket.destroyed && !this.#done;
  }

  /** Never rejects. @param {string} request head and body @returns {Promise<Outcome>} */
  run(request) {
    return new Promise((resolve) => {
      this.#parts = [];
      this.#first = NaN;
      this.#inHead = true;
      this.#done = resolve;
      this.#timer = setTimeout(() => this.#fail(`not complete after ${TIMEOUT_MS} ms`), TIMEOUT_MS);
      this.#socket.write(request);
    });
  }

  close() {
    this.#socket.destroy();
  }

  /** @param {Buffer} data */
  #take(data) {
    this.#parts.push(data);
    if (this.#inHead) this.#readHead();
    else if (Number.isNaN(this.#first)) this.#first = performance.now();
    if (this.#endsWithLastChunk(data)) this.#complete();
  }

  #readHead() {
    if (this.#parts.length > 1) this.#parts = [Buffer.concat(this.#parts)];
    const [data] = /** @type {[Buffer]} */ (/** @type {unknown} */ (this.#parts));
    const end = data.indexOf('\r\n\r\n');
    if (end < 0) return;
    this.#inHead = false;
    if (data.indexOf('HTTP/1.1 200 ') !== 0) this.#fail(data.toString('latin1', 0, data.indexOf('\r\n')));
    else if (data.length > end + 4) this.#first = performance.now();
  }

  /** Frames end in two line feeds, so nothing but the end of the body looks like it. @param {Buffer} data */
  #endsWithLastChunk(data) {
    const size = LAST_CHUNK.length;
    const tail = data.length >= size ? data : Buffer.concat(this.#parts.slice(-size));
    return tail.length >= size && tail.compare(LAST_CHUNK, 0, size, tail.length - size) === 0;
  }

  #complete() {
    const end = performance.now();
    const check = checkRun(Buffer.concat(this.#parts));
    if (check.ok) this.#settle({ ok: true, first: this.#first, end, bytes: check.bytes });
    else this.#fail(check.fault, check.sample);
  }

  /** What else the server sends on this connection cannot be told apart from the next run's answer. @param {string} fault
   * @param {string} [sample] */
  #fail(fault, sample) {
    this.#settle(sample === undefined ? { ok: false, fault } : { ok: false, fault, sample });
    this.#socket.destroy();
  }

  /** @param {Outcome} outcome */
  #settle(outcome) {
    clearTimeout(this.#timer);
    const done = this.#done;
    this.#done = undefined;
    done?.(outcome);
  }
}
