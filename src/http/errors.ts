/**
 * What a client is told of a failure: the one place where an error becomes a status and a body (CONTRACT 0.1).
 *
 * Callers may rely on: every body is `{"error": "<message>"}`; a fault of ours says no more than `internal error` (the
 * log has the rest, tied by the request id); nothing here throws.
 */

import { AgentServerError, ErrorCode } from '../errors.js';

/** An error as it goes on the wire. `fault`: it is ours, and worth a line in the log. */
export type ErrorAnswer = { status: number; message: string; headers: Record<string, string>; fault: boolean };

/** Seconds after which a refused request is worth repeating. */
const RETRY_AFTER = { 'retry-after': '1' };

const statusOf: Readonly<Record<ErrorCode, number>> = {
  [ErrorCode.badRequest]: 400,
  [ErrorCode.runNotActive]: 400,
  [ErrorCode.forbidden]: 403,
  [ErrorCode.agentNotFound]: 404,
  [ErrorCode.runNotFound]: 404,
  [ErrorCode.threadNotFound]: 404,
  [ErrorCode.entryNotFound]: 404,
  [ErrorCode.conflict]: 409,
  [ErrorCode.eventsExpired]: 410,
  [ErrorCode.tooMany]: 429,
  [ErrorCode.storageUnavailable]: 503,
  [ErrorCode.notInitialised]: 500,
  [ErrorCode.internal]: 500,
};

/** A refusal that concerns HTTP itself and has no code of its own: 401, 403, 404 of a route, 405, 413, 415, 421 … */
export class HttpRefusal extends Error {
  override readonly name = 'HttpRefusal';
  constructor(
    readonly status: number,
    message: string,
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
  }
}

/** The body of every error. */
export const errorBody = (message: string): string => JSON.stringify({ error: message });

/** Maps anything that was thrown to what the client is told. */
export function answerOf(error: unknown): ErrorAnswer {
  if (error instanceof HttpRefusal) {
    return { status: error.status, message: error.message, headers: error.headers, fault: false };
  }
  if (!(error instanceof AgentServerError) || error.code === ErrorCode.internal) {
    return { status: 500, message: 'internal error', headers: {}, fault: true };
  }
  const status = statusOf[error.code];
  return {
    status,
    message: error.message,
    headers: status === 429 || status === 503 ? RETRY_AFTER : {},
    fault: status === 503,
  };
}
