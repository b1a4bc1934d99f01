/** Whether an answer is one that the document promises: its status, its media type, its JSON, each event of its stream. */

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Services } from '../../src/http/services.js';
import { openApiDocument } from '../../src/http/openapi/document.js';
import { allRoutes } from '../../src/http/routes.js';

/** An answer as it went out. `body` may be cut off behind a limit when it is an event stream. */
export type GivenAnswer = { method: string; url: string; status: number; type: string; body: string };

type Operation = { responses: Record<string, { content?: Record<string, { schema: unknown }> }> };
type Found = { path: string; method: string; operation: Operation };

const service = { is: 'ready', engine: () => ({}) } as never;
const document = openApiDocument(allRoutes({ engine: () => ({}) } as unknown as Services, service), 'test');
const paths = document.paths as unknown as Record<string, Record<string, Operation>>;

const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false });
ajv.addSchema(document, 'document');
const compiled = new Map<string, ValidateFunction>();

/** How a request may be refused that no operation of the document is for. */
const NOWHERE = [400, 401, 403, 404, 405, 415, 421, 429, 501];

/** What is wrong with an answer; undefined when nothing is. */
export function faultOf({ method, url, status, type, body }: GivenAnswer): string | undefined {
  const name = `${method} ${url} answered ${status}`;
  const [path = '', query] = url.replace(/^http:\/\/[^/]*|#.*$/g, '').split('?');
  const known = candidates(path);
  const found = known.find((entry) => entry.method === (method === 'HEAD' ? 'get' : method.toLowerCase()));
  if (method === 'OPTIONS') return undefined;
  if (!found) {
    if (!NOWHERE.includes(status)) return `${name}: expected ${known.length > 0 ? 405 : 404}`;
    return method === 'HEAD' ? undefined : faultIn('#/components/schemas/Error', body, name);
  }
  const response = found.operation.responses[status];
  const place = `#/paths/${escaped(found.path)}/${found.method}/responses/${status}`;
  if (!response)
    return `${name}: ${found.method} ${found.path} documents ${Object.keys(found.operation.responses).join()}`;
  if (method === 'HEAD') return undefined;
  const media = type.split(';')[0]!.trim();
  if (!response.content)
    return body === '' ? undefined : `${name}: a body where none is documented: ${body.slice(0, 200)}`;
  if (!response.content[media])
    return `${name}: ${media || 'no media type'}, documented is ${Object.keys(response.content).join()}`;
  const schema = `${place}/content/${escaped(media)}/schema`;
  if (media === 'application/json') return faultIn(schema, body, name);
  // The formats of other surfaces have the schemas of those.
  if (media !== 'text/event-stream' || /^(?!canonical$)/.test(new URLSearchParams(query).get('format') ?? 'canonical'))
    return undefined;
  for (const event of eventsIn(body)) {
    const fault = faultIn(schema, event, `${name}, event`);
    if (fault) return fault;
  }
  return undefined;
}

function faultIn(schema: string, text: string, name: string): string | undefined {
  let check = compiled.get(schema);
  if (!check) compiled.set(schema, (check = ajv.compile({ $ref: `document${schema}` })));
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return `${name}: no JSON: ${text.slice(0, 200)}`;
  }
  return check(value) ? undefined : `${name}: ${ajv.errorsText(check.errors)} in ${text.slice(0, 500)}`;
}

/** The `data` of whole frames. The trailer of a chat stream is no event. */
const eventsIn = (stream: string): string[] =>
  stream
    .split('\n\n')
    .slice(0, -1)
    .flatMap((frame) => /^data: (.*)$/m.exec(frame)?.[1] ?? [])
    .filter((data) => data !== '[DONE]');

/** The operations of the paths that match, the most literal path first. */
const templates = Object.keys(paths)
  .map((path) => ({ path, literal: path.replace(/\{[a-z_]+\}/g, '').length, test: patternOf(path) }))
  .sort((a, b) => b.literal - a.literal);

const candidates = (pathname: string): Found[] =>
  templates
    .filter(({ test }) => test.test(pathname.replace(/(.)\/$/, '$1')))
    .flatMap(({ path }) => Object.entries(paths[path]!).map(([method, operation]) => ({ path, method, operation })));

function patternOf(path: string): RegExp {
  const literal = path.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  return new RegExp(`^${literal.replace(/\{[a-z_]+\}/g, '[^/]+')}$`, 'i');
}

/** As a JSON pointer in the fragment of a URI. */
const escaped = (text: string): string => encodeURIComponent(text.replace(/~/g, '~0').replace(/\//g, '~1'));
