/** `GET /v1/a2a/agents/:agent_id/tasks/:task_id` and its `:cancel` (spec, A2A; CONTRACT-PROTOCOLS 8.1). */

import { agentNotFound } from '../../errors.js';
import type { RunRecord } from '../../actors/records.js';
import type { Ctx, Handler } from '../context.js';
import type { Services } from '../services.js';
import { nameRun } from '../run-stream.js';
import { agentIdOf, taskIdToCancel, taskIdToRead } from './path.js';
import { inTermsOfTasks } from './send.js';
import { taskRun } from './tasks.js';
import { viewOf } from './task-view.js';

type Needs = Pick<Services, 'engine' | 'agents'>;

export function getTask(services: Needs): Handler {
  return async function getA2aTask(ctx) {
    const run = await taskOf(ctx, services, taskIdToRead(ctx));
    ctx.body = await viewOf(services.engine(ctx.state.principal), run);
  };
}

/** 202 while the task is active, queued ones too; else 400 `task is not active`. */
export function cancelTask(services: Needs): Handler {
  return async function postA2aCancel(ctx) {
    const run = await taskOf(ctx, services, taskIdToCancel(ctx));
    const { run_id } = run;
    nameRun(ctx, run);
    const { principal } = ctx.state;
    try {
      await services.engine(principal).deliver({ type: 'cancel', run_id }, principal);
    } catch (error) {
      throw inTermsOfTasks(error);
    }
    ctx.status = 202;
    ctx.body = { taskId: run_id, status: 'cancel_requested' };
  };
}

function taskOf(ctx: Ctx, { engine, agents }: Needs, task_id: string): Promise<RunRecord> {
  const agent_id = agentIdOf(ctx);
  if (!agents.get(agent_id)) throw agentNotFound(agent_id);
  return taskRun(engine(ctx.state.principal), agent_id, task_id);
}
