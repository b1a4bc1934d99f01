/**
 * Everything that ends a command early: one family, told apart by the exit code it leads to.
 *
 * The message is one line for a person. `hint` is what to do about it, when there is something.
 */

import { ExitCode } from './exit-codes.js';

export class CliError extends Error {
  override readonly name = 'CliError';
  /** Status of the server's answer, when it gave one. */
  readonly status: number | undefined;
  readonly hint: string | undefined;

  constructor(
    readonly exitCode: ExitCode,
    message: string,
    options: ErrorOptions & { status?: number; hint?: string } = {},
  ) {
    super(message, options);
    this.status = options.status;
    this.hint = options.hint;
  }
}

/** The command line asks for what cannot be. Nothing was done. */
export const usage = (message: string, hint?: string): CliError =>
  new CliError(ExitCode.usage, message, hint === undefined ? {} : { hint });

export const notFound = (message: string): CliError => new CliError(ExitCode.notFound, message);

export const conflict = (message: string, hint?: string): CliError =>
  new CliError(ExitCode.conflict, message, hint === undefined ? {} : { hint });

export const interrupted = (): CliError => new CliError(ExitCode.interrupted, 'interrupted');

export const timedOut = (what: string): CliError => new CliError(ExitCode.timeout, `timed out: ${what}`);

/** What an answer other than 2xx means (CONTRACT 0.1, 0.2). */
export function refusal(status: number, message: string): CliError {
  return new CliError(exitCodeOf(status, message), message, { status, ...hintFor(status) });
}

function exitCodeOf(status: number, message: string): ExitCode {
  if (status === 401 || status === 403 || status === 421) return ExitCode.notAllowed;
  if (status === 404 || status === 410) return ExitCode.notFound;
  if (status === 409 || / is not active$/.test(message)) return ExitCode.conflict;
  if (/not initialised$/.test(message) || status === 502 || status === 504) return ExitCode.unreachable;
  return status >= 400 && status < 500 && status !== 429 ? ExitCode.usage : ExitCode.failed;
}

function hintFor(status: number): { hint?: string } {
  if (status === 401) return { hint: 'give a token: --token, AGENT_SERVER_TOKEN or `agent-server context set`' };
  if (status === 429 || status === 503) return { hint: 'try again in a moment' };
  return {};
}

/** Nobody answered at this URL. */
export function unreachable(url: string, cause: unknown): CliError {
  return new CliError(ExitCode.unreachable, `cannot reach ${url}: ${reasonOf(cause)}`, { cause });
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the name cannot be looked up now',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the network',
  ETIMEDOUT: 'no answer',
  EPROTO: 'TLS could not be agreed on; is it http:// there?',
};

/** A fault may stand for those of several addresses. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, message, cause } = error as NodeJS.ErrnoException;
  if (code !== undefined && code in REASONS) return REASONS[code]!;
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  return cause === undefined ? message : reasonOf(cause);
}
