/**
 * The closed family of errors that cross a folder boundary.
 *
 * Callers may rely on `code`: it is stable, each code has one HTTP status (`http/errors.ts` maps them), and tests assert
 * codes, never prose. Any other exception that reaches the door is an internal fault: 500 without a word of detail.
 */

export const ErrorCode = {
  /** The request can never succeed as it is written. 400 */
  badRequest: 'bad_request',
  /** The command needs an active run and this one has ended. 400, text sent bare. */
  runNotActive: 'run_not_active',
  /** The caller may not do this, whatever the state of the server. 403 */
  forbidden: 'forbidden',
  /** No agent of that id is configured. 404 */
  agentNotFound: 'agent_not_found',
  /** No run of that id was ever accepted. 404 */
  runNotFound: 'run_not_found',
  /** No thread of that id exists. 404 */
  threadNotFound: 'thread_not_found',
  /** No mailbox entry of that id exists. 404 */
  entryNotFound: 'entry_not_found',
  /** The state of the server refuses this request now; another one may pass. 409 */
  conflict: 'conflict',
  /** The events were removed by retention; records and histories stay. 410 */
  eventsExpired: 'events_expired',
  /** A bound of this thread or caller is reached; try later. 429 */
  tooMany: 'too_many',
  /** The disk refuses writes, or too much is uncommitted: nothing was accepted. 503 */
  storageUnavailable: 'storage_unavailable',
  /** The runtime has not started or is stopping. 500 on run routes (spec, convention 5). */
  notInitialised: 'not_initialised',
  /** A fault of ours. 500 */
  internal: 'internal',
} as const;

export type ErrorCode = (typeof ErrorCode)[keyof typeof ErrorCode];

export class AgentServerError extends Error {
  override readonly name = 'AgentServerError';
  constructor(
    readonly code: ErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Whether something that was thrown is the refusal of this code. */
export const hasCode = (thrown: unknown, code: ErrorCode): thrown is AgentServerError =>
  thrown instanceof AgentServerError && thrown.code === code;

/** The request is refused for good: `bad request: <detail>`. */
export const badRequest = (detail: string): AgentServerError =>
  new AgentServerError(ErrorCode.badRequest, `bad request: ${detail}`);

/** Nothing was started: no agent has this id (CONTRACT 0.2). */
export const agentNotFound = (id: string): AgentServerError =>
  new AgentServerError(ErrorCode.agentNotFound, `agent not found: ${id}`);

/** Nothing was changed: no run has this id (CONTRACT 0.2). */
export const runNotFound = (id: string): AgentServerError =>
  new AgentServerError(ErrorCode.runNotFound, `run not found: ${id}`);

/** Nothing was changed: no thread has this id (CONTRACT 0.2). */
export const threadNotFound = (id: string): AgentServerError =>
  new AgentServerError(ErrorCode.threadNotFound, `thread not found: ${id}`);

/** Nothing is left to be read: retention has removed the events of this run (CONTRACT 1.7). */
export const eventsExpired = (): AgentServerError => new AgentServerError(ErrorCode.eventsExpired, 'events expired');

/** Nothing was changed: the run is done (CONTRACT 0.2, sent bare). */
export const runNotActive = (): AgentServerError => new AgentServerError(ErrorCode.runNotActive, 'run is not active');

/** Nothing was accepted: the runtime has not started, or it is stopping (CONTRACT 0.8). */
export const notInitialised = (): AgentServerError =>
  new AgentServerError(ErrorCode.notInitialised, 'run service is not initialised');

/** Nothing was accepted: the store cannot take writes at the moment (CONTRACT 0.10). */
export const storageUnavailable = (cause?: unknown): AgentServerError =>
  new AgentServerError(ErrorCode.storageUnavailable, 'storage unavailable', { cause });
