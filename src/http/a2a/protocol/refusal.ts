/**
 * What a client of the official protocol is told of a failure. The protocol has errors of its own for what it defines;
 * what it does not (this server is full, stopping, at fault) keeps the status and the words it has everywhere
 * (CONTRACT 0.1), inside the protocol's form.
 */

import {
  A2AError,
  ContentTypeNotSupportedError,
  RequestMalformedError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import { AgentServerError, ErrorCode } from '../../../errors.js';
import { answerOf, HttpRefusal } from '../../errors.js';

export type Refusal = {
  /** For the codecs of the protocol. */
  error: Error;
  /** The HTTP status, where the protocol has no say in it. */
  status: number | null;
  headers: Record<string, string>;
  /** It is ours, and worth a line in the log. */
  fault: boolean;
  /** What was thrown. */
  cause: unknown;
};

const asProtocol: Partial<Record<ErrorCode, (message: string) => A2AError>> = {
  [ErrorCode.badRequest]: (message) => new RequestMalformedError(message),
  [ErrorCode.runNotFound]: (message) => new TaskNotFoundError(message),
  [ErrorCode.threadNotFound]: (message) => new TaskNotFoundError(message),
  [ErrorCode.runNotActive]: (message) => new UnsupportedOperationError(message),
  [ErrorCode.conflict]: (message) => new UnsupportedOperationError(message),
  [ErrorCode.eventsExpired]: (message) => new UnsupportedOperationError(message),
};

/** Maps anything that was thrown. */
export function refusalOf(thrown: unknown): Refusal {
  const error = protocolError(thrown);
  if (error) return { error, status: null, headers: {}, fault: false, cause: thrown };
  const { message, ...rest } = answerOf(thrown);
  return { error: new Error(message), ...rest, cause: thrown };
}

function protocolError(thrown: unknown): Error | undefined {
  if (thrown instanceof A2AError) return thrown;
  if (thrown instanceof AgentServerError) return asProtocol[thrown.code]?.(thrown.message);
  if (thrown instanceof HttpRefusal && thrown.status === 415) return new ContentTypeNotSupportedError(thrown.message);
  return undefined;
}
