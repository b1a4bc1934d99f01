/**
 * The listening socket: bound before anything is read, and let go without dropping what is under way.
 *
 * Guards against clients that are slow on purpose: a request has to arrive within fixed times. A response may take as
 * long as it likes.
 */

import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { answerRawErrors } from './raw-http.js';

/** What a request may take to arrive: milliseconds, and bytes of its headers. */
export type RequestLimits = { headers_ms: number; request_ms: number; header_bytes: number };
export const defaultRequestLimits: RequestLimits = { headers_ms: 15_000, request_ms: 120_000, header_bytes: 16 * 1024 };

/** How often connections are looked at, in milliseconds. */
const CHECK_EVERY = 5_000;
/** Longer than the proxies in front of us keep an idle connection: the side that closes first must not be ours. */
const KEEP_ALIVE_TIMEOUT = 75_000;
/** Silence on a connection after which the other end is asked whether it is still there. */
const PROBE_AFTER = 60_000;
/** What responses under way get to be delivered after shutdown, before their connections are cut. */
const LINGER = 1_000;

export class Listener {
  #server: Server;
  /** Responses that are not delivered yet. */
  #open = new Set<ServerResponse>();
  /** Told when the last of them is. */
  #onDelivered: () => void = () => {};

  constructor(
    handler: (...request: Parameters<RequestListener>) => unknown,
    { headers_ms, request_ms, header_bytes }: RequestLimits = defaultRequestLimits,
  ) {
    this.#server = createServer(
      {
        noDelay: true,
        keepAlive: true,
        keepAliveInitialDelay: PROBE_AFTER,
        headersTimeout: Math.min(headers_ms, request_ms),
        requestTimeout: request_ms,
        maxHeaderSize: header_bytes,
        connectionsCheckingInterval: Math.min(CHECK_EVERY, headers_ms, request_ms),
        keepAliveTimeout: KEEP_ALIVE_TIMEOUT,
        // Node's own answer to a missing Host has no body; the gate gives one.
        requireHostHeader: false,
      },
      (req, res) => void handler(req, res),
    );
    answerRawErrors(this.#server);
    this.#server.on('request', (_req, res) => {
      this.#open.add(res);
      res.once('close', () => {
        if (this.#open.delete(res) && this.#open.size === 0) this.#onDelivered();
      });
    });
  }

  /** Binds the socket and gives its port. Rejects when the address cannot be had. */
  async listen(host: string, port: number): Promise<number> {
    this.#server.listen(port, host);
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  /** Lets the responses under way be delivered, for a moment, then closes the socket and every connection. */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    // Not by `server.close()`: it cuts responses that were ended but not delivered.
    if (this.#open.size > 0) {
      await new Promise<void>((resolve) => {
        const linger = setTimeout(resolve, LINGER);
        this.#onDelivered = () => {
          clearTimeout(linger);
          resolve();
        };
      });
    }
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}
