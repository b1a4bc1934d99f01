/**
 * The guard around routes that change things on behalf of people: each use leaves a record, also one that is refused.
 *
 * What is done is recorded by the commit that does it (`actors/audit/trail.ts`), so no crash leaves an action without its
 * record; the guard gives the principal the trail that asks for this. What was refused has changed nothing and is recorded
 * here, before the answer goes out. A store that takes no writes has refused the action as well; then the log has the
 * record, and the answer is what it would have been. While the service is not open nothing can be done, and nothing is
 * recorded; of what was refused at that moment the log has a line.
 */

import type { Logger } from 'pino';
import type { Inspection } from '../../actors/inspection.js';
import { newTrail, type Trail } from '../../actors/audit/trail.js';
import type { Ctx, Middleware } from '../context.js';
import { answerOf } from '../errors.js';
import type { Service } from '../service-state.js';
import type { Reading } from './reading.js';
import { reasonInBody, reasonInHeader } from './reason.js';
import { pathTarget } from './target.js';

export type AuditPort = { service: Pick<Service, 'is' | 'engine'>; logger: Logger };

/** @param route its path as OpenAPI writes it, and the status of what goes well. */
export function audited(reading: Reading, route: { path: string; status: number }, port: AuditPort): Middleware {
  return async function recordAction(ctx, next) {
    const { principal, request_id } = ctx.state;
    const told = reasonInHeader(ctx);
    const reason = (): string | null => told ?? reasonInBody(ctx.request.body);
    const trail = newTrail({ request_id, reason, status: route.status });
    ctx.state.principal = { ...principal, trail };
    try {
      await next();
    } catch (error) {
      await settle(ctx, trail, answerOf(error).status);
      throw error;
    }
    await settle(ctx, trail, ctx.state.refused ?? ctx.status);
  };

  /** Leaves records as they ought to be, now that the answer is known. */
  async function settle(ctx: Ctx, trail: Trail, status: number): Promise<void> {
    for (const record of trail.records)
      if (record.status !== status) await write({ ...record, status }, (inspection, it) => inspection.amend(it));
    if (trail.records.length > 0) return;
    const attempt = trail.attempt ?? (status >= 400 ? read(ctx, trail) : undefined);
    if (!attempt) return;
    // Who comes too late is shown what has become of it, and was refused all the same.
    const refused = status < 400 && trail.refusal !== undefined ? answerOf(trail.refusal).status : status;
    const entry = { at: Date.now(), ...attempt, status: refused };
    if (port.service.is === 'ready') await write(entry, (inspection, it) => inspection.record(it));
    else port.logger.info({ audit: entry }, 'refused while the service is not open');
  }

  /** What a request was about that was refused before it came to be a command. */
  function read(ctx: Ctx, { request_id, reason }: Trail): NonNullable<Trail['attempt']> | undefined {
    const found = reading(ctx.request.body);
    return (
      found && {
        principal: ctx.state.principal.id,
        action: found.action,
        target: { ...pathTarget(ctx, route.path), ...found.target },
        reason: reason(),
        request_id,
      }
    );
  }

  async function write<T>(record: T, how: (inspection: Inspection, record: T) => Promise<unknown>): Promise<void> {
    try {
      await how(port.service.engine().inspect(), record);
    } catch (error) {
      port.logger.error({ err: error, audit: record }, 'an action could not be recorded');
    }
  }
}
