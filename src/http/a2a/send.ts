/**
 * `POST /v1/a2a/agents/:agent_id/message:send` (spec, A2A; CONTRACT-PROTOCOLS 8.1).
 *
 * Decisions alone are forwarded to the task, which must be active; those it has taken before are acknowledged again.
 * Anything else is a submission: a new task, or one that continues the task it names (`parent_run_id`) on its thread.
 * Both are answered 202 as soon as they are durable. Under an `Idempotency-Key` a repetition submits nothing new.
 */

import type { Engine, Principal } from '../../actors/engine.js';
import { RunOrigin, type RunRecord } from '../../actors/records.js';
import { agentNotFound, badRequest, ErrorCode, hasCode } from '../../errors.js';
import type { JsonObject } from '../../json.js';
import type { Ctx, Handler } from '../context.js';
import type { Services } from '../services.js';
import { HttpRefusal } from '../errors.js';
import { requestIds, type RequestIds } from '../idempotency.js';
import { nameRun } from '../run-stream.js';
import { readDecisions, type StartPayload } from '../runs/start-payload.js';
import { startOrAttach } from '../runs/start.js';
import { actionOf, agentIdOf } from './path.js';
import { readSent, type Sent } from './send-payload.js';
import { taskRun } from './tasks.js';

export function sendMessage({ engine: open, agents }: Pick<Services, 'engine' | 'agents'>): Handler {
  return async function postMessageSend(ctx) {
    const { principal } = ctx.state;
    const engine = open(principal);
    if (actionOf(ctx) !== 'message:send') throw badRequest("unsupported A2A action; expected 'message:send'");
    const agent_id = agentIdOf(ctx);
    if (!agents.get(agent_id)) throw agentNotFound(agent_id);
    const sent = readSent(ctx.request.body);
    const ids = requestIds(ctx);
    const decidesOnly = sent.decisions.length > 0 && sent.messages.length === 0;
    if (decidesOnly && sent.task_id === undefined) throw badRequest('taskId: required when only decisions are sent');

    const task = sent.task_id === undefined ? undefined : await taskRun(engine, agent_id, sent.task_id);
    if (task && decidesOnly) {
      await forward(engine, task, sent, ids, principal);
      return accept(ctx, task, 'decision_forwarded');
    }
    mustBeOnThread(task, sent.context_id);
    accept(ctx, await submit(engine, startOf(agent_id, sent, task, ids), principal), 'submitted');
  };
}

function accept(ctx: Ctx, { thread_id, run_id }: RunRecord, status: 'submitted' | 'decision_forwarded'): void {
  nameRun(ctx, { run_id, thread_id });
  ctx.status = 202;
  ctx.body = { contextId: thread_id, taskId: run_id, status };
}

async function forward(
  engine: Engine,
  { run_id }: RunRecord,
  { decisions }: Sent,
  ids: RequestIds | undefined,
  principal: Principal,
): Promise<void> {
  try {
    await engine.deliver({ type: 'decide', run_id, decisions: readDecisions(decisions, ids) }, principal);
  } catch (error) {
    throw inTermsOfTasks(error);
  }
}

/** A run that is not active is a task that is not active (sent bare, as the interface shows it). */
export const inTermsOfTasks = (error: unknown): unknown =>
  hasCode(error, ErrorCode.runNotActive) ? new HttpRefusal(400, 'task is not active') : error;

function mustBeOnThread(task: RunRecord | undefined, context_id: string | undefined): void {
  if (task && context_id !== undefined && context_id !== task.thread_id)
    throw badRequest(`contextId: task ${task.run_id} is in another context`);
}

function startOf(agent_id: string, sent: Sent, task: RunRecord | undefined, ids: RequestIds | undefined): StartPayload {
  const { messages, decisions } = sent;
  const thread_id = sent.context_id ?? task?.thread_id;
  return {
    start: {
      agent_id,
      origin: RunOrigin.a2a,
      messages,
      on_busy: { default: 'enqueue' },
      ...(thread_id === undefined ? {} : { thread_id }),
      ...(task ? { parent_run_id: task.run_id } : {}),
      ...(ids ? { run_id: ids.run_id } : {}),
      ...(decisions.length > 0 ? { decisions: readDecisions(decisions, ids) } : {}),
    },
    on_disconnect: undefined,
    asked: { surface: 'a2a', agent_id, ...sent } as unknown as JsonObject,
  };
}

/** The task that the submission has begun, or, when it brought nothing but decisions that were new, has gone on with. */
async function submit(engine: Engine, payload: StartPayload, principal: Principal): Promise<RunRecord> {
  const { run, follows } = await startOrAttach(engine, payload, principal);
  return follows ?? run;
}
