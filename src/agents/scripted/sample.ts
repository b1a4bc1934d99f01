/**
 * The smallest value a JSON Schema plainly asks for: what a scripted model sends to a tool it has never seen. Pure.
 *
 * Covers what tool schemas are made of (objects, arrays, scalars, enum, const, default, first choice of anyOf/oneOf);
 * anything beyond that gives null, and the tool's own validation says what is missing.
 */

import type { LanguageModelV3FunctionTool } from '@ai-sdk/provider';
import type { JsonValue } from '../../json.js';

type Schema = LanguageModelV3FunctionTool['inputSchema'] | boolean | undefined;

/** `hint` is used for strings, so that the answer shows what was asked. */
export function sample(schema: Schema, hint: string, depth = 0): JsonValue {
  if (typeof schema !== 'object' || depth > 8) return null;
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0] as JsonValue;
  const choice = schema.anyOf?.[0] ?? schema.oneOf?.[0];
  if (choice !== undefined) return sample(choice, hint, depth + 1);
  switch (Array.isArray(schema.type) ? schema.type[0] : (schema.type ?? (schema.properties && 'object'))) {
    case 'object': {
      const wanted = schema.required ?? Object.keys(schema.properties ?? {});
      return Object.fromEntries(wanted.map((key) => [key, sample(schema.properties?.[key], hint, depth + 1)]));
    }
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () =>
        sample(Array.isArray(schema.items) ? schema.items[0] : schema.items, hint, depth + 1),
      );
    case 'string':
      return hint;
    case 'number':
    case 'integer':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    default:
      return null;
  }
}
