/**
 * Performs one inference of a run whose agent lives elsewhere (`agents/remote`).
 *
 * What is sent is named after what caused it (thread, run, step), so asking again after a crash sends the same message;
 * and the task it became is noted in the run's row as soon as the remote has named it, so that it is found again, and so
 * that it is stopped when the run ends without it (`thread/recorder.ts`).
 */

import type { Agent } from '../../agents/types.js';
import { InferenceError, type HistoryMessage, type InferenceOutcome } from '../../agents/model-call.js';
import type { RemoteTask } from '../../agents/remote/types.js';
import { derivedId } from '../derived-id.js';
import { cellKey, runOf } from '../thread/apply.js';
import type { RemoteNote } from '../thread/cells.js';
import { NotWanted, type EffectContext } from '../thread/effects.js';
import type { Logger } from '../logger.js';
import type { ThreadHost } from '../thread/thread-host.js';
import type { RunContext } from '../machines/run.js';

export type RemoteDeps = {
  host: ThreadHost;
  idle_timeout_ms: number;
  logger: Logger;
};

export type RemoteQuestion = {
  agent: Agent;
  step: number;
  history: readonly HistoryMessage[];
  context: readonly string[];
};

/** Asks `agent.remote`. */
export async function askRemote(
  { agent, step, history, context }: RemoteQuestion,
  { address, signal, append }: EffectContext,
  { host, idle_timeout_ms, logger }: RemoteDeps,
): Promise<InferenceOutcome> {
  const { remote } = agent;
  if (!remote) throw new InferenceError(`agent "${agent.id}" is not a remote agent`, false);
  const rno = runOf(address.path);
  const { run_id, created_at } = host.cells.get(`r${rno}`)!;
  const noted = host.cells.get(`x${rno}`)?.remote;
  const { attempt, failures } = host.cells.get(cellKey(address.path))!.snapshot.context as RunContext;

  const note = async (task: RemoteTask): Promise<void> => {
    const isKept = await keep(host, address, { agent_id: agent.id, step, task });
    if (!isKept && !wasHalted(signal)) await remote.cancel(task);
  };
  return remote.ask({
    message_id: derivedId(run_id, String(created_at), String(step), 'a2a message'),
    conversation: conversationOf(host, agent),
    step,
    history,
    context,
    known: noted?.step === step && noted.agent_id === agent.id ? noted.task : null,
    // An attempt that failed here has said whether it sent anything; one that was lost has not.
    resumed: attempt > failures,
    idle_timeout_ms,
    signal,
    isUnwanted: () => !wasHalted(signal),
    append,
    begun: (task) =>
      void note(task).catch((error: unknown) => logger.warn({ err: error, run_id }, 'the task of a run was not noted')),
  });
}

/** Another server may have a thread of this name: the time of its creation tells them apart. */
function conversationOf(host: ThreadHost, agent: Agent): string {
  const { thread_id, created_at, next_cursor, message_count } = host.cells.get('thread')!;
  const cut = next_cursor - message_count;
  return derivedId(thread_id, String(created_at), String(cut), agent.id, 'a2a context');
}

/** False: the run has left this step meanwhile, so that nothing would ever read the note. */
const keep = (host: ThreadHost, { path, fx, token }: EffectContext['address'], remote: RemoteNote): Promise<boolean> =>
  host.request((draft) => {
    const isLive = draft.get(cellKey(path))?.fx[fx]?.token === token;
    if (isLive) draft.set(`x${runOf(path)}`, { ...draft.get(`x${runOf(path)}`), remote });
    return () => isLive;
  });

/** The server is stopping: the run will ask again. As against a run that wants no more. */
const wasHalted = ({ aborted, reason }: AbortSignal): boolean => aborted && !(reason instanceof NotWanted);
