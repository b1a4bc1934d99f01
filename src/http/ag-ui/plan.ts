/**
 * What a request wants of its thread (CONTRACT-PROTOCOLS, the rule for decisions; 6.3; 1.11).
 *
 * - `forward`: it brings decisions and nothing else, and names the run that is active: they are forwarded.
 * - `join`: it brings decisions and nothing else, and all of them were made already, on the run that is active or on the last
 *   one, which has come to its natural end: nothing is left to decide. Its continuation is the answer, which the client may
 *   have lost; another run would end the one, and do the work of the other again.
 * - `attend`: it brings answers and nothing else, to what the active run does not ask (any more). They change nothing, and the
 *   client, which does not know how things stand, is shown that run.
 * - `start`: anything else. The engine resumes the active run when decisions match, else a run begins. Answers alone end no
 *   run: when the thread has gone on meanwhile the engine refuses them (`conflict`), and the request is planned anew.
 *
 * Reads, and changes nothing.
 */

import type { Engine, StartRequest, ThreadView } from '../../actors/engine.js';
import { RunOrigin, type Decision } from '../../actors/records.js';
import { badRequest, ErrorCode, hasCode } from '../../errors.js';
import { isRunOf } from '../agent-of-run.js';
import { answersOf, decisionsFor, questionFor } from './decisions.js';
import { newsOf } from './news.js';
import { overridesOf } from './overrides.js';
import type { RunAgentInput } from './request.js';
import { questionsOf, type Question } from './run-log.js';
import { tailOf } from './tail.js';

export type Plan =
  | { is: 'forward'; run_id: string; decisions: Decision[] }
  | { is: 'join'; run_id: string; after: number }
  | { is: 'attend'; run_id: string }
  | { is: 'start'; start: StartRequest; onlyAnswers: boolean };

/** Throws `bad_request` when the request says nothing on a thread that has nothing. */
export async function planRequest(engine: Engine, agent_id: string, input: RunAgentInput): Promise<Plan> {
  const thread = await engine.read({ kind: 'thread', thread_id: input.threadId });
  const tail = tailOf(input.messages);
  const news = thread ? await newsOf(engine, input.threadId, tail) : { inputs: tail.inputs, repeats: undefined };
  const answers = answersOf(input.decisions, input.resume, tail.results);

  const onlyAnswers = answers.length > 0 && news.inputs.length === 0;
  const active = thread?.active_run_id ?? null;
  const asker = active ?? (thread && onlyAnswers ? await endedLast(engine, input.threadId) : null);
  const questions = asker !== null && answers.length > 0 ? await questionsOf(engine, asker).catch(unlessExpired) : [];
  const decisions = decisionsFor(answers, questions, asker ?? '');
  if (asker !== null && onlyAnswers) {
    if (await isOurs(engine, active, agent_id, input)) return { is: 'forward', run_id: asker, decisions };
    const made = answers.flatMap((answer) => questionFor(answer, questions)?.answered ?? []);
    if (decisions.length === 0 && made.length > 0) return { is: 'join', run_id: asker, after: Math.min(...made) - 1 };
    if (decisions.length === 0 && active !== null) return { is: 'attend', run_id: active };
  }
  // Only a request that decides nothing asks for the same answer again.
  const again = answers.length === 0 ? news.repeats : undefined;
  if (again === undefined && news.inputs.length === 0) mustHaveMessages(thread);
  const start = startRequest(agent_id, input, { ...news, again, decisions, onlyAnswers });
  return { is: 'start', start, onlyAnswers };
}

/** The request names the active run, which is one of this surface and this agent (spec, AG-UI rules). */
async function isOurs(
  engine: Engine,
  active: string | null,
  agent_id: string,
  { runId }: RunAgentInput,
): Promise<boolean> {
  if (runId !== active) return false;
  const run = await engine.read({ kind: 'run', run_id: runId });
  return run?.origin === RunOrigin.agUi && (await isRunOf(engine, run, agent_id));
}

/**
 * The run that the thread's last message is of, if it has come to its natural end. After any other end a client that sends
 * what it has wants the thread to go on.
 */
async function endedLast(engine: Engine, thread_id: string): Promise<string | null> {
  const [last] = (await engine.read({ kind: 'messages', thread_id, order: 'desc', limit: 1 })) ?? [];
  const run = last?.run_id ? await engine.read({ kind: 'run', run_id: last.run_id }) : undefined;
  return run?.termination_code === 'natural' ? run.run_id : null;
}

/** Of a run whose events are gone nobody knows what it has asked. */
function unlessExpired(error: unknown): Question[] {
  if (hasCode(error, ErrorCode.eventsExpired)) return [];
  throw error;
}

function mustHaveMessages(thread: ThreadView | undefined): void {
  if (thread && thread.message_count > 0) return;
  throw badRequest('request must include user input or suspension decisions');
}

type What = {
  inputs: StartRequest['messages'];
  again: string | undefined;
  decisions: Decision[];
  onlyAnswers: boolean;
};

function startRequest(
  agent_id: string,
  input: RunAgentInput,
  { inputs, again, decisions, onlyAnswers }: What,
): StartRequest {
  const { threadId, parentRunId, parentThreadId, state, on_busy } = input;
  const overrides = overridesOf(input);
  return {
    agent_id,
    thread_id: threadId,
    origin: RunOrigin.agUi,
    messages: inputs,
    on_busy: onlyAnswers ? 'reject' : (on_busy ?? { default: 'interrupt' }),
    ...(parentRunId === undefined ? {} : { parent_run_id: parentRunId }),
    ...(parentThreadId === undefined ? {} : { parent_thread_id: parentThreadId }),
    ...(state && Object.keys(state).length > 0 ? { state } : {}),
    ...(decisions.length > 0 ? { decisions } : {}),
    ...(overrides ? { overrides } : {}),
    ...(again === undefined ? {} : { rewind: { message_id: again, keep: true } }),
  };
}
