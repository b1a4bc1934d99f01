/**
 * Bad requests, made from the document: each takes an operation and does something to it that a client should not. The
 * same number gives the same request.
 */

import { random, type Random } from '../../chaos/random.js';
import type { Operation, Schema } from '../operations.js';
import { brokenBodies, contentTypes, jsonTexts, one, texts } from './values.js';

export type BadRequest = { name: string; method: string; url: string; headers: [string, string][]; body?: Buffer };

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'PURGE'];
const ACCEPTS = [
  'text/event-stream',
  'application/json',
  '*/*',
  'image/png',
  'text/html;q=0',
  '',
  ';;;',
  'a/b,'.repeat(200),
];

type Draft = { method: string; path: string; query: [string, string][]; headers: [string, string][]; body?: Buffer };
type Harm = (draft: Draft, operation: Operation, r: Random) => void;

/** Percent-encodes what may not stand in a request line; a percent sign stays, so that broken escapes are sent too. */
const raw = (text: string): string =>
  [...Buffer.from(text)]
    .map((byte) =>
      /[\w.~*'()%$:;,@!-]/.test(String.fromCharCode(byte))
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).padStart(2, '0')}`,
    )
    .join('');

const harms: readonly (readonly [weight: number, harm: Harm])[] = [
  [2, (draft, _operation, r) => void (draft.method = one(r, METHODS))],
  [3, (draft, _operation, r) => void (draft.path = draft.path.replace(/nobody/, () => raw(one(r, texts))))],
  [
    1,
    (draft, _operation, r) =>
      void (draft.path += one(r, ['/', '//', '/x', '%2f', ';a=b', '/..', '?', '#x', ':cancel', '\\'])),
  ],
  [4, (draft, operation, r) => addQuery(draft, operation, r)],
  [2, (draft, _operation, r) => void draft.headers.push([one(r, headerNames), visible(one(r, texts))])],
  [1, (draft, _operation, r) => void draft.headers.push(['accept', one(r, ACCEPTS)])],
  [1, (draft, _operation, r) => void (draft.body = one(r, brokenBodies))],
  [1, (draft, _operation, r) => setType(draft, one(r, contentTypes))],
  [
    1,
    (draft, _operation, r) =>
      void draft.headers.push(['content-encoding', one(r, ['gzip', 'br', 'deflate', 'x', 'identity'])]),
  ],
  [2, (draft, _operation, r) => void (draft.body = Buffer.from(one(r, jsonTexts)))],
  [9, (draft, { body }, r) => void (draft.body = Buffer.from(bodyFor(body, r)))],
];

const headerNames = [
  'last-event-id',
  'idempotency-key',
  'x-request-id',
  'prefer',
  'if-none-match',
  'origin',
  'authorization',
  'x-http-method-override',
  'x-forwarded-host',
  'range',
  'cookie',
];

/** Header values are bytes without control characters: the others would be no HTTP, which is another test. */
const visible = (text: string): string =>
  Buffer.from(text.replace(/[\p{Cc}]/gu, ' '))
    .toString('latin1')
    .slice(0, 2_000);

function setType(draft: Draft, type: string): void {
  draft.headers = [...draft.headers.filter(([name]) => name !== 'content-type'), ['content-type', type]];
  draft.body ??= Buffer.from('{}');
}

function addQuery(draft: Draft, { parameters }: Operation, r: Random): void {
  const known = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
  const name = known.length > 0 && r.chance(0.9) ? one(r, known) : one(r, texts);
  const value = one(r, texts);
  draft.query.push([r.chance(0.1) ? `${name}[]` : name, value]);
  if (r.chance(0.2)) draft.query.push([name, one(r, texts)]);
}

/** A body with the fields of the schema, most of them as they should be, some of them not. */
function bodyFor(schema: Schema | undefined, r: Random): string {
  const fields = Object.entries(schema?.properties ?? { x: {} }).filter(([name]) => r.chance(0.3) || isNeeded(name));
  const parts = fields.map(
    ([name, inner]) => `${JSON.stringify(name)}:${r.chance(0.25) ? one(r, jsonTexts) : valueFor(inner, r)}`,
  );
  if (r.chance(0.15)) parts.push(`"__proto__":${one(r, jsonTexts)}`);
  if (r.chance(0.1)) parts.push(parts[0] ?? '"a":1');
  return `{${parts.join(',')}}`;
}

/** Without these a request is refused before anything else of it is looked at. */
const isNeeded = (name: string): boolean => /^(agentId|messages|threadId|runId|id)$/.test(name);

function valueFor({ type, enum: words, items, properties, anyOf }: Schema, r: Random): string {
  if (r.chance(0.1)) return JSON.stringify(one(r, texts));
  if (words) return JSON.stringify(one(r, words));
  if (anyOf) return valueFor(one(r, anyOf), r);
  const kind = Array.isArray(type) ? one(r, type) : type;
  if (kind === 'array') return `[${Array.from({ length: r.between(0, 2) }, () => valueFor(items ?? {}, r)).join(',')}]`;
  if (kind === 'object' && properties) return bodyFor({ properties }, r);
  if (kind === 'object') return one(r, ['{}', '{"a":1}', '{"title":null}', '{"__proto__":{"polluted":true}}']);
  if (kind === 'integer' || kind === 'number')
    return one(r, ['0', '1', '-1', '1e999', '0.5', '"1"', '9007199254740993']);
  if (kind === 'boolean') return one(r, ['true', 'false']);
  if (kind === 'null') return 'null';
  return JSON.stringify(one(r, ['echo', 'x', 'user', 'pool-1', 'pool-2', 'pool-3']));
}

/** Request number `n` of a seed: an operation, harmed at least once. */
export function badRequest(operations: readonly Operation[], seed: number, n: number): BadRequest {
  const r = random('bad input', seed, n);
  const operation = one(r, operations);
  const { method, path, body } = operation;
  const agent = (text: string): string => text.replace('{agent_id}', r.chance(0.9) ? 'echo' : 'nobody');
  const draft: Draft = {
    method,
    path: agent(path).replace(/\{[a-z_]+\}/g, () => (r.chance(0.5) ? `pool-${r.between(1, 3)}` : 'nobody')),
    query: [],
    headers: body ? [['content-type', 'application/json']] : [],
    ...(body ? { body: Buffer.from(bodyFor(body, r)) } : {}),
  };
  for (let harm = r.between(1, 3); harm > 0; harm--) r.pick(harms)(draft, operation, r);
  const query = draft.query.map(([name, value]) => `${raw(name)}=${raw(value)}`).join('&');
  const url = draft.path.replace(/ /g, '%20') + (query === '' ? '' : `?${query}`);
  return { name: `seed ${seed}, request ${n}: ${draft.method} ${url.slice(0, 200)}`, ...draft, url };
}

/** The request as it goes over the wire. */
export function bytesOf({ method, url, headers, body }: BadRequest): Buffer {
  const lines = [
    `${method} ${url} HTTP/1.1`,
    'host: localhost',
    'connection: close',
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(body ? [`content-length: ${body.length}`] : []),
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body ?? Buffer.alloc(0)]);
}
