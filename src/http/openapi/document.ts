/** `GET /openapi.json`: OpenAPI 3.1 of every route, made from the schemas that validate (CONTRACT 9.2). */

import { STATUS_CODES } from 'node:http';
import { z } from 'zod';
import type { JsonObject } from '../../json.js';
import { REASON_HEADER, REASON_MEANING } from '../audit/reason.js';
import { shapeOf } from '../query.js';
import { Components } from './schemas.js';
import { Scope } from '../scopes.js';
import { json, pathNames, refusalsOf, route, type Answer, type Route } from './route.js';

/** @param routes all routes, this one too; asked for when the document is. */
export function documentRoute(routes: () => readonly Route[], version: string): Route {
  let text: string | undefined;
  return route({
    method: 'get',
    path: '/openapi.json',
    id: 'getDocument',
    tag: 'server',
    summary: 'This document',
    scopes: [Scope.read],
    engine: 'not needed',
    answers: { 200: json(z.looseObject({ openapi: z.string() }), 'OpenAPI 3.1') },
    handle(ctx) {
      ctx.type = 'application/json; charset=utf-8';
      ctx.body = text ??= JSON.stringify(openApiDocument(routes(), version));
    },
  });
}

/** The body of every error (CONTRACT 0.1). */
const errorSchema = z.object({ error: z.string() }).meta({ id: 'Error' });

const DESCRIPTION = `Every error body is \`{"error": "<message>"}\`. An unknown route is 404, another method 405 with \`allow\`.
Unknown fields of a body are ignored, unknown values of a query parameter are 400. Event streams: each frame has an \`id\`;
the schema of \`text/event-stream\` is that of the JSON in one frame's \`data\`.`;

/** The document of these routes. Throws for a schema that cannot be described, and for two of one name. */
export function openApiDocument(routes: readonly Route[], version: string): JsonObject {
  const components = new Components();
  const paths: Record<string, JsonObject> = {};
  for (const route of routes) {
    const path = (paths[route.path] ??= {});
    if (path[route.method]) throw new Error(`two routes are ${route.method} ${route.path}`);
    path[route.method] = operationOf(route, components);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'agent-server',
      version,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: components.all,
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'A token of the token file.' } },
    },
  };
}

function operationOf(route: Route, components: Components): JsonObject {
  const { id, tag, summary, description, scopes, body, answers, deprecated } = route;
  const responses: JsonObject = {};
  for (const [status, answer] of Object.entries(answers)) responses[status] = responseOf(answer, components);
  for (const status of refusalsOf(route)) {
    responses[status] = responseOf({ description: STATUS_CODES[status]!, json: errorSchema }, components);
  }
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(deprecated ? { deprecated } : {}),
    security: scopes === null ? [] : scopes.map((scope) => ({ bearer: [scope] })),
    parameters: parametersOf(route),
    ...(body ? { requestBody: { content: { 'application/json': { schema: components.use(body, 'input') } } } } : {}),
    responses,
  };
}

function responseOf({ description, json, events, plain, headers }: Answer, components: Components): JsonObject {
  const content: JsonObject = {
    ...(json ? { 'application/json': { schema: components.use(json, 'output') } } : {}),
    ...(events ? { 'text/event-stream': { schema: components.use(events, 'output') } } : {}),
    ...(plain === undefined ? {} : { [plain]: { schema: { type: 'string' } } }),
  };
  return {
    description,
    ...(headers ? { headers: mapValues(headers, (text) => ({ description: text, schema: { type: 'string' } })) } : {}),
    ...(Object.keys(content).length > 0 ? { content } : {}),
  };
}

function parametersOf({ path, query, audit, headers: own = {} }: Route): JsonObject[] {
  const headers = audit === undefined ? own : { ...own, [REASON_HEADER]: REASON_MEANING };
  const id = { type: 'string', minLength: 1, maxLength: 256 };
  return [
    ...pathNames(path).map((name) => ({ name, in: 'path', required: true, schema: id })),
    ...Object.entries(query?.shape ?? {}).map(([name, parameter]) => {
      const { description, ...schema } = shapeOf(parameter as z.ZodType);
      return { name, in: 'query', ...(description === undefined ? {} : { description }), schema };
    }),
    ...Object.entries(headers).map(([name, description]) => ({
      name,
      in: 'header',
      description,
      schema: { type: 'string' },
    })),
  ];
}

const mapValues = <T, U>(record: Readonly<Record<string, T>>, map: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
