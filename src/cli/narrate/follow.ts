/** A run followed until it ends, or stands still. */

import { timedOut, type Client, type FeedStatus, type RunEvent, type Suspension } from '../client/index.js';
import { ExitCode } from '../client/exit-codes.js';
import type { Session } from '../session/session.js';

/** Where a run has come to. `response`: its answer, when it has one. */
export type Standstill =
  | { is: 'done'; code: string; detail: string | null; response: string | null; seq: number }
  | { is: 'waiting'; pending: Suspension[]; seq: number };

export type FollowOptions = {
  /** The last event that was seen. */
  after?: number;
  /** `finish`: pauses are waited through. `standstill`: a pause that holds ends it. */
  until: 'finish' | 'standstill';
  onEvent: (event: RunEvent) => Promise<void>;
};

/** Comes back through cuts and restarts of the server, and tells of them on stderr. */
export async function follow(
  session: Session,
  client: Client,
  run: string,
  { after = -1, until, onEvent }: FollowOptions,
): Promise<Standstill> {
  const options = { after, retry: 'once-connected', onStatus: tellCuts(session) } as const;
  for await (const { data: event } of client.followRun(run, options)) {
    await onEvent(event);
    if (event.type === 'run_finish') return ended(event);
    if (event.type === 'run_waiting' && until === 'standstill' && (await holds(client, event))) {
      return { is: 'waiting', pending: event.data.pending as Suspension[], seq: event.seq };
    }
  }
  throw timedOut('the stream of the run is over'); // A feed ends by throwing: this is for the compiler.
}

/** Nothing has followed the pause: the run stands there now. */
const holds = async (client: Client, { run_id, seq }: RunEvent): Promise<boolean> =>
  (await client.events(run_id, { after: seq, limit: 1 })).items.length === 0;

function ended({ data, seq }: RunEvent): Standstill {
  const { code, detail } = data.termination as { code: string; detail: string | null };
  const response = (data.result as { response: string } | null)?.response ?? null;
  return { is: 'done', code, detail, response, seq };
}

/** Says once that the connection is gone, and once that it is back. */
export function tellCuts(session: Session): (status: FeedStatus) => void {
  let cut = false;
  return (status) => {
    if (status.is === 'retrying' && !cut) {
      cut = true;
      void session.say(`${status.error.message}; trying again`);
    } else if (status.is === 'connected' && cut) {
      cut = false;
      void session.say('connected again');
    }
  };
}

/** Ends that a definition or a caller asked for: the run has what it was started for. */
const AS_MEANT = ['natural', 'tool_called', 'content_matched'];

export function exitCodeOf(standstill: Standstill): ExitCode {
  if (standstill.is === 'waiting') return ExitCode.runWaits;
  return AS_MEANT.includes(standstill.code) ? ExitCode.ok : ExitCode.runFailed;
}
