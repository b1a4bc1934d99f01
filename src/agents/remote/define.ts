/** `defineRemoteAgent`: an agent that lives elsewhere, as an `Agent` like any other. */

import type { z } from 'zod';
import { parse, type CamelCase } from '../schema.js';
import { delay } from '../timer.js';
import type { Agent } from '../types.js';
import { ask } from './ask.js';
import { cancel } from './cancel.js';
import { remoteSend } from './doubt.js';
import { Link } from './link.js';
import { remoteInput } from './question.js';
import { remoteAgentSection } from './schema.js';
import type { RemoteAgent } from './types.js';

type Definition = z.output<typeof remoteAgentSection>;
type A2A = Definition['a2a'];

/** `a2a.url` is its card's address or the address the card is found from. All else is documented at `Agent`. */
export type RemoteAgentDefinition = Pick<Definition, 'id'> &
  Partial<Omit<Definition, 'id' | 'a2a'>> & { a2a: Pick<A2A, 'url'> & Partial<A2A> };

export type RemoteDeps = {
  env?: Readonly<Record<string, string | undefined>>;
  /** Waits between two attempts; rejects with the signal's reason when it fires. */
  wait?: (ms: number, signal: AbortSignal) => Promise<void>;
};

/**
 * Makes an agent of an A2A server. Throws `ConfigError` with one line a fault.
 *
 * @example
 * defineRemoteAgent({ id: 'translator', a2a: { url: 'https://agents.example.com/translator', api_key_env: 'TRANSLATOR_KEY' } });
 */
export function defineRemoteAgent(
  definition: RemoteAgentDefinition | CamelCase<RemoteAgentDefinition>,
  deps: RemoteDeps = {},
): Agent {
  const where = `agent ${JSON.stringify((definition as Partial<RemoteAgentDefinition> | undefined)?.id ?? '')}`;
  return remoteAgent(parse(remoteAgentSection, definition, where), deps);
}

/** The agent of a definition that has been checked. */
export function remoteAgent({ a2a, ...rest }: Definition, deps: RemoteDeps = {}): Agent {
  return Object.freeze({
    ...rest,
    name: rest.name ?? rest.id,
    model: `a2a:${shown(a2a.url)}`,
    resolveModel: () => {
      throw new Error(`agent "${rest.id}" is a remote agent: it has no model here`);
    },
    remote: remoteOf(a2a, deps),
    tools: Object.freeze([remoteInput, remoteSend]),
    permissions: [],
    stop_conditions: [],
    model_options: {},
    delegates: [],
  });
}

/** Without a query, which may hold a key. */
function shown(address: string): string {
  const { origin, pathname } = new URL(address);
  return origin + pathname;
}

function remoteOf(a2a: A2A, { env = process.env, wait = delay }: RemoteDeps): RemoteAgent {
  const key = () => (a2a.api_key_env === undefined ? undefined : env[a2a.api_key_env]?.trim() || undefined);
  const missing = () =>
    a2a.api_key_env !== undefined && key() === undefined
      ? `the environment variable ${a2a.api_key_env} is not set`
      : undefined;
  const link = new Link({
    url: a2a.url,
    secret: key,
    missing,
    headers: () => ({ ...a2a.headers, ...keyHeader(a2a, key()) }),
  });
  const stop: RemoteAgent['cancel'] = (task, signal) => cancel(link, task, signal);
  return {
    ask: (request) =>
      ask(request, {
        link,
        remote: `a2a/${a2a.url}`,
        timeout_ms: a2a.timeout_ms,
        idempotent: a2a.idempotent,
        wait,
        cancel: stop,
      }),
    cancel: stop,
    warning: missing,
  };
}

function keyHeader({ api_key_header }: A2A, key: string | undefined): Record<string, string> {
  if (key === undefined) return {};
  return api_key_header === undefined ? { authorization: `Bearer ${key}` } : { [api_key_header]: key };
}
