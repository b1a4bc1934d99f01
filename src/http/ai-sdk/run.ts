/**
 * `POST /v1/ai-sdk/agents/:agent_id/runs`: what `useChat` posts (spec, Chat-SDK v6; protocols 7).
 *
 * The answer is a UI message stream: of a new run, or of what follows the answers that the request brings. Only answers
 * that name the active run are answered 202, without a stream. A client that goes away stops nothing unless it, or the
 * agent, asked for that (CONTRACT 1.8).
 */

import { agentNotFound } from '../../errors.js';
import type { JsonValue } from '../../json.js';
import { bodyHash } from '../body-hash.js';
import type { Handler } from '../context.js';
import type { Services } from '../services.js';
import { requestIds } from '../idempotency.js';
import { cancelOnDisconnect } from '../run-stream.js';
import { answerTo } from './answer.js';
import { agentIdOf } from './path.js';
import { readChatRequest } from './request.js';
import { openResponse } from './response.js';

export function postRun(services: Services): Handler {
  return async function postChatRun(ctx) {
    const engine = services.engine(ctx.state.principal);
    const agent_id = agentIdOf(ctx);
    const agent = services.agents.get(agent_id);
    if (!agent) throw agentNotFound(agent_id);
    const ids = requestIds(ctx);
    const chat = readChatRequest(ctx.request.body, Date.now(), ids?.decision_id);
    services.sse.assertRoom(ctx.state.caller);

    const { principal } = ctx.state;
    const hash = bodyHash({ surface: 'ai_sdk', agent_id, body: ctx.request.body as JsonValue }, principal.id);
    const answer = await answerTo(engine, { agent_id, chat, hash, ids, principal });
    if (answer.is === 'forwarded') {
      ctx.status = 202;
      ctx.body = { status: 'decision_forwarded', threadId: chat.thread_id };
      return;
    }
    const { run_id, begin } = answer;
    const stops = answer.is === 'stream' && (chat.on_disconnect ?? agent.on_disconnect) === 'cancel';
    await openResponse(ctx, services, engine, {
      run_id,
      begin,
      ...(stops ? { onAbandoned: cancelOnDisconnect(engine, run_id, services) } : {}),
    });
  };
}
