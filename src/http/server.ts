/**
 * A server: one listening socket, one engine, and the order in which they come up and go down.
 *
 * Up: the socket answers first (`/health` says `starting`, run routes 500), then the engine is opened and mounted.
 * Down: run routes are refused, streams end behind a whole frame, the engine finishes its commits, the socket is closed.
 * Both may be called at any time and more than once; a close during the opening waits for it and undoes it.
 */

import type { Logger } from 'pino';
import type { HostedEngine } from '../actors/engine.js';
import { createAgentRegistry } from '../agents/registry.js';
import type { AgentRegistry } from '../agents/types.js';
import { createApp } from './app.js';
import { loopbackOnly } from './exposure.js';
import type { Timers } from './keep-alive.js';
import { defaultRequestLimits, Listener, type RequestLimits } from './listener.js';
import type { RateLimit } from './rate-limit.js';
import type { TargetRules } from './push/target.js';
import { Service } from './service-state.js';
import { defaultSseLimits, SseHub, type SseLimits } from './sse.js';
import type { Token } from './tokens.js';

export type HttpServerOptions = {
  /** Opens the engine; called once, when the socket is bound. */
  openEngine: () => Promise<HostedEngine>;
  /** The agents that the engine runs. Default: none that a client may ask for by name. */
  agents?: AgentRegistry;
  logger: Logger;
  /** Default 127.0.0.1. */
  host?: string;
  /** Default 0: a free one. */
  port?: number;
  /** Null or absent: no authentication, and only this machine is served. */
  tokens?: readonly Token[] | null;
  /** Serve other machines without authentication. */
  insecure?: boolean;
  cors_origins?: readonly string[];
  /** Bytes, or a text such as `2mb` (the default). */
  body_limit?: string | number;
  /** Who may be told by push notifications. Default: nobody. */
  push?: TargetRules | null;
  sse?: Partial<SseLimits>;
  /** How often one caller may ask. Null (the default): as often as it likes. */
  rate_limit?: RateLimit | null;
  request_limits?: Partial<RequestLimits>;
  /** The clock of keep-alives, when it is not the system's. */
  timers?: Timers;
  /** Milliseconds running `once` tools get at shutdown. Default 5 s. */
  shutdown_grace_ms?: number;
};

export class HttpServer {
  #service = new Service();
  #sse: SseHub;
  #listener: Listener;
  #host: string;
  #port: number;
  #opening: Promise<HostedEngine> | null = null;
  #closing: Promise<void> | null = null;

  /** Throws `ConfigError` when the server would be open to everybody though nobody said so. */
  constructor(private readonly options: HttpServerOptions) {
    const { host = '127.0.0.1', port = 0, tokens = null, insecure = false, logger } = options;
    this.#host = host;
    this.#port = port;
    this.#sse = new SseHub({ ...defaultSseLimits, ...options.sse }, options.timers);
    const app = createApp({
      service: this.#service,
      agents: options.agents ?? createAgentRegistry([]),
      sse: this.#sse,
      logger,
      tokens,
      push: options.push ?? null,
      body_limit: options.body_limit ?? '2mb',
      rate_limit: options.rate_limit ?? null,
      cors_origins: options.cors_origins ?? [],
      loopback_only: loopbackOnly({ host, insecure, authenticated: tokens !== null }),
    });
    this.#listener = new Listener(app.callback(), { ...defaultRequestLimits, ...options.request_limits });
  }

  /** `http://host:port`; the port is the real one once the socket is bound. */
  get url(): string {
    return `http://${this.#host.includes(':') ? `[${this.#host}]` : this.#host}:${this.#port}`;
  }

  /** Event streams that are open. */
  get streams(): number {
    return this.#sse.size;
  }

  /** Where the server is between its opening and its end. */
  get status(): Service['is'] {
    return this.#service.is;
  }

  /** Resolves with the URL when all routes are open. Rejects when the address or the engine cannot be had. */
  async listen(): Promise<string> {
    if (this.#closing) throw new Error('the server is closed');
    await (this.#opening ??= this.#open());
    return this.url;
  }

  async #open(): Promise<HostedEngine> {
    this.#port = await this.#listener.listen(this.#host, this.#port);
    try {
      const engine = await this.options.openEngine();
      this.#service.mount(engine);
      return engine;
    } catch (error) {
      await this.#listener.close();
      throw error;
    }
  }

  /** Shuts down as described above. Nothing that was acknowledged is lost; runs under way go on at the next start. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    this.#service.stop();
    this.#sse.stop();
    const engine = await this.#opening?.catch(() => null);
    await engine?.close(this.options.shutdown_grace_ms ?? 5_000);
    await this.#listener.close();
  }
}
