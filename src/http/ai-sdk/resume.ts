/**
 * `GET /v1/ai-sdk/agents/:agent_id/chats/:chat_id/stream` and its older path with `runs`: the message that is being
 * streamed on a thread, whole, from its `start`, then live (protocols 7.4). Any number of clients may read it.
 *
 * 204 when nothing of this agent is streaming: also while the run waits for an answer, since the history has it then.
 */

import { agentNotFound } from '../../errors.js';
import type { Engine } from '../../actors/engine.js';
import type { RunRecord } from '../../actors/records.js';
import { isRunOf } from '../agent-of-run.js';
import type { Handler } from '../context.js';
import type { Services } from '../services.js';
import { agentIdOf, chatIdOf } from './path.js';
import { framePositionOf } from '../frame-position.js';
import { openResponse } from './response.js';

export function resumeStream(services: Services): Handler {
  return async function getChatStream(ctx) {
    const engine = services.engine(ctx.state.principal);
    const agent_id = agentIdOf(ctx);
    const chat_id = chatIdOf(ctx);
    const seen = framePositionOf(ctx);
    if (!services.agents.get(agent_id)) throw agentNotFound(agent_id);
    services.sse.assertRoom(ctx.state.caller);

    const run = await streamingRun(engine, chat_id, agent_id);
    if (!run) return void (ctx.status = 204);
    await openResponse(ctx, services, engine, { run_id: run.run_id, begin: seen ? { seen } : { whole: true } });
  };
}

async function streamingRun(engine: Engine, thread_id: string, agent_id: string): Promise<RunRecord | undefined> {
  const thread = await engine.read({ kind: 'thread', thread_id });
  if (thread?.status !== 'running' || thread.active_run_id === null) return undefined;
  const run = await engine.read({ kind: 'run', run_id: thread.active_run_id });
  return run && (await isRunOf(engine, run, agent_id)) ? run : undefined;
}
