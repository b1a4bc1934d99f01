/**
 * Whose run it is. A run belongs to the agent it was asked of, also after that one has handed it over, and to the one it
 * goes on as (CONTRACT 5.5): a client that talks to an agent finds its runs whatever has become of them.
 */

import type { Engine } from '../actors/engine.js';
import type { RunRecord } from '../actors/records.js';
import { ErrorCode, hasCode } from '../errors.js';

/** Whether the run is of this agent, by its record or by the beginning of its log. */
export async function isRunOf(
  engine: Engine,
  { run_id, agent_id: now }: RunRecord,
  agent_id: string,
): Promise<boolean> {
  return now === agent_id || (await firstAgent(engine, run_id)) === agent_id;
}

/** The agent that began the run; undefined while none has, and when the log is kept no longer. */
async function firstAgent(engine: Engine, run_id: string): Promise<string | undefined> {
  const reader = await engine.readEvents(run_id, -1).catch(unlessExpired);
  if (!reader) return undefined;
  try {
    const first = reader.caughtUp ? undefined : (await reader.next())?.chunk.events[0];
    return first?.[0] === 'run_start' ? first[2].agent_id : undefined;
  } finally {
    reader.close();
  }
}

function unlessExpired(error: unknown): undefined {
  if (hasCode(error, ErrorCode.eventsExpired)) return undefined;
  throw error;
}
