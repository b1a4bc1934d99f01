/** The request as the middleware leaves it for the routes of all surfaces, and the shapes of both. */

import type Router from 'koa-router';
import type { Principal } from '../actors/engine.js';

/** Set by middleware before a route runs. */
export type RequestState = {
  request_id: string;
  principal: Principal;
  /** Whom limits count: the token, or where there is none the address of the connection. */
  caller: string;
  /** The status of a refusal that the protocol of a surface answers with 200. */
  refused?: number;
  /** The path of the route that matched, as the document writes it. */
  route?: string;
};

export type Ctx = Router.RouterContext<RequestState>;
export type Handler = (ctx: Ctx) => Promise<void> | void;
export type Middleware = (ctx: Ctx, next: () => Promise<unknown>) => Promise<void> | void;
