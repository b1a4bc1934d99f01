/**
 * The route registry: a route is one descriptor, which mounts it, guards it and documents it.
 *
 * Callers may rely on: what is mounted is in `GET /openapi.json` and nothing else is, because both are made of the same
 * list; the suite checks every JSON answer and every event of its tests against the document.
 *
 * How to add a route
 * 1. Write the schemas of its body and its answers in zod, one per payload: `parseBody(schema, ctx.request.body)` and
 *    `parseQuery(schema, ctx)` validate and type what the handler works with, and the document is made of the same
 *    objects. Give a schema that others refer to a name: `.meta({ id: 'RunRecord' })`. An answer is closed: a field that
 *    the schema does not name fails the suite. Anything goes in a field that is `z.unknown()`.
 * 2. Parameters of the query are those of `query.ts` (`query.integer(…)`, `query.word(…)`) in a `z.object`; ids of the
 *    path stand in the path as `{run_id}`.
 * 3. Add a descriptor to the list of its surface (`runs/routes.ts` is the model):
 *
 *        route({
 *          method: 'get',
 *          path: '/v1/runs/{run_id}',
 *          id: 'getRun',                              // operationId, a stable name
 *          tag: 'runs',
 *          summary: 'The record of a run',
 *          scopes: [Scope.read],                      // one of them is enough; `null`: no token is asked for
 *          answers: { 200: json(runRecord, 'the record') },
 *          refusals: [404],                           // beside those that every route has
 *          handle: getRun(services),
 *        })
 *
 *    `json(schema, text)`, `events(schema, text)`, `empty(text)` and `plain(type, text)` describe answers; two of them
 *    under one status are spread together: `200: { ...json(a, 'x'), ...events(b, 'y') }`.
 * 4. A new surface is one more list in `../routes.ts`.
 *
 * The handler runs behind the scope check, behind a check that the engine is open (`engine: 'not needed'` leaves it out)
 * and, when the descriptor has a `body`, behind the JSON body reader.
 */

import type { z } from 'zod';
import type { Reading } from '../audit/reading.js';
import type { Handler, Middleware } from '../context.js';
import type { Scope } from '../scopes.js';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** An answer under one status: JSON, an event stream (the schema is that of one event's `data`), text, or nothing. */
export type Answer = {
  description: string;
  json?: z.ZodType;
  events?: z.ZodType;
  /** Media type of a text. */
  plain?: string;
  /** Response headers and what they say. */
  headers?: Readonly<Record<string, string>>;
};

export type Route = {
  method: Method;
  /** As OpenAPI writes it: `/v1/runs/{run_id}`. */
  path: `/${string}`;
  /** The pattern for the router, where the path itself cannot say it. */
  match?: string;
  /** operationId. */
  id: string;
  /** The surface it belongs to. */
  tag: string;
  summary: string;
  /** More than a summary can say. */
  description?: string;
  /** One of these is enough; null: nobody is asked for a token. */
  scopes: readonly Scope[] | null;
  /** It concerns the whole process: a token that is bound to a resource is refused (403). */
  reach?: 'process';
  /** Whether the run service has to be open (CONTRACT 0.8). Default `needed`. */
  engine?: 'needed' | 'not needed';
  query?: z.ZodObject;
  /** Request headers that mean something here, and what. */
  headers?: Readonly<Record<string, string>>;
  body?: z.ZodType;
  /** Of the body, when it is not the server's. */
  body_limit?: string;
  /** How errors are told from the reading of the body on, where a protocol has a form of its own for them. */
  tell?: Middleware;
  answers: Readonly<Record<number, Answer>>;
  /** Statuses of its own errors. Those that every route may have are added. */
  refusals?: readonly number[];
  /** Kept for older clients. */
  deprecated?: true;
  /** Each use is recorded, also one that is refused (`audit/audited.ts`). */
  audit?: Reading;
  handle: Handler;
};

/** One entry of the registry. */
export const route = (descriptor: Route): Route => descriptor;

export const json = (schema: z.ZodType, description: string): Answer => ({ description, json: schema });
export const events = (schema: z.ZodType, description: string): Answer => ({ description, events: schema });
export const empty = (description: string): Answer => ({ description });
export const plain = (type: string, description: string): Answer => ({ description, plain: type });

/** The status of a request that goes well, unless it asks for another. */
export const successOf = ({ answers }: Route): number => Math.min(...Object.keys(answers).map(Number));

/** Statuses that any request to the route may be refused with, its own included. */
export function refusalsOf({ scopes, body, audit, engine, refusals = [], answers }: Route): number[] {
  const all = [
    400,
    ...(scopes === null ? [] : [401, 403]),
    408,
    ...(body || audit ? [413, 415] : []),
    417,
    421,
    429,
    431,
    500,
    ...(engine === 'not needed' ? [] : [503]),
    ...refusals,
  ];
  return [...new Set(all)].filter((status) => !(status in answers)).sort((a, b) => a - b);
}

/** The names in a path: `['run_id']`. */
export const pathNames = (path: string): string[] => [...path.matchAll(/\{([a-z_]+)\}/g)].map(([, name]) => name!);
