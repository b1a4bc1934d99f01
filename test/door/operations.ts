/** The operations of a server as its own document describes them: what tests of "every route" go through. */

import type { Service } from '../support/service.js';

export type Schema = {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  enum?: unknown[];
  anyOf?: Schema[];
  required?: string[];
};
export type Parameter = { name: string; in: 'path' | 'query' | 'header'; schema: Schema };
export type Operation = {
  id: string;
  /** In capitals. */
  method: string;
  /** With `{names}`. */
  path: string;
  scopes: string[] | null;
  parameters: Parameter[];
  body: Schema | undefined;
  statuses: number[];
  /** It has an event stream among its answers. */
  streams: boolean;
};

type Media = { schema: Schema };
type Described = {
  operationId: string;
  security: { bearer: string[] }[];
  parameters: Parameter[];
  requestBody?: { content: { 'application/json': Media } };
  responses: Record<string, { content?: Record<string, Media> }>;
};
export type Document = {
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, Schema> };
};

/** Reads the document of a running server. */
export async function operationsOf(url: string, token?: string): Promise<Operation[]> {
  const answer = await fetch(`${url}/openapi.json`, token === undefined ? {} : { headers: bearer(token) });
  const { paths, components } = (await answer.json()) as Document;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      id: described.operationId,
      method: method.toUpperCase(),
      path,
      scopes: described.security.length === 0 ? null : described.security.flatMap(({ bearer }) => bearer),
      parameters: described.parameters,
      body: resolve(described.requestBody?.content['application/json'].schema, components.schemas),
      statuses: Object.keys(described.responses).map(Number),
      streams: Object.values(described.responses).some(({ content }) => content?.['text/event-stream']),
    })),
  );
}

const resolve = (schema: Schema | undefined, named: Record<string, Schema>): Schema | undefined =>
  schema?.$ref === undefined ? schema : named[schema.$ref.split('/').at(-1)!];

export const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

/** The path with its names filled in. */
export const pathOf = ({ path }: Pick<Operation, 'path'>, values: Record<string, string>): string =>
  path.replace(/\{([a-z_]+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? 'nobody'));

export type Asking = {
  token?: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** What to do with an event stream: read it to its end, or leave it at once. */
  streams?: 'read' | 'leave';
};

export type Said = { status: number; text: string; type: string };

/** One request; the answer as text. An event stream that does not end within five seconds is a failure. */
export async function ask(
  { url }: Pick<Service, 'url'>,
  { method, path }: { method: string; path: string },
  { token, body, headers = {}, streams = 'read' }: Asking = {},
): Promise<Said> {
  const answer = await fetch(url + path, {
    method,
    signal: AbortSignal.timeout(5_000),
    headers: {
      ...(token === undefined ? {} : bearer(token)),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const type = answer.headers.get('content-type') ?? '';
  const left = streams === 'leave' && type.startsWith('text/event-stream');
  if (left) await answer.body?.cancel();
  return { status: answer.status, text: left ? '' : await answer.text(), type };
}
