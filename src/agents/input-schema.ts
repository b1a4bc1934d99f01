/**
 * A tool's input, given as a zod schema or as JSON Schema, as the two things a tool needs of it: the JSON Schema that
 * models are shown, and a validator whose errors a model can act on.
 *
 * Zod also parses (defaults, transforms): the tool gets zod's output. JSON Schema only checks: the tool gets the
 * arguments as they came. A schema that cannot work (not an object at its root, not representable, not valid) is
 * refused here, when the tool is defined, never at the first call.
 */

import { Ajv, type ErrorObject, type Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { z } from 'zod';
import type { JsonObject } from '../json.js';
import type { Tool } from './types.js';

export type InputSchema = { parameters: JsonObject; validate: Tool['validate'] };

/** Problems named in one answer: enough to mend a call, few enough to read. */
const MAX_PROBLEMS = 5;

/** Throws a plain `Error` saying what is wrong with the schema. */
export function inputSchema(input: unknown): InputSchema {
  if (isZod(input)) return fromZod(input);
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new Error('input must be a zod 4 schema or a JSON Schema object');
  }
  if ('_def' in input) throw new Error('input is a schema of zod 3; zod 4 is needed');
  return fromJsonSchema(input as JsonObject);
}

const isZod = (input: unknown): input is z.core.$ZodType =>
  typeof input === 'object' && input !== null && '_zod' in input;

function fromZod(schema: z.core.$ZodType): InputSchema {
  const { $schema: _, ...parameters } = z.toJSONSchema(schema, { io: 'input', target: 'draft-7' });
  requireObject(parameters);
  return {
    parameters: parameters as JsonObject,
    validate(args) {
      const parsed = z.safeParse(schema, args);
      if (parsed.success) return { ok: true, value: parsed.data };
      return { ok: false, error: sentence(parsed.error.issues.map(({ path, message }) => at(path, message))) };
    },
  };
}

function fromJsonSchema({ $schema, ...parameters }: JsonObject): InputSchema {
  requireObject(parameters);
  // A new instance each: it would keep every schema it has ever compiled.
  const ajv = typeof $schema === 'string' && /draft\/20(19|20)/.test($schema) ? new Ajv2020(options) : new Ajv(options);
  const valid = ajv.compile(parameters);
  return {
    parameters,
    validate(args) {
      if (valid(args)) return { ok: true, value: args };
      return { ok: false, error: sentence((valid.errors ?? []).map(explain)) };
    },
  };
}

/** Schemas come from people, other servers and browsers: words the validator does not know are none of its business. */
const options: Options = { strict: false, validateFormats: false, allErrors: true, logger: false };

/** Every provider wants an object at the root. */
function requireObject(schema: { type?: unknown }): void {
  if (schema.type !== 'object') throw new Error('input must describe an object (JSON Schema "type": "object")');
}

function explain({ instancePath, keyword, params, message = 'is invalid' }: ErrorObject): string {
  const path = instancePath.split('/').slice(1).map(unescape);
  if (keyword === 'additionalProperties')
    return at([...path, String(params.additionalProperty)], 'is not a known property');
  if (keyword === 'required') return at([...path, String(params.missingProperty)], 'is required');
  if (keyword === 'enum') return at(path, `must be one of ${JSON.stringify(params.allowedValues)}`);
  return at(path, message);
}

const unescape = (segment: string): string => segment.replaceAll('~1', '/').replaceAll('~0', '~');

const at = (path: readonly PropertyKey[], message: string): string =>
  path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`;

function sentence(problems: string[]): string {
  const shown = problems.slice(0, MAX_PROBLEMS).join('; ');
  return problems.length > MAX_PROBLEMS ? `${shown}; and ${problems.length - MAX_PROBLEMS} more` : shown;
}
