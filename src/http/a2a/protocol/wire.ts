/** What the routes of the protocol share, whatever its notation: a call for an agent, and the way a refusal leaves. */

import { RequestMalformedError } from '@a2a-js/sdk/errors';
import { z } from 'zod';
import { agentNotFound } from '../../../errors.js';
import type { Agent } from '../../../agents/types.js';
import type { JsonObject } from '../../../json.js';
import type { Ctx } from '../../context.js';
import type { Services } from '../../services.js';
import { parseBody } from '../../validation.js';
import { deploymentOf, type Features } from '../discovery.js';
import { agentIdOf } from '../path.js';
import { AgentTasks } from './handler.js';
import type { Refusal } from './refusal.js';

export type Wire = { services: Services; features: Features };

/** The tasks of the agent that the path names. Throws `agent_not_found`. */
export function tasksFor(ctx: Ctx, { services, features }: Wire): AgentTasks {
  const agent_id = agentIdOf(ctx);
  const agent: Agent | undefined = services.agents.get(agent_id);
  if (!agent) throw agentNotFound(agent_id);
  return new AgentTasks(services, agent, deploymentOf(ctx, features));
}

/** The body, which is an object and not nested beyond measure. Throws `bad_request`. */
export const objectIn = (ctx: Ctx): JsonObject => parseBody(z.looseObject({}), ctx.request.body) as JsonObject;

/** Reads a part of a request with the SDK's codecs, which take anything and fail where it does not fit. */
export function decode<T>(read: () => T): T {
  try {
    return read();
  } catch {
    throw new RequestMalformedError('the request is malformed');
  }
}

/** Writes the headers and the log line of a refusal; `status` and the body are the notation's. */
export function tell(ctx: Ctx, { logger }: Services, { fault, headers, cause }: Refusal, status: number): void {
  if (fault) logger.error({ err: cause, request_id: ctx.state.request_id, path: ctx.path }, 'A2A call failed');
  ctx.set(headers);
  ctx.status = status;
}
