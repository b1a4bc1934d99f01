/** Routes for operators need the scope `operator`, when callers have scopes at all (CONTRACT 9). */

import type { Middleware } from '../context.js';
import { HttpRefusal } from '../errors.js';

export const operatorsOnly: Middleware = (ctx, next) => {
  const { scopes } = ctx.state.principal;
  if (scopes !== null && !scopes.includes('operator'))
    throw new HttpRefusal(403, 'forbidden: the token lacks the scope operator');
  return next() as Promise<void>;
};
