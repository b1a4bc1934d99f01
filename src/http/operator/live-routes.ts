/** The routes that show what is going on: actors, machines, the feed, figures (CONTRACT 9.1). */

import type { Services } from '../services.js';
import { events, json, route, type Route } from '../openapi/route.js';
import { Scope } from '../scopes.js';
import { entryPage } from '../threads/schemas.js';
import { actorDetail, actorPage, actorsQuery, getActor, listActors } from './actors.js';
import { auditPage, auditQuery, listAudit } from './audit.js';
import { feedFrame } from './feed/frames.js';
import { watchActors } from './feed/route.js';
import { feedQuery } from './feed/wish.js';
import { listMailboxes, mailboxesQuery } from './mailboxes.js';
import { getMachine, listMachines, machineList, machineRecord } from './machines.js';
import { getStats, statsRecord } from './stats.js';

export function liveRoutes(services: Services): Route[] {
  const common = { tag: 'operator', method: 'get', scopes: [Scope.operator], reach: 'process' } as const;
  return [
    route({
      ...common,
      path: '/v1/actors',
      id: 'listActors',
      summary: 'Live actors: threads at work, open runs, open tool calls',
      query: actorsQuery,
      answers: { 200: json(actorPage, 'a page of actors, the oldest state first') },
      handle: listActors(services),
    }),
    route({
      ...common,
      path: '/v1/actors/events',
      id: 'watchActors',
      summary: 'Transitions of all actors, ends, queues and figures as they happen',
      description:
        'Begins with a `reset`: the picture as it stands. `last-event-id` goes on behind a frame while the process is the ' +
        'same and its ring reaches back that far; else a `reset` comes again, as it does for a reader that is too slow.',
      query: feedQuery,
      headers: { 'last-event-id': 'the `id` of the last frame that was read' },
      answers: { 200: events(feedFrame, 'frames') },
      handle: watchActors(services),
    }),
    route({
      ...common,
      path: '/v1/stats',
      id: 'getStats',
      summary: 'The pulse of the server',
      answers: { 200: json(statsRecord, 'figures') },
      handle: getStats(services),
    }),
    route({
      ...common,
      path: '/v1/actors/{actor_id}',
      id: 'getActor',
      summary: 'An actor in full: context, what it reacts to, deadlines, effects, last transitions',
      description: 'Also of a thread that is idle and a run that is queued or done, as their records have them.',
      answers: { 200: json(actorDetail, 'the actor') },
      refusals: [404],
      handle: getActor(services),
    }),
    route({
      ...common,
      path: '/v1/mailbox',
      id: 'listMailboxes',
      summary: 'Queued entries and dead letters of all threads',
      query: mailboxesQuery,
      answers: { 200: json(entryPage, 'a page of entries') },
      handle: listMailboxes(services),
    }),
    route({
      ...common,
      path: '/v1/audit',
      id: 'listAudit',
      summary: 'Who did what, the newest first',
      query: auditQuery,
      answers: { 200: json(auditPage, 'a page of records') },
      handle: listAudit(services),
    }),
    route({
      ...common,
      path: '/v1/machines',
      id: 'listMachines',
      summary: 'The machines by name',
      engine: 'not needed',
      answers: { 200: json(machineList, 'all of them') },
      handle: listMachines,
    }),
    route({
      ...common,
      path: '/v1/machines/{name}',
      id: 'getMachine',
      summary: 'A machine as data',
      engine: 'not needed',
      answers: { 200: json(machineRecord, 'every state and transition') },
      refusals: [404],
      handle: getMachine,
    }),
  ];
}
