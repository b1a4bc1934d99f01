/**
 * Who asks. With tokens every route but the open ones needs `authorization: Bearer <token>`, 401 otherwise, an unknown
 * route too (CONTRACT 10.4); without tokens everybody who passed the gate is `anonymous`.
 */

import { anonymous, type Principal } from '../actors/engine.js';
import type { Ctx, Middleware } from './context.js';
import { HttpRefusal } from './errors.js';
import { findPrincipal, type Token } from './tokens.js';

const OPEN = new Set(['/health', '/.well-known/agent-card.json']);

/** @param tokens null: no authentication. */
export function authenticate(tokens: readonly Token[] | null): Middleware {
  if (tokens === null) {
    return function admitAnybody(ctx, next) {
      admit(ctx, anonymous);
      return next() as Promise<void>;
    };
  }
  return function admitBearer(ctx, next) {
    const secret = /^bearer +(\S+) *$/i.exec(ctx.get('authorization'))?.[1];
    const principal = secret === undefined ? undefined : findPrincipal(tokens, secret);
    if (!principal && !OPEN.has(ctx.path)) {
      throw new HttpRefusal(401, 'unauthorized: a valid bearer token is needed', { 'www-authenticate': 'Bearer' });
    }
    admit(ctx, principal ?? anonymous);
    return next() as Promise<void>;
  };
}

function admit({ state, req }: Ctx, principal: Principal): void {
  state.principal = principal;
  state.caller = principal === anonymous ? (req.socket.remoteAddress ?? '') : principal.id;
}
