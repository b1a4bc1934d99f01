/**
 * What can go wrong between here and a remote, as what is to be done about it.
 *
 * - `away`: nobody answered, the connection broke, 408, 429, 5xx. The remote may be back soon.
 * - `gone`: it does not know the task.
 * - `closed`: the task has ended, so there is nothing to follow or to stop: its record tells the rest.
 * - `refused`: it will say the same again.
 */

import {
  A2AError,
  isJsonRpcError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';

export type Fault = {
  is: 'away' | 'gone' | 'closed' | 'refused';
  why: string;
  retry_after_ms: number | null;
  /** Whatever was sent has not been taken in. */
  untold: boolean;
};

/** The remote is not to be reached now. Made by the fetch of a link; its text names no address. */
export class Away extends Error {
  override readonly name = 'Away';
  readonly retry_after_ms: number | null;
  readonly untold: boolean;
  constructor(
    message: string,
    {
      retry_after_ms = null,
      untold = false,
      ...options
    }: Partial<Pick<Fault, 'retry_after_ms' | 'untold'>> & ErrorOptions = {},
  ) {
    super(message, options);
    this.retry_after_ms = retry_after_ms;
    this.untold = untold;
  }
}

/** The remote, or what stands where it should be, refuses for good. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/** JSON-RPC: the remote could not, for reasons of its own (starting, overloaded, a bug). */
const INTERNAL_ERROR = -32603;
const MAX_WHY = 1_000;

/** Reads whatever the client threw. */
export function faultOf(error: unknown): Fault {
  const fault = (is: Fault['is'], why: string): Fault => ({
    is,
    why: why.slice(0, MAX_WHY),
    retry_after_ms: null,
    untold: false,
  });
  if (error instanceof Away) {
    const { retry_after_ms, untold } = error;
    return { ...fault('away', error.message), retry_after_ms, untold };
  }
  if (error instanceof Refused) return fault('refused', error.message);
  const said = semantic(error);
  if (!said) return fault('away', error instanceof Error ? error.message : String(error));
  // The classes have one shape, so that only their names tell them apart.
  const kind: unknown = said;
  if (kind instanceof TaskNotFoundError) return fault('gone', 'the remote agent does not know the task any more');
  if (kind instanceof TaskNotCancelableError || kind instanceof UnsupportedOperationError)
    return fault('closed', said.message);
  if (isJsonRpcError(said) && said.envelopeCode === INTERNAL_ERROR) return fault('away', said.message);
  return fault('refused', `the remote agent refused: ${said.message}`);
}

/** The protocol's own error: thrown as it is, or the cause of one that came inside a stream. */
function semantic(error: unknown): A2AError | undefined {
  if (error instanceof A2AError) return error;
  return error instanceof Error && error.cause instanceof A2AError ? error.cause : undefined;
}
