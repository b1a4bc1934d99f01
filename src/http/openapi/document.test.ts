/** `GET /openapi.json` (CONTRACT 9.2): valid, and neither more nor less than what is mounted. */

import { Validator } from '@seriousme/openapi-schema-validator';
import Router from 'koa-router';
import { METHODS } from 'node:http';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openHttp } from '../../../test/support/http-server.js';
import type { RequestState } from '../context.js';
import type { Services } from '../services.js';
import { mount } from '../mount.js';
import { query } from '../query.js';
import { allRoutes } from '../routes.js';
import { openApiDocument } from './document.js';
import { json, pathNames, route, type Route } from './route.js';

const service = { is: 'ready', engine: () => ({}) } as never;
const routes = allRoutes({ engine: () => ({}) } as unknown as Services, service);

type Operation = {
  operationId: string;
  responses: Record<string, { content?: object }>;
  parameters: { name: string; in: string }[];
};
type Document = { openapi: string; paths: Record<string, Record<string, Operation>>; components: { schemas: object } };
const document = openApiDocument(routes, '1.2.3') as unknown as Document;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, path, operation })),
);

describe('the document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
  });

  it('is what the server gives', async () => {
    const { url } = await openHttp();
    const answer = await fetch(`${url}/openapi.json`);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const given = (await answer.json()) as Document;
    expect(given.openapi).toBe('3.1.0');
    expect(given.paths).toEqual(document.paths);
  });

  it('has every mounted route, and no other', () => {
    const router = new Router<RequestState>({ methods: [...METHODS] });
    mount(router, routes, { service, logger: undefined as never, body_limit: 1 });
    // Where the router is given another pattern, it stands for the path that is documented.
    const documented = new Map(routes.map(({ method, path, match }) => [`${method} ${match}`, path]));
    const mounted = router.stack.map(({ path, methods }) => {
      const method = methods.find((name) => name !== 'HEAD')!.toLowerCase();
      const written = path.replace(/(?<!\\):([a-z_]+)/g, '{$1}').replace(/\\/g, '');
      return `${method} ${documented.get(`${method} ${path}`) ?? written}`;
    });
    expect(mounted.map(openNames).sort()).toEqual(operations.map(({ name }) => openNames(name)).sort());
  });

  it.each(operations)('$name: says how it answers', ({ path, operation }) => {
    const statuses = Object.keys(operation.responses);
    expect(statuses.some((status) => status.startsWith('2'))).toBe(true);
    expect(statuses).toEqual(expect.arrayContaining(['400', '500']));
    const names = operation.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
    expect(names).toEqual(pathNames(path));
    if (names.length > 0) expect(statuses.join()).toMatch(/404|204/);
  });

  it('names every operation once', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

/** `/tasks/{id}:cancel` and the router's way to write it have the names in the same places. */
const openNames = (name: string): string => name.replace(/\{[a-z_]+\}/g, '{}');

describe('openApiDocument', () => {
  const one: Route = {
    method: 'get',
    path: '/a/{a_id}',
    id: 'a',
    tag: 'a',
    summary: 'a',
    scopes: null,
    answers: { 200: json(z.object({ at: z.int() }).meta({ id: 'A' }), 'a') },
    handle: () => {},
  };

  it('refuses two routes of one path and method', () =>
    expect(() => openApiDocument([one, one], '1')).toThrow('two routes are get /a/{a_id}'));

  it('refuses two schemas of one name', () => {
    const other = route({
      ...one,
      path: '/b',
      answers: { 200: json(z.object({ b: z.string() }).meta({ id: 'A' }), '') },
    });
    expect(() => openApiDocument([one, other], '1')).toThrow('two schemas are named A');
  });

  it('refuses a schema that only code can check', () => {
    const answers = {
      200: json(
        z.custom(() => true),
        '',
      ),
    };
    expect(() => openApiDocument([{ ...one, answers }], '1')).toThrow();
  });

  it('refuses a parameter that query.ts has not made', () =>
    expect(() => openApiDocument([{ ...one, query: z.object({ q: z.string() }) }], '1')).toThrow('query.ts'));

  it('makes a component of a schema with a name', () => {
    const { components, paths } = openApiDocument([{ ...one, query: z.object({ n: query.integer('how many') }) }], '1');
    expect((components as { schemas: object }).schemas).toEqual({
      A: expect.objectContaining({ required: ['at'], additionalProperties: false }),
      Error: expect.anything(),
    });
    const { get } = (paths as Record<string, Record<string, Operation>>)['/a/{a_id}']!;
    expect(get!.responses['200']).toEqual({
      description: 'a',
      content: { 'application/json': { schema: { $ref: '#/components/schemas/A' } } },
    });
    expect(get!.parameters).toEqual([
      { name: 'a_id', in: 'path', required: true, schema: { type: 'string', minLength: 1, maxLength: 256 } },
      { name: 'n', in: 'query', description: 'how many', schema: { type: 'integer' } },
    ]);
  });
});
