/** Whether a server may be reachable from other machines (CONTRACT 10.4). */

import { ConfigError } from '../agents/config-error.js';
import { isLoopback } from './gate.js';

export type Exposure = {
  host: string;
  /** Callers have to show a token. */
  authenticated: boolean;
  /** The operator has said that anybody may come in. */
  insecure: boolean;
};

/**
 * Whether requests have to name this machine. Throws `ConfigError` for a server that anybody on the network could use
 * though nobody said so.
 */
export function loopbackOnly({ host, authenticated, insecure }: Exposure): boolean {
  if (authenticated) return false;
  if (isLoopback(host)) return true;
  if (insecure) return false;
  throw new ConfigError([
    `host ${host} is reachable from other machines and no token file is set: set --auth-token-file, or say --insecure`,
  ]);
}
