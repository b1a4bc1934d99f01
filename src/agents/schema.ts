/**
 * What all parts of the configuration have in common: keys in snake_case or camelCase, unknown keys refused with the
 * nearest known one, problems as lines that name their path (CONTRACT 10.1).
 */

import { z } from 'zod';
import { ConfigError } from './config-error.js';
import { nearest } from './nearest.js';

/** The same keys in camelCase. */
export type CamelCase<T> = { [K in keyof T as K extends string ? Camel<K> : K]: T[K] };
type Camel<S extends string> = S extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : S;

/** An object of exactly these keys. Its keys may be written in camelCase. */
export function section<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.preprocess(snakeKeys, exactly(shape));
}

/**
 * One of several sections, told apart by what stands at `key`. Variants are given without that key, by its value.
 */
export function choice<const Key extends string, Variants extends Record<string, z.core.$ZodLooseShape>>(
  key: Key,
  variants: Variants,
): z.ZodType<Chosen<Key, Variants>> {
  const names = Object.keys(variants);
  const options = names.map((name) => exactly({ [key]: z.literal(name), ...variants[name] }));
  const union = z.discriminatedUnion(key, options as [(typeof options)[number]], {
    error: ({ code, input }) =>
      code === 'invalid_union' ? unknownWord((input as Record<string, unknown>)[key], names) : undefined,
  });
  return z.preprocess(snakeKeys, union) as unknown as z.ZodType<Chosen<Key, Variants>>;
}

type Chosen<Key extends string, Variants> = {
  [Name in keyof Variants]: Record<Key, Name> &
    (Variants[Name] extends z.core.$ZodLooseShape ? z.output<z.ZodObject<Variants[Name], z.core.$strict>> : never);
}[keyof Variants];

function exactly<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? unknownKeys(issue.keys, known) : undefined),
  });
}

function unknownWord(word: unknown, known: readonly string[]): string {
  const near = typeof word === 'string' ? nearest(word, known) : undefined;
  return near ? `unknown "${String(word)}", did you mean "${near}"?` : `must be one of ${known.join(', ')}`;
}

function unknownKeys(keys: readonly string[], known: readonly string[]): string {
  return keys
    .map((key) => {
      const near = nearest(key, known);
      return `unknown key "${key}"${near ? `, did you mean "${near}"?` : `; known keys are ${known.join(', ')}`}`;
    })
    .join('; ');
}

/**
 * `maxRounds` → `max_rounds`, at this level only. Anything but a plain object passes untouched; so does a key whose other
 * spelling is there too, to be refused as unknown.
 */
function snakeKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [snakeKey(key, value), item]));
}

function snakeKey(key: string, siblings: object): string {
  const snake = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.hasOwn(siblings, snake) ? key : snake;
}

/** Parses, or throws a `ConfigError` whose problems begin with `where` and the path of each fault. */
export function parse<Schema extends z.ZodType>(schema: Schema, value: unknown, where: string): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ConfigError(parsed.error.issues.map((issue) => problem(where, issue)));
}

function problem(where: string, { path, message }: z.core.$ZodIssue): string {
  const at = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  return `${(where + at).replace(/^\./, '') || 'configuration'}: ${message}`;
}
