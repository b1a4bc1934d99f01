/**
 * Any value as plain JSON, or why it is not JSON. Pure.
 *
 * What comes out is a copy made of JSON values only, so it can be stored, sent and compared. Like `JSON.stringify`:
 * undefined properties vanish, `toJSON` is honoured, NaN is null. Unlike it: what would be lost without a word
 * (functions, symbols, Maps, Sets) is refused, and `undefined` itself is null.
 */

import type { JsonValue } from '../json.js';

export type ToJson = { ok: true; value: JsonValue } | { ok: false; error: string };

/** `error` completes a sentence: "… holds a function at "name", which is not JSON". */
export function toJson(value: unknown): ToJson {
  if (value === undefined || value === null) return { ok: true, value: null };
  if (typeof value === 'string' || typeof value === 'boolean') return { ok: true, value };
  try {
    const text = JSON.stringify(value, refuseLosses);
    return { ok: true, value: text === undefined ? null : (JSON.parse(text) as JsonValue) };
  } catch (error) {
    return { ok: false, error: error instanceof Refused ? error.message : explain(error) };
  }
}

class Refused extends Error {}

function refuseLosses(key: string, value: unknown): unknown {
  const lost = lossy(value);
  if (lost) throw new Refused(`holds ${lost}${key === '' ? '' : ` at "${key}"`}, which is not JSON`);
  return value;
}

function lossy(value: unknown): string | undefined {
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'symbol') return 'a symbol';
  if (typeof value === 'bigint') return 'a BigInt';
  if (value instanceof Map) return 'a Map';
  if (value instanceof Set) return 'a Set';
  return undefined;
}

/** What `JSON.stringify` itself throws: a cycle, too deep a nesting, or a `toJSON` that fails. */
function explain(error: unknown): string {
  if (error instanceof RangeError) return 'nests too deep for JSON';
  const message = error instanceof Error ? error.message : String(error);
  return message.includes('circular') ? 'refers to itself, which JSON cannot' : `is not JSON: ${message}`;
}
