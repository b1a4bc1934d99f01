/**
 * A logger that writes no secrets: fields whose name says so and texts this process was told of (`redact.ts`) are replaced,
 * in plain fields and in errors with all they carry (a provider's error brings headers and bodies along). Messages are
 * sentences of ours and are written as they are.
 */

import { stdSerializers, type Logger } from 'pino';
import type { JsonObject, JsonValue } from './json.js';
import { redact } from './redact.js';

/** The same log, without secrets. */
export function discreet(logger: Logger): Logger {
  return logger.child({}, { formatters: { log: shownFields }, serializers: { err: shownError } });
}

const isError = (value: unknown): value is Error => value instanceof Error;

/** Errors are left to the serializer, which knows what is in them. */
function shownFields(fields: object): Record<string, unknown> {
  const errors = Object.entries(fields).filter(([, value]) => isError(value));
  const rest = Object.fromEntries(Object.entries(fields).filter(([, value]) => !isError(value)));
  return { ...(redact(asJson(rest)) as JsonObject), ...Object.fromEntries(errors) };
}

const shownError = (error: unknown): JsonValue => redact(asJson(isError(error) ? stdSerializers.err(error) : error));

/** What would be written; of something that cannot be, that it cannot. */
function asJson(value: unknown): JsonValue {
  try {
    return (JSON.parse(JSON.stringify(value) ?? 'null') ?? null) as JsonValue;
  } catch {
    return 'not JSON';
  }
}
