/**
 * Where the parts become a server: the agents, the engine over its store, and HTTP. `agent-server serve` and programs
 * that embed a server go through here alike.
 */

import { pino, type Logger } from 'pino';
import { openEngine, type EngineOptions } from './actors/index.js';
import { bindAgent } from './agents/agent.js';
import { createModelResolver, type ProvidersConfig } from './agents/providers/resolver.js';
import { discreet } from './discreet-logger.js';
import { createAgentRegistry } from './agents/registry.js';
import type { Agent, AgentRegistry } from './agents/types.js';
import { pushDeliverer, type PushOptions } from './http/push/deliver.js';
import { HttpServer, type HttpServerOptions } from './http/server.js';

export type ServerOptions = Omit<HttpServerOptions, 'openEngine' | 'agents' | 'logger' | 'push'> & {
  agents: readonly Agent[] | AgentRegistry;
  /** Where the models of agents made with `defineAgent({model: '<provider>:<model id>'})` are looked up. */
  providers?: ProvidersConfig;
  /** Directory of the data; it is created when it is not there. `null`: in memory, gone with the process. */
  data: string | null;
  /** `process`: a commit survives the end of the process, not of the machine. Default `disk`. */
  durability?: 'disk' | 'process';
  limits?: EngineOptions['limits'];
  /** Days that the events of a run are kept after its end; fractions count. Default `null`: for ever. */
  retention?: { events_days: number | null };
  /** The directory below which `POST /v1/backup` may write. Default `null`: nowhere. */
  backup_dir?: string | null;
  /** How receivers of push notifications are told. Default: of the public internet alone, unsigned. `null`: nobody is. */
  push?: PushOptions | null;
  /** The store can never be written again: nothing new will be durable, so the process should end. */
  onFatal?: (error: unknown) => void;
  /** Secrets are kept out of it (`discreet-logger.ts`). Default: silent. */
  logger?: Logger;
};

const DAY_MS = 24 * 60 * 60 * 1000;
const inMs = (days: number | null): number | null => (days === null ? null : days * DAY_MS);

/**
 * Makes a server. Nothing is opened before `listen()`.
 *
 * @example
 * const server = createServer({ agents: [assistant], data: './data', port: 8080 });
 * console.log(await server.listen());
 * await server.close();
 */
export function createServer(options: ServerOptions): HttpServer {
  const {
    agents,
    providers = {},
    data,
    durability = 'disk',
    limits,
    retention,
    backup_dir = null,
    push = {},
    onFatal,
    logger: given = pino({ enabled: false }),
    ...http
  } = options;
  const logger = discreet(given);
  const registry = 'list' in agents ? agents : bound(agents, providers);
  return new HttpServer({
    ...http,
    push: push && { allow_private: push.allow_private ?? false },
    agents: registry,
    logger,
    openEngine: () =>
      openEngine({
        store: data === null ? { memory: true } : { dir: data, durability },
        agents: registry,
        logger,
        ...(limits ? { limits } : {}),
        events_ms: inMs(retention?.events_days ?? null),
        backup_dir,
        deliverPush: push && pushDeliverer(push),
        ...(onFatal ? { onFatal } : {}),
      }),
  });
}

function bound(agents: readonly Agent[], providers: ProvidersConfig): AgentRegistry {
  const resolver = createModelResolver(providers);
  return createAgentRegistry(agents.map((agent) => bindAgent(agent, resolver)));
}
