/**
 * What a token may do (docs/api.md "Scopes"): the scopes there are, and the guard in front of every route.
 *
 * A route names the scopes it is open to; one of them is enough. `admin` holds all of them, a token without scopes too.
 */

import type { Principal } from '../actors/engine.js';
import type { Middleware } from './context.js';
import { HttpRefusal } from './errors.js';

/** As a token file writes them. */
export const Scope = {
  /** Starts runs and works with them and their threads: inputs, decisions, cancel, interrupt, fork, metadata, delete. */
  runs: 'runs',
  /** Looks: records, lists, messages, event streams, the document, metrics. */
  read: 'read',
  /** Looks into the process and steps in: the operator routes, mailbox entries, decisions, cancel, interrupt. */
  operator: 'operator',
  /** Everything, also what concerns the server itself: backups. */
  admin: 'admin',
} as const;
export type Scope = (typeof Scope)[keyof typeof Scope];

/** Whether one of the scopes is the caller's. */
const holds = ({ scopes }: Principal, wanted: readonly Scope[]): boolean =>
  scopes === null || scopes.includes(Scope.admin) || wanted.some((scope) => scopes.includes(scope));

/** Throws 403 `forbidden: needs scope <x>` unless one of the scopes is the caller's. */
export function demand(principal: Principal, wanted: readonly Scope[]): void {
  if (!holds(principal, wanted)) throw new HttpRefusal(403, `forbidden: needs scope ${wanted.join(' or ')}`);
}

/** Lets through who has one of the scopes. */
export function needs(wanted: readonly Scope[]): Middleware {
  return function checkScope(ctx, next) {
    demand(ctx.state.principal, wanted);
    return next() as Promise<void>;
  };
}
