/**
 * The parameters of queries: one schema each, which validates, types and documents it (CONTRACT 0.3, 0.4).
 *
 * Callers may rely on: a parameter that is given more than once is a 400; so is a value that does not fit, naming what
 * would. All of them may be left out. Parameters that no schema names are ignored.
 */

import { z } from 'zod';
import { badRequest } from '../errors.js';
import type { JsonObject } from '../json.js';
import type { Ctx } from './context.js';
import { idFault } from './validation.js';

/** What the document says of a parameter: its JSON Schema, with a `description`. */
const shapes = z.registry<JsonObject>();

/** How a parameter is documented. Throws for a schema that is no parameter. */
export function shapeOf(parameter: z.ZodType): JsonObject {
  const shape = shapes.get(parameter);
  if (!shape) throw new Error('a parameter of a query is made by query.ts');
  return shape;
}

type Refuse = (message: string) => never;

/** A parameter: `read` gets the text, undefined when it is absent. */
function parameter<T>(shape: JsonObject, read: (text: string | undefined, refuse: Refuse) => T) {
  return z
    .union([z.string(), z.array(z.string())])
    .optional()
    .transform((given, context): T => {
      const refuse = (message: string): never => {
        context.addIssue({ code: 'custom', message });
        return z.NEVER;
      };
      return Array.isArray(given) ? refuse('given more than once') : read(given, refuse);
    })
    .register(shapes, shape);
}

const INTEGER = /^-?\d+$/;

function integer(text: string | undefined, refuse: Refuse): number | undefined {
  if (text === undefined) return undefined;
  const number = INTEGER.test(text) ? Number(text) : NaN;
  return Number.isSafeInteger(number) ? number : refuse('expected an integer');
}

/** Turns what a parameter reads into something else. */
function mapped<T, U>(inner: z.ZodType<T>, map: (value: T) => U) {
  return inner.transform(map).register(shapes, shapeOf(inner));
}

const about = (description: string | undefined): JsonObject => (description === undefined ? {} : { description });

/** Parameters of a query, each as a schema that reads and documents it. */
export const query = {
  mapped,

  /** An integer, or undefined when it is absent. */
  integer: (description?: string) => parameter({ type: 'integer', ...about(description) }, integer),

  /** An integer of a range, both ends included, or undefined when it is absent. */
  within: ({ least, most }: { least: number; most: number }, description?: string) =>
    parameter({ type: 'integer', minimum: least, maximum: most, ...about(description) }, (text, refuse) => {
      const number = integer(text, refuse);
      return number === undefined || (number >= least && number <= most)
        ? number
        : refuse(`expected an integer from ${least} to ${most}`);
    }),

  /** An id, or undefined when it is absent or blank. */
  id: (description?: string) =>
    parameter({ type: 'string', maxLength: 256, ...about(description) }, (text, refuse) => {
      const id = text?.trim();
      if (!id) return undefined;
      const fault = idFault(id);
      return fault === undefined ? id : refuse(fault);
    }),

  /** Any text, as it is; undefined when it is absent. */
  text: (description?: string) => parameter({ type: 'string', ...about(description) }, (text) => text),

  /** One of the allowed words, or undefined when it is absent. */
  word: <T extends string>(allowed: readonly T[], description?: string) =>
    parameter({ type: 'string', enum: [...allowed], ...about(description) }, (text, refuse) =>
      text === undefined
        ? undefined
        : (allowed.find((word) => word === text) ?? refuse(`expected one of ${allowed.join(', ')}`)),
    ),

  /** Some of the allowed words, separated by commas, or undefined when it is absent. */
  words: <T extends string>(allowed: readonly T[], description?: string) =>
    parameter(
      { type: 'string', ...about(description ?? `Of ${allowed.join(', ')}; several separated by commas.`) },
      (text, refuse) =>
        text
          ?.split(',')
          .map(
            (part) => allowed.find((word) => word === part.trim()) ?? refuse(`expected one of ${allowed.join(', ')}`),
          ),
    ),

  /** `offset`: 0 when absent. */
  offset: () =>
    parameter({ type: 'integer', minimum: 0, default: 0 }, (text, refuse) => {
      const offset = integer(text, refuse) ?? 0;
      return offset < 0 ? refuse('must not be negative') : offset;
    }),

  /** `limit`: clamped to 1..=200, 50 when absent. An integer is clamped also when no number can hold it. */
  limit: () =>
    parameter({ type: 'integer', default: 50, description: 'Clamped to 1..=200.' }, (text, refuse) => {
      const limit = text !== undefined && INTEGER.test(text) ? Number(text) : (integer(text, refuse) ?? 50);
      return Math.min(Math.max(limit, 1), 200);
    }),

  /** `order`: `asc` when absent. */
  order: () =>
    parameter({ type: 'string', enum: ['asc', 'desc'], default: 'asc' }, (text, refuse): 'asc' | 'desc' => {
      if (text === undefined) return 'asc';
      return text === 'asc' || text === 'desc' ? text : refuse('expected one of asc, desc');
    }),
};

/** Reads the query of a request. Throws `bad_request` naming the parameter and what is wrong with it. */
export function parseQuery<T extends z.ZodObject>(schema: T, ctx: Pick<Ctx, 'query'>): z.output<T> {
  const parsed = schema.safeParse(ctx.query);
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0]!;
  throw badRequest(`${String(path[0])}: ${message}`);
}
