/** `GET /v1/actors`: the live actors, and one of them in full (CONTRACT 9.1). */

import { z } from 'zod';
import { anyJson, pageOf, time } from '../answers.js';
import type { Handler } from '../context.js';
import type { Services } from '../services.js';
import { HttpRefusal } from '../errors.js';
import { paging } from '../paging.js';
import { parseQuery, query } from '../query.js';
import { machineNames } from '../../actors/machines/catalogue.js';
import { actorKinds, filterOf, filters } from './actor-filter.js';
import { segment } from './segment.js';

const text = z.string();
const path = z.array(text);

const item = {
  id: text.describe('`thread:<thread id>`, `run:<run id>`, `tool_call:<run id>:<call id>`'),
  kind: z.enum(actorKinds),
  machine: z.enum(machineNames),
  value: anyJson.describe('the state, as XState writes it'),
  path: path.describe('the state as a path: `["running", "acting"]`'),
  since: time,
  parent_id: text.nullable(),
  thread_id: text,
  run_id: text.nullable(),
  agent_id: text.nullable(),
  queued: z.int().describe('entries that wait in the mailbox of the thread'),
  memory: z.enum(['live', 'passivated']),
  tool: z
    .object({
      name: text,
      arguments: anyJson,
      progress: z.number().nullable(),
      message: text.nullable(),
      attempts: z.int().describe('how often it was begun: more than once behind a crash, a question or a `retry`'),
    })
    .nullable()
    .describe('the tool call; of a run the oldest that is open; arguments are a preview'),
  waiting_for: z
    .object({ kind: z.enum(['approval', 'frontend', 'input', 'in_doubt']), message: text, tool_call_ids: path })
    .nullable(),
  created_at: time,
};

export const actorItem = z.object(item).meta({ id: 'Actor' });

export const actorDetail = z
  .object({
    ...item,
    context: anyJson.describe('without secrets; null when only the record is left'),
    machine_version: z.int(),
    enabled_events: z.array(z.object({ event: text, target: path.nullable(), guards: path })),
    deadlines: z.array(z.object({ id: text, src: text, due: time })),
    effects: z.array(z.object({ id: text, src: text, state: z.enum(['running', 'waiting']) })),
    transitions: z.array(z.object({ at: time, event: text, from: path, to: path })),
    late_outcomes: z
      .array(
        z.object({
          at: time,
          tool_call_id: text,
          name: text,
          outcome: text.describe('`succeeded`, `failed`, or what else a call can come to'),
          result: anyJson,
          error: text.nullable(),
        }),
      )
      .describe('what tool calls came to after they had been closed: oldest first, the newest 200'),
    parent_run_id: text.nullable(),
    children: path.describe('ids of runs'),
  })
  .meta({ id: 'ActorDetail' });

export const actorPage = pageOf(actorItem);
export const actorsQuery = z.object({ ...filters, order: query.order(), ...paging });

export function listActors({ engine }: Services): Handler {
  return async function getActors(ctx) {
    const { order, offset, limit, ...filter } = parseQuery(actorsQuery, ctx);
    const inspection = engine(ctx.state.principal).inspect();
    ctx.body = await inspection.actors({ ...filterOf(filter), order, offset, limit });
  };
}

export function getActor({ engine }: Services): Handler {
  return async function getOneActor(ctx) {
    const id = segment(ctx, 3, 'actor id');
    const actor = await engine(ctx.state.principal).inspect().actor(id);
    if (!actor) throw new HttpRefusal(404, `actor not found: ${id}`);
    ctx.body = actor;
  };
}
