/** A stable hash of a request: equal for equal content, whatever the order of its keys (CONTRACT 1.10). */

import { createHash } from 'node:crypto';
import type { JsonValue } from '../json.js';

/** JSON with the keys of every object sorted; absent fields are left out. Recursive: the depth of bodies is bounded. */
export function canonicalJson(value: JsonValue | undefined): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const fields = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`);
  return `{${fields.join(',')}}`;
}

/** The same request by another caller is another request. */
export function bodyHash(asked: JsonValue, caller: string): string {
  return createHash('sha256').update(`${caller}\n`).update(canonicalJson(asked)).digest('hex');
}
