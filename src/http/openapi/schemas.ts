/**
 * From zod to the JSON Schemas of the document (2020-12, the dialect of OpenAPI 3.1).
 *
 * Schemas with a name (`.meta({ id })`) become components, once each; everything else stands where it is used. Bodies are
 * described as what clients may send (`input`), answers as what they get (`output`).
 */

import { z } from 'zod';
import type { JsonObject, JsonValue } from '../../json.js';

const PLACE = '#/components/schemas/';

export class Components {
  readonly #schemas = new Map<string, JsonObject>();

  /** The schema as it stands in the document. Throws when two schemas claim one name. */
  use(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
    const made = z.toJSONSchema(schema, { io, unrepresentable: shapeOf });
    const { $defs = {}, $schema: _, ...root } = moved(JSON.parse(JSON.stringify(made))) as Made;
    for (const [name, { id: _, ...definition }] of Object.entries($defs)) this.#add(name, definition);
    return root;
  }

  /** All named schemas, by name. */
  get all(): JsonObject {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #add(name: string, schema: JsonObject): void {
    const known = this.#schemas.get(name);
    if (known && JSON.stringify(known) !== JSON.stringify(schema)) throw new Error(`two schemas are named ${name}`);
    this.#schemas.set(name, schema);
  }
}

type Made = JsonObject & { $defs?: Record<string, JsonObject>; $schema?: JsonValue };

/** A schema that only code can check says in its metadata what it looks like. */
function shapeOf({ zodSchema }: { zodSchema: z.core.$ZodType }): JsonObject | undefined {
  return z.globalRegistry.get(zodSchema) as JsonObject | undefined;
}

/** References into the document instead of into the schema itself. */
function moved(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(moved);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) =>
      key === '$ref' && typeof inner === 'string' ? [key, inner.replace('#/$defs/', PLACE)] : [key, moved(inner)],
    ),
  );
}
