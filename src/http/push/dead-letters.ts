/** Push notifications that were given up: `GET /v1/push/dead-letters`, and sending one again. */

import { z } from 'zod';
import type { PushDeadLetter } from '../../actors/index.js';
import { runStatuses } from '../../actors/records.js';
import { pageOf, time } from '../answers.js';
import { AuditAction } from '../../actors/audit/action.js';
import { does } from '../audit/reading.js';
import type { Services } from '../services.js';
import { json, route, type Route } from '../openapi/route.js';
import { pagingQuery } from '../paging.js';
import { parseQuery } from '../query.js';
import { Scope } from '../scopes.js';

const text = z.string();

const deadLetter = z
  .object({
    id: text,
    run_id: text,
    thread_id: text,
    agent_id: text,
    resource_id: text.nullable(),
    config_id: text,
    receiver: text.nullable().describe('scheme and host; null when the configuration was gone'),
    status: z.enum(runStatuses).describe('of the run, as it would have been told'),
    seq: z.int().describe('the event that it is about'),
    attempts: z.int(),
    last_error: text.nullable(),
    created_at: time,
    died_at: time,
  })
  .meta({ id: 'PushDeadLetter' }) satisfies z.ZodType<PushDeadLetter>;

const accepted = z.object({ run_id: text }).meta({ id: 'PushRetryAccepted' });

export function pushRoutes({ engine }: Services): Route[] {
  const common = { tag: 'operator', scopes: [Scope.operator] } as const;
  return [
    route({
      ...common,
      method: 'get',
      path: '/v1/push/dead-letters',
      id: 'listPushDeadLetters',
      summary: 'Push notifications that were given up, the oldest first',
      query: pagingQuery,
      answers: { 200: json(pageOf(deadLetter), 'a page of dead letters') },
      async handle(ctx) {
        const cut = parseQuery(pagingQuery, ctx);
        const list = engine(ctx.state.principal);
        ctx.body = await list.list<'push_dead_letters'>({ kind: 'push_dead_letters', ...cut });
      },
    }),
    route({
      ...common,
      method: 'post',
      path: '/v1/push/dead-letters/{dead_letter_id}/retry',
      id: 'retryPushDeadLetter',
      audit: does(AuditAction.pushRetry),
      summary: 'Sends a notification again that was given up',
      reach: 'process',
      answers: { 202: json(accepted, 'it is on its way') },
      refusals: [404],
      async handle(ctx) {
        const dead_letter_id = (ctx.params as { dead_letter_id: string }).dead_letter_id;
        ctx.status = 202;
        const { principal } = ctx.state;
        ctx.body = await engine(principal).deliver({ type: 'retry_push', dead_letter_id }, principal);
      },
    }),
  ];
}
