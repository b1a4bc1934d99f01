/**
 * Keeps secrets out of what people look at: operator views and logs.
 *
 * Callers may rely on: what comes out is a copy, the input is not touched; the value of a key that names a secret
 * (`api_key`, `Authorization`, `dbPassword` …) is `[redacted]`, whatever it is; a text that contains a secret this process
 * was told of (`keepSecret`) has `[redacted]` in its place, wherever it stands. A secret under a harmless name that nobody
 * told of cannot be known, and is shown.
 */

import type { JsonValue } from './json.js';

const REDACTED = '[redacted]';

/** Words that name a secret, in any spelling: `apiKey`, `API-KEY`, `x_api_key`. */
const SECRET_KEY =
  /(^|_)(api_?key|access_?key|private_?key|secret_?key|authorization|auth|password|passwd|passphrase|pwd|secrets?|tokens?|cookies?|credentials?|session_?id|bearer|jwt|signature)$/;
/** What counts tokens of a model is none. */
const HARMLESS = /(^|_)(input|output|total|max|min|prompt|completion|cached|reasoning|max_output|budget)_tokens?$/;

/** Shorter ones would be found in innocent words. */
const MIN_LENGTH = 8;
const known = new Set<string>();

/** From now on this text is shown to nobody. Short ones cannot be told from words and are ignored. */
export function keepSecret(text: string | undefined): void {
  if (text !== undefined && text.trim().length >= MIN_LENGTH) known.add(text.trim());
}

/** `clientSecret` → `client_secret`. */
const spelled = (key: string): string =>
  key
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase();

/** Keys are few and come again and again. */
const asked = new Map<string, boolean>();
const REMEMBERED = 1024;

/** Whether a key of this name holds a secret. */
export function isSecretKey(key: string): boolean {
  let is = asked.get(key);
  if (is === undefined) {
    const name = spelled(key);
    is = SECRET_KEY.test(name) && !HARMLESS.test(name);
    if (asked.size >= REMEMBERED) asked.clear();
    asked.set(key, is);
  }
  return is;
}

/** A text without the secrets that are known. */
export function redactText(text: string): string {
  let shown = text;
  for (const secret of known) if (shown.includes(secret)) shown = shown.replaceAll(secret, REDACTED);
  return shown;
}

/** A copy of a JSON value without secrets. */
export function redact(value: JsonValue): JsonValue {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(redact);
  const copy: { [key: string]: JsonValue } = {};
  for (const key of Object.keys(value)) put(copy, key, isSecretKey(key) ? hidden(value[key]!) : redact(value[key]!));
  return copy;
}

/** That there is nothing is no secret. */
const hidden = (value: JsonValue): JsonValue => (value === null || value === '' ? value : REDACTED);

/** Also a key that means something to an object: arguments come from a model. */
function put(copy: { [key: string]: JsonValue }, key: string, value: JsonValue): void {
  if (key === '__proto__') Object.defineProperty(copy, key, { value, enumerable: true });
  else copy[redactText(key)] = value;
}

/** The bounds of a preview: characters of one text, entries of one level, levels, and texts and entries in all. */
const PREVIEW = { chars: 200, entries: 16, levels: 4, parts: 48 };
/** A longer text is cut before it is looked through. */
const LOOKED_AT = 4096;

/** A small copy for lists and feeds, without secrets: long texts, long lists and deep nesting are cut, with a mark. */
export function preview(value: JsonValue): JsonValue {
  return part(value, PREVIEW.levels, { left: PREVIEW.parts });
}

function part(value: JsonValue, levels: number, room: { left: number }): JsonValue {
  room.left -= 1;
  if (typeof value === 'string') return shorten(redactText(value.slice(0, LOOKED_AT)));
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return '…';
  const entries = Object.keys(value);
  const fits = entries.slice(0, PREVIEW.entries);
  if (Array.isArray(value)) {
    const shown: JsonValue[] = [];
    for (let i = 0; i < fits.length && room.left > 0; i++) shown.push(part(value[i]!, levels - 1, room));
    return shown.length < value.length ? [...shown, '…'] : shown;
  }
  const copy: { [key: string]: JsonValue } = {};
  let shown = 0;
  for (const key of fits) {
    if (room.left <= 0) break;
    shown += 1;
    const inner = value[key]!;
    put(copy, shorten(key), isSecretKey(key) ? hidden(inner) : part(inner, levels - 1, room));
  }
  if (shown < entries.length) copy['…'] = entries.length - shown;
  return copy;
}

const shorten = (text: string): string => (text.length > PREVIEW.chars ? `${text.slice(0, PREVIEW.chars)}…` : text);
