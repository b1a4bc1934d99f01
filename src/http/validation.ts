/**
 * Reading what a client sent: bodies through zod schemas, ids of paths by hand (`query.ts` reads queries).
 *
 * Callers may rely on: everything that is wrong is a 400 `bad request: <json path>: <what is wrong>` naming the first
 * fault (CONTRACT 0.1); ids come out trimmed and well formed (CONTRACT 0.4). Nothing here does I/O.
 */

import { z } from 'zod';
import { badRequest } from '../errors.js';
import { isObject } from '../json.js';

/** Nesting beyond this is refused: recursive writers of JSON further in would overflow the stack. */
const MAX_DEPTH = 100;

const ID_LENGTH = 256;
const UNFIT_FOR_IDS = /[\p{Cc}\p{Cs}]/u;

/** What is wrong with a trimmed, non-empty id, if anything (CONTRACT 0.4). Characters are counted as code points. */
export function idFault(id: string): string | undefined {
  if (UNFIT_FOR_IDS.test(id)) return 'must not contain control characters';
  if (id.length > ID_LENGTH && [...id].length > ID_LENGTH) return `must be at most ${ID_LENGTH} characters`;
  return undefined;
}

/** An optional id: trimmed, and absent when blank or null (CONTRACT 0.4). */
export const optionalId = z
  .string()
  .nullish()
  .transform((text) => text?.trim() || undefined)
  .superRefine((id, context) => {
    const fault = id === undefined ? undefined : idFault(id);
    if (fault) context.addIssue({ code: 'custom', message: fault });
  });

/** An id that must be there. */
export const requiredId = z
  .string()
  .trim()
  .superRefine((id, context) => {
    const fault = id === '' ? 'cannot be empty' : idFault(id);
    if (fault) context.addIssue({ code: 'custom', message: fault });
  });

/** A JSON object whose content is nobody's business here. */
export const jsonObject = z
  .custom<Record<string, unknown>>(isObject, { message: 'expected an object' })
  .register(z.globalRegistry, { type: 'object' });

/** Reads a body. Throws `bad_request` naming the JSON path of the first fault. */
export function parseBody<T extends z.ZodType>(schema: T, body: unknown): z.output<T> {
  if (!isObject(body)) throw badRequest('body: expected an object');
  if (deeperThan(body, MAX_DEPTH)) throw badRequest(`body: nested deeper than ${MAX_DEPTH} levels`);
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0]!;
  throw badRequest(`${jsonPath(path)}: ${message}`);
}

/** `messages[0].role`; `body` for the root. */
function jsonPath(path: readonly PropertyKey[]): string {
  const text = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  return text.replace(/^\./, '') || 'body';
}

/** Whether a JSON value has more than `limit` levels. Not recursive: the value is what must not be trusted. */
function deeperThan(value: object, limit: number): boolean {
  let level: object[] = [value];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > limit) return true;
    const below: object[] = [];
    for (const node of level) {
      for (const child of Object.values(node)) if (typeof child === 'object' && child !== null) below.push(child);
    }
    level = below;
  }
  return false;
}

/** An id out of a path segment, still percent-encoded. Throws `bad_request`. */
export function pathId(name: string, segment: string): string {
  let id: string;
  try {
    id = decodeURIComponent(segment).trim();
  } catch {
    throw badRequest(`${name}: malformed percent-encoding`);
  }
  const fault = id === '' ? 'cannot be empty' : idFault(id);
  if (fault) throw badRequest(`${name}: ${fault}`);
  return id;
}
