/** From the registry to the router: each route behind its guards, in the order in which a request is refused. */

import type Router from 'koa-router';
import type { Logger } from 'pino';
import { audited } from './audit/audited.js';
import { jsonBody } from './body.js';
import type { Middleware, RequestState } from './context.js';
import { successOf, type Route } from './openapi/route.js';
import { needs } from './scopes.js';
import type { Service } from './service-state.js';
import { wholeProcess } from './tenant.js';

export type MountOptions = {
  service: Pick<Service, 'is' | 'engine'>;
  logger: Logger;
  /** Bytes, or a text such as `2mb`. */
  body_limit: string | number;
};

/** Mounts the routes in their order: of two that match, the first answers. */
export function mount(router: Router<RequestState>, routes: readonly Route[], options: MountOptions): void {
  const json = jsonBody(options.body_limit);
  const note = jsonBody(options.body_limit, 'ignored');
  const open: Middleware = function engineIsOpen(_ctx, next) {
    options.service.engine();
    return next() as Promise<void>;
  };
  for (const route of routes) {
    const { method, path, match, scopes, reach, engine, body, body_limit, audit, tell, handle } = route;
    const guards: Middleware[] = [named(path)];
    if (audit !== undefined) guards.push(audited(audit, { path, status: successOf(route) }, options));
    if (scopes !== null) guards.push(needs(scopes));
    if (reach === 'process') guards.push(wholeProcess);
    if (engine !== 'not needed') guards.push(open);
    if (tell) guards.push(tell);
    if (body) guards.push(body_limit === undefined ? json : jsonBody(body_limit));
    // Why somebody does this may stand in a body also where the action itself needs none.
    else if (audit !== undefined) guards.push(note);
    router[method](match ?? patternOf(path), ...guards, handle);
  }
}

/** Says which route it is, to whoever counts. */
const named = (path: string): Middleware =>
  function nameRoute(ctx, next) {
    ctx.state.route = path;
    return next() as Promise<void>;
  };

/** `/tasks/{task_id}:cancel` → `/tasks/:task_id\:cancel`, as the router writes it. */
const patternOf = (path: string): string => path.replace(/[:*?+()[\]\\!]/g, '\\$&').replace(/\{([a-z_]+)\}/g, ':$1');
