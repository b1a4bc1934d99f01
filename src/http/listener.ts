/**
 * The listening socket: bound before anything is read, and let go without dropping what is under way.
 *
 * Guards against clients that are slow on purpose: a request has to arrive within fixed times. A response may take as
 * long as it likes.
 */

import { createServer, type RequestListener, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { answerRawErrors } from './raw-http.js';

/** Milliseconds. */
const HEADERS_TIMEOUT = 15_000;
const REQUEST_TIMEOUT = 120_000;
const CHECK_EVERY = 5_000;
/** Longer than the proxies in front of us keep an idle connection: the side that closes first must not be ours. */
const KEEP_ALIVE_TIMEOUT = 75_000;
/** Silence on a connection after which the other end is asked whether it is still there. */
const PROBE_AFTER = 60_000;
/** What responses under way get to be delivered after shutdown, before their connections are cut. */
const LINGER = 1_000;

export class Listener {
  #server: Server;
  /** Connections without a request yet (browsers open them in advance); Node does not count them as idle. */
  #unused = new Set<Socket>();

  constructor(handler: (...request: Parameters<RequestListener>) => unknown) {
    this.#server = createServer(
      {
        noDelay: true,
        keepAlive: true,
        keepAliveInitialDelay: PROBE_AFTER,
        headersTimeout: HEADERS_TIMEOUT,
        requestTimeout: REQUEST_TIMEOUT,
        connectionsCheckingInterval: CHECK_EVERY,
        keepAliveTimeout: KEEP_ALIVE_TIMEOUT,
        // Node's own answer to a missing Host has no body; the gate gives one.
        requireHostHeader: false,
      },
      (req, res) => void handler(req, res),
    );
    answerRawErrors(this.#server);
    this.#server.on('connection', (socket: Socket) => {
      this.#unused.add(socket);
      socket.once('close', () => this.#unused.delete(socket));
    });
    this.#server.on('request', ({ socket }) => this.#unused.delete(socket));
  }

  /** Binds the socket and gives its port. Rejects when the address cannot be had. */
  async listen(host: string, port: number): Promise<number> {
    this.#server.listen(port, host);
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  /** Takes no more connections, lets responses be delivered for a moment, then cuts what is left. */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#unused) socket.destroy();
    const cut = setTimeout(() => this.#server.closeAllConnections(), LINGER);
    // A connection whose response ends from now on is idle and nobody closes it.
    const sweep = setInterval(() => this.#server.closeIdleConnections(), LINGER / 20);
    await closed;
    clearTimeout(cut);
    clearInterval(sweep);
  }
}
