/**
 * The guard around routes that change things on behalf of people: each use leaves a record, also one that is refused.
 *
 * The record is durable before the answer goes out. A store that takes no writes has refused the action as well; then the
 * log has the record, and the answer is what it would have been. While the engine is not open nothing can be done, and
 * nothing is recorded.
 */

import type { Logger } from 'pino';
import type { AuditEntry } from '../../actors/inspection.js';
import type { Ctx, Middleware } from '../context.js';
import { answerOf } from '../errors.js';
import type { Service } from '../service-state.js';
import { AuditAction } from './action.js';
import { reasonInBody, reasonInHeader } from './reason.js';
import { decisionsOf, targetOf } from './target.js';

export type AuditPort = { service: Pick<Service, 'engine'>; logger: Logger };

/** @param path the route's, as OpenAPI writes it. */
export function audited(action: AuditAction, path: string, port: AuditPort): Middleware {
  return async function recordAction(ctx, next) {
    const reason = reasonInHeader(ctx);
    try {
      await next();
    } catch (error) {
      await record(ctx, answerOf(error).status, reason);
      throw error;
    }
    await record(ctx, ctx.status, reason);
  };

  async function record(ctx: Ctx, status: number, reason: string | null): Promise<void> {
    const { body } = ctx.request;
    // Inputs and starts without decisions are the daily work of clients.
    if (action === AuditAction.decide && decisionsOf(body).length === 0) return;
    const entry: AuditEntry = {
      at: Date.now(),
      principal: ctx.state.principal.id,
      action,
      target: targetOf(ctx, path, body),
      reason: reason ?? reasonInBody(body),
      status,
      request_id: ctx.state.request_id,
    };
    try {
      await port.service.engine().inspect().record(entry);
    } catch (error) {
      port.logger.error({ err: error, audit: entry }, 'an action could not be recorded');
    }
  }
}
