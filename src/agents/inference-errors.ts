/**
 * What went wrong at a provider, as the one error the run machine decides on.
 *
 * Retryable is what may be different next time: no connection, a broken stream, an answer that is not what the protocol
 * promises, 408, 409, 429 and 5xx. Not retryable is what is refused for what it is: bad request, bad key, unknown
 * model, a setting that is missing here. The text is meant for the run's `error` event: it names the status and the
 * provider's own sentence without our keys, never a URL, a header or a stack.
 */

import {
  AISDKError,
  APICallError,
  InvalidArgumentError,
  InvalidPromptError,
  LoadAPIKeyError,
  LoadSettingError,
  NoSuchModelError,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider';
import { redactText } from '../redact.js';
import { InferenceError } from './model-call.js';

/** Providers answer with whole HTML pages at times; an event does not need them. */
const MAX_MESSAGE = 1_000;

/** Maps anything a provider threw or sent as an `error` part. Keeps the original as `cause`. */
export function toInferenceError(error: unknown, now: number = Date.now()): InferenceError {
  if (error instanceof InferenceError) return error;
  const text = redactText(describe(error)).slice(0, MAX_MESSAGE);
  if (APICallError.isInstance(error)) {
    const status = error.statusCode;
    const message = status === undefined ? text : `the model provider answered ${status}: ${text}`;
    const wait = retryAfter(error.responseHeaders, now) ?? retryDelay(error.responseBody);
    return new InferenceError(message, error.isRetryable, wait, { cause: error });
  }
  return new InferenceError(`the model call failed: ${text}`, !isFinal(error), null, { cause: error });
}

/** Faults on our side of the wire: the same call would fail the same way. */
function isFinal(error: unknown): boolean {
  if (!AISDKError.isInstance(error)) return false;
  return (
    LoadAPIKeyError.isInstance(error) ||
    LoadSettingError.isInstance(error) ||
    NoSuchModelError.isInstance(error) ||
    InvalidArgumentError.isInstance(error) ||
    InvalidPromptError.isInstance(error) ||
    UnsupportedFunctionalityError.isInstance(error)
  );
}

/** `error` parts of a stream are whatever the provider sent: an Error, a string, `{message}`, or anything else. */
function describe(error: unknown): string {
  if (typeof error === 'string') return error;
  if (typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string') {
    return error.message === '' && error instanceof Error ? error.name : error.message;
  }
  try {
    return JSON.stringify(error) ?? String(error);
  } catch {
    return 'unknown error';
  }
}

/** `retry-after-ms`, else `retry-after` in seconds or as an HTTP date; null when there is none that makes sense. */
export function retryAfter(headers: Record<string, string> | undefined, now: number): number | null {
  const ms = headers?.['retry-after-ms'];
  if (ms !== undefined && Number(ms) >= 0) return Math.round(Number(ms));
  const value = headers?.['retry-after']?.trim();
  if (!value) return null;
  const wait = Number.isNaN(Number(value)) ? Date.parse(value) - now : Number(value) * 1000;
  return Number.isFinite(wait) ? Math.max(0, Math.round(wait)) : null;
}

/** Google asks for patience in the body: `"retryDelay": "34.07s"`. */
function retryDelay(body: string | undefined): number | null {
  const seconds = /"retryDelay":\s*"(\d{1,7}(?:\.\d+)?)s"/.exec(body ?? '')?.[1];
  return seconds === undefined ? null : Math.round(Number(seconds) * 1000);
}
